"""The contract of a tool: its declarations about results, computed once and used for every call."""

from collections.abc import Mapping
from typing import TypeGuard

from msgspec import Struct, field

from inspector.boundary.error_code import is_tool_result
from inspector.claims.claim import Claim
from inspector.claims.once import once
from inspector.claims.registry import claims_of_tool
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child
from inspector.protocol.catalogue import Kind, Tool
from inspector.schema.positions import Position, SchemaPositions, Source, positions_of

_SCHEMA = "/outputSchema"
_NO_SCHEMA = positions_of(True)


class Contract(Struct, frozen=True, kw_only=True):
    """The declarations of one tool that concern its results."""

    claims: tuple[Claim, ...] = ()
    positions: SchemaPositions | None = None
    """The positions of the output schema; None if the tool has none."""
    schema: Json = None
    """The output schema as sent."""
    is_listed: bool = True
    """False if the server does not list the tool."""
    is_of_page: bool = False
    """True if a page offers the tool, which may return any JSON value."""
    kind: Kind = Kind.TOOL
    """The kind of the item: a tool, a resource or a prompt. The shape of its results depends on it."""
    uri: str = ""
    """The URI of the resource that was read."""
    is_of_app: bool = False
    """True if an interface of MCP Apps sends the content to the model. Such content is always untrusted."""
    kept_back: tuple[Json, ...] = ()
    """Values that an interface of MCP Apps got and the model did not. The interface must not pass them on."""
    skills: tuple[JsonObject, ...] = ()
    """The entries of a skill, as the server sent them. The file that was read belongs to this skill.

    The file is verified against each entry.
    """
    fault: str = ""
    """The reason why the declarations could not be read; every result is withheld then."""

    marks: Mapping[str, Claim] = field(default_factory=dict[str, Claim])
    """The claims of the tool by their pointers, which are relative to its definition."""

    @property
    def names(self) -> frozenset[str]:
        return self.positions.names if self.positions else frozenset()

    def start(self) -> Position:
        """The position of the structured content as a whole in the output schema.

        Without an output schema, neither this position nor one inside it is sensitive.
        """
        return (self.positions or _NO_SCHEMA).start()

    def claim_at(self, source: Source) -> Claim | None:
        """The claim that makes the values at a place in the schema sensitive, if there is one."""
        if source.mark_key is None or source.schema_pointer is None:
            return None
        return self.marks.get(child(_SCHEMA + source.schema_pointer, source.mark_key))


def is_result(value: Json, contract: Contract) -> TypeGuard[JsonObject]:
    """True if a returned value is a tool result of MCP.

    Any other value counts as structured content. Tools of pages can return such values. An object from a page
    is not a tool result if its member `content` is not a list.
    """
    if not is_tool_result(value):
        return False
    return not contract.is_of_page or isinstance(value.get("content", []), list)


def contract_of(tool: Tool | None) -> Contract:
    """The contract of `tool`; an empty contract for None. Never raises."""
    return Contract(is_listed=False) if tool is None else _contract_of(tool)


@once
def _contract_of(tool: Tool) -> Contract:
    try:
        claims = claims_of_tool(tool)
        if tool.item:
            return Contract(claims=claims, kind=tool.kind, uri=tool.item.name, skills=tool.item.skills)
        schema = tool.output_schema
        return Contract(
            claims=claims,
            positions=None if schema is None else positions_of(schema),
            schema=schema,
            marks={claim.pointer: claim for claim in claims},
            is_of_page=tool.page is not None,
        )
    except Exception as error:  # noqa: BLE001 - whatever goes wrong here must withhold, not raise
        return Contract(fault=f"the tool's declarations could not be read ({type(error).__name__})")
