"""What MCP's Rust client library, and serde under it, make of a result before Codex sees it.

Source: github.com/modelcontextprotocol/rust-sdk, crates/rmcp/src/model/content.rs.
"""

from dataclasses import dataclass

from inspector.hosts.facts import facts
from inspector.hosts.python_text import compact_leaf, float_text
from inspector.hosts.sharing import shared
from inspector.hosts.writing import Style, write
from inspector.json.exact import Json, JsonObject

_ANNOTATIONS = ("audience", "priority", "lastModified")
_LEAST, _MOST = -(2**63), 2**64


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A result that the library accepted."""

    blocks: tuple[JsonObject, ...]
    structured: Json
    """None where there is none, or null."""

    @property
    def is_approximate(self) -> bool:
        """Whether the structured content has a number whose spelling is not known for sure."""
        return _is_approximate(self.structured)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A result that fits none of the responses that the library knows."""

    certain: bool
    """False where nobody observed such a result."""


@shared
def _is_approximate(value: Json) -> bool:
    known = facts(value)
    if not (known.has_float or known.has_rounded):
        return False
    stack: list[Json] = [value]
    while stack:
        match stack.pop():
            case dict() as item:
                stack.extend(item.values())
            case list() as items:
                stack.extend(items)
            case bool():
                pass
            case int() as number if not _LEAST <= number < _MOST:
                return True
            case float() as number if "e" in float_text(number):
                return True
            case _:
                pass
    return False


@shared
def compact(value: Json) -> str:
    """`serde_json::to_string(value)`."""
    return write(value, _COMPACT)


@shared
def receive(result: JsonObject) -> Received | Refused:
    """`result` as the library gives it: members that it does not name are gone."""
    content = result.get("content", [])
    if "content" not in result and result.get("structuredContent") is None:
        return Refused(certain=False)
    if not isinstance(content, list) or not isinstance(result.get("isError"), (bool, type(None))):
        return Refused(certain=False)
    blocks: list[JsonObject] = []
    for block in content:
        read = _block(block)
        if read is None:
            kind = block.get("type") if isinstance(block, dict) else None
            return Refused(certain=isinstance(kind, str) and kind not in _READERS)
        blocks.append(read)
    return Received(blocks=tuple(blocks), structured=result.get("structuredContent"))


def _block(block: Json) -> JsonObject | None:
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(block, dict) or not isinstance(kind, str) or kind not in _READERS:
        return None
    required, optional = _READERS[kind]
    if not all(isinstance(block.get(key), str) for key in required):
        return None
    read: JsonObject = {"type": kind}
    if kind == "resource":
        resource = _resource(block.get("resource"))
        if resource is None:
            return None
        if block.get("_meta") is not None:
            read["_meta"] = block["_meta"]
        read["resource"] = resource
    else:
        read.update((key, block[key]) for key in (*required, *optional) if block.get(key) is not None)
    return _with_annotations(read, block.get("annotations"))


def _with_annotations(read: JsonObject, annotations: Json) -> JsonObject | None:
    """A block with its annotations; None where these are not as the protocol has them."""
    if annotations is None:
        return read
    if not isinstance(annotations, dict):
        return None
    kept: JsonObject = {key: annotations[key] for key in _ANNOTATIONS if annotations.get(key) is not None}
    audience, priority = kept.get("audience", []), kept.get("priority", 0)
    if not isinstance(audience, list) or not all(role in ("user", "assistant") for role in audience):
        return None
    if isinstance(priority, bool) or not isinstance(priority, (int, float)):
        return None
    return {**read, "annotations": kept} if isinstance(kept.get("lastModified", ""), str) else None


def _resource(resource: Json) -> JsonObject | None:
    if not isinstance(resource, dict) or not isinstance(resource.get("uri"), str):
        return None
    payload = next((key for key in ("text", "blob") if isinstance(resource.get(key), str)), None)
    if payload is None:
        return None
    return {
        key: resource[key] for key in ("uri", "mimeType", payload, "_meta") if resource.get(key) is not None
    }


_READERS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "text": (("text",), ("_meta",)),
    "image": (("data", "mimeType"), ("_meta",)),
    "audio": (("data", "mimeType"), ("_meta",)),
    "resource": ((), ()),
    "resource_link": (("uri", "name"), ("title", "description", "mimeType", "size", "icons", "_meta")),
}
"""The members of each type in the order in which they are written again: those it needs, those it may have."""


_COMPACT = Style(leaf=compact_leaf)
