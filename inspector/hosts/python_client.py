"""What MCP's Python client library makes of a result before its host sees it.

Source: PyPI mcp-types 2.3.0 for revisions up to 2025-11-25, which checks the schema of the revision first and builds
its own models then; PyPI mcp 1.30.0, which has models alone and keeps members that they do not name.
"""

from dataclasses import dataclass, replace

from inspector.hosts.pydantic_check import Choice, Issue, Items, Kind, Model, check, error_text
from inspector.hosts.python_models import RESULT, changed, of_first
from inspector.hosts.python_text import loaded
from inspector.hosts.received import Received
from inspector.hosts.sharing import shared
from inspector.json.exact import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A result that the client library throws a ValidationError for."""

    issues: tuple[Issue, ...]
    exact: bool = True
    """False where the library is known to refuse, and not in what words."""

    @property
    def text(self) -> str:
        """`str(error)`."""
        return error_text("CallToolResult", self.issues)


def _of_revision(model: Model) -> Model:
    """The same in the generated schema of a revision: metadata first, then by the name in Python."""
    members = sorted(model.members, key=lambda member: (member.wire != "_meta", member.name))
    return replace(
        model,
        members=tuple(
            replace(member, kind=_ROLES) if member.name == "audience" else member for member in members
        ),
    )


def _nullable_flag(kind: Kind) -> Kind:
    """The schema of a revision takes null for the flag, which the model then refuses."""
    if not isinstance(kind, Model):
        return kind
    return replace(
        kind,
        members=tuple(replace(each, nullable=each.nullable or not each.required) for each in kind.members),
    )


_ROLES = Items(of=Choice(values=("assistant", "user")))
_REVISION = _nullable_flag(changed(RESULT, _of_revision))
_FIRST = changed(RESULT, of_first)


@shared
def receive(result: JsonObject) -> Received | Refused:
    """`result` as mcp 2.3 gives it: members that are not named are gone."""
    read = _read(result)
    surface = check(read, _REVISION)
    if surface.issues:
        return Refused(issues=tuple(surface.issues))
    built = _built(read, RESULT)
    return replace(built, exact=False) if isinstance(built, Refused) else built


@shared
def receive_first(result: JsonObject) -> Received | Refused:
    """`result` as mcp 1.30 gives it: members that are not named stay, and URIs are not rewritten yet."""
    return _built(_read(result), _FIRST)


def _read(result: JsonObject) -> JsonObject:
    read = loaded(result)
    return read if isinstance(read, dict) else {}


def _built(result: JsonObject, model: Kind) -> Received | Refused:
    built = check(result, model)
    if built.issues or not isinstance(built.value, dict):
        return Refused(issues=tuple(built.issues))
    return Received(value=built.value)
