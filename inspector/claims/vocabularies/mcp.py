"""`mcp`: the tool annotations of the core specification."""

from inspector.claims.claim import Standing, Subject, TraitName, flag, table
from inspector.claims.layout import BOOLEAN, TEXT, Branch, Leaf, VocabularyLayout

_HINTS = {
    "title": Leaf(form=TEXT, meaning="a display name"),
    "readOnlyHint": Leaf(
        form=BOOLEAN,
        default="false",
        meaning="the tool does not modify its environment",
        implications=(table(TraitName.EFFECT, {True: "read", False: "write"}, malformed="write"),),
    ),
    "destructiveHint": Leaf(
        form=BOOLEAN,
        default="true",
        meaning="the tool may overwrite or delete; only meaningful if readOnlyHint is false",
        implications=(
            flag(TraitName.DESTRUCTIVE),
            table(TraitName.EFFECT, {True: "write"}, malformed="write"),
        ),
    ),
    "idempotentHint": Leaf(
        form=BOOLEAN,
        default="false",
        meaning="a second call with the same arguments has no further effect; only meaningful if readOnlyHint is false",
        implications=(flag(TraitName.IDEMPOTENT, malformed=False),),
    ),
    "openWorldHint": Leaf(
        form=BOOLEAN,
        default="true",
        meaning="the tool interacts with an open domain, as a web search does",
        implications=(flag(TraitName.OPEN_WORLD),),
    ),
}

_LAYOUT = VocabularyLayout(
    name="mcp",
    standing=Standing.CORE,
    roots={Subject.TOOL: Branch(members={"annotations": Branch(members=_HINTS, reported=True)})},
)

VOCABULARY = _LAYOUT.vocabulary(
    title="MCP tool annotations",
    source="modelcontextprotocol.io/specification, 2025-11-25 and 2026-07-28, ToolAnnotations",
    as_of="2026-11",
    where="`tool.annotations`",
)
