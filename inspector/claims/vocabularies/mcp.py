"""`mcp`: the tool annotations of the core specification."""

from inspector.claims.bearing import TraitName, flag, table
from inspector.claims.claim import Standing, Subject, Vocabulary
from inspector.claims.forms import BOOLEAN, TEXT
from inspector.claims.reading import Branch, Layout, Leaf

_HINTS = {
    "title": Leaf(form=TEXT, meaning="a name to show to people"),
    "readOnlyHint": Leaf(
        form=BOOLEAN,
        default="false",
        meaning="the tool changes nothing around it",
        bearings=(table(TraitName.EFFECT, {True: "read", False: "write"}, malformed="write"),),
    ),
    "destructiveHint": Leaf(
        form=BOOLEAN,
        default="true",
        meaning="it may overwrite or delete; means something only where readOnlyHint is false",
        bearings=(
            flag(TraitName.DESTRUCTIVE),
            table(TraitName.EFFECT, {True: "write"}, malformed="write"),
        ),
    ),
    "idempotentHint": Leaf(
        form=BOOLEAN,
        default="false",
        meaning="a second call with the same arguments adds nothing; only where readOnlyHint is false",
        bearings=(flag(TraitName.IDEMPOTENT, malformed=False),),
    ),
    "openWorldHint": Leaf(
        form=BOOLEAN,
        default="true",
        meaning="it deals with things outside a closed domain, as a web search does",
        bearings=(flag(TraitName.OPEN_WORLD),),
    ),
}

_LAYOUT = Layout(
    vocabulary="mcp",
    standing=Standing.CORE,
    roots={Subject.TOOL: Branch(members={"annotations": Branch(members=_HINTS, reported=True)})},
)

VOCABULARY = Vocabulary(
    name="mcp",
    title="MCP tool annotations",
    source="modelcontextprotocol.io/specification, 2025-11-25 and 2026-07-28, ToolAnnotations",
    standing=Standing.CORE,
    as_of="2026-11",
    where="`tool.annotations`",
    keys=_LAYOUT.keys,
    read=_LAYOUT.read,
    owns=_LAYOUT.owns,
    subjects=_LAYOUT.subjects,
)
