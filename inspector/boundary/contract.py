"""What a tool declares about its results, read once and used for every call."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeGuard

from inspector.boundary.error_code import is_tool_result
from inspector.claims.claim import Claim
from inspector.claims.registry import claims_of_tool
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child
from inspector.protocol.catalogue import Tool
from inspector.schema.positions import Position, SchemaPositions, Source, positions_of

_SCHEMA = "/outputSchema"
_NO_SCHEMA = positions_of(True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """The declarations of one tool that bear on its results."""

    claims: tuple[Claim, ...] = ()
    positions: SchemaPositions | None = None
    """None where the tool has no output schema."""
    schema: Json = None
    """The output schema as sent."""
    is_listed: bool = True
    """False where the server lists no such tool."""
    is_of_page: bool = False
    """Whether a page offers the tool: it may return any JSON value."""
    fault: str = ""
    """Why the declarations could not be read at all; nothing of a result passes then."""

    marks: Mapping[str, Claim] = field(default_factory=dict[str, Claim])
    """The claims, by their pointers from the tool's root."""

    @property
    def names(self) -> frozenset[str]:
        """Every property that the output schema names anywhere."""
        return self.positions.names if self.positions else frozenset()

    def start(self) -> Position:
        """The position of a whole structured value; without an output schema, one where nothing is marked."""
        return (self.positions or _NO_SCHEMA).start()

    def claim_at(self, source: Source) -> Claim | None:
        """The declaration that makes a position sensitive, where it is one."""
        if source.mark_key is None or source.schema_pointer is None:
            return None
        return self.marks.get(child(_SCHEMA + source.schema_pointer, source.mark_key))


def is_result(value: Json, contract: Contract) -> TypeGuard[JsonObject]:
    """Whether what a tool returned is read as a result of MCP; else it is one value, judged as structured content.

    A page's object whose `content` is no list only uses the word.
    """
    if not is_tool_result(value):
        return False
    return not contract.is_of_page or isinstance(value.get("content", []), list)


def contract_of(tool: Tool | None) -> Contract:
    """The contract of `tool`; of no tool, one that declares nothing. Never raises."""
    if tool is None:
        return Contract(is_listed=False)
    try:
        claims = claims_of_tool(tool)
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
