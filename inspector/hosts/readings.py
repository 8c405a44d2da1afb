"""The model's view of a resource that was read, or of a prompt, according to the specification.

How hosts handle resources and prompts was not observed, and the view of each host says so. Source: MCP
2025-11-25 and 2026-07-28, Resources and Prompts.
"""

from inspector.boundary.bounded import Bounded
from inspector.boundary.reading_shape import member_of
from inspector.hosts.profile import Host, HostChange, ModelContext
from inspector.hosts.profiles.spec import FOR_OTHERS, FOR_PROGRAMS, is_for_others, without_meta
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child
from inspector.protocol.catalogue import Kind

NOT_OBSERVED = "not observed for this host; shown as the specification describes it"
_NO_LIST = "the contents or messages are not a list, so the model gets none of them"


def view_of_reading(host: Host, bounded: Bounded) -> ModelContext:
    """The model's view of the result of a resource or a prompt.

    At level `open`, `bounded` may hold any JSON value.
    """
    noted = [] if host.how == "specification" else [HostChange(pointer="", what=NOT_OBSERVED)]
    result, member = bounded.result, member_of(bounded.kind)
    if not isinstance(result, dict) or result.keys() == {"error"}:
        model: Json = result if isinstance(result, dict) else {member: []}
        return ModelContext(model=model, changes=tuple(noted), observed=not noted)
    items = result.get(member)
    if not isinstance(items, list):
        noted.append(HostChange(pointer="", what=_NO_LIST))
        items = []
    kept: list[Json] = []
    for index, item in enumerate(items):
        pointer = child(child("", member), index)
        if not isinstance(item, dict):
            kept.append(item)
        elif bounded.kind is not Kind.PROMPT:
            _keep(kept, item, pointer, noted)
        else:
            inner: list[Json] = []
            content = item.get("content")
            if isinstance(content, dict):
                _keep(inner, content, child(pointer, "content"), noted)
            else:
                inner.append(content)
            if inner:
                kept.append({"role": item.get("role"), "content": inner[0]})
    only = FOR_PROGRAMS, f"only {member} are passed to the model"
    noted += [
        HostChange(pointer=child("", key), what=only[key != "_meta"]) for key in result if key != member
    ]
    return ModelContext(model={member: kept}, changes=tuple(noted), observed=host.how == "specification")


def _keep(kept: list[Json], block: JsonObject, pointer: str, noted: list[HostChange]) -> None:
    if is_for_others(block):
        noted.append(HostChange(pointer=pointer, what=FOR_OTHERS))
    else:
        kept.append(without_meta(block, pointer, noted))
