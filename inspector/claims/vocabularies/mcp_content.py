"""`mcp-content`: the annotations that the core specification has for content blocks and resources."""

from inspector.claims.claim import Standing, Subject, Vocabulary
from inspector.claims.forms import FRACTION, MOMENT, some_of
from inspector.claims.reading import Branch, Layout, Leaf

_ANNOTATIONS = Branch(
    reported=True,
    members={
        "audience": Leaf(
            form=some_of("user", "assistant"),
            meaning="whom the content is for; `user` alone asks to keep it from the model",
            effect="none; the boundary honours it",
        ),
        "priority": Leaf(form=FRACTION, meaning="how much the content matters: 1 is required, 0 optional"),
        "lastModified": Leaf(form=MOMENT, meaning="when it last changed"),
    },
)

_LAYOUT = Layout(
    vocabulary="mcp-content",
    standing=Standing.CORE,
    roots={
        Subject.BLOCK: Branch(members={"annotations": _ANNOTATIONS}),
        Subject.RESOURCE: Branch(members={"annotations": _ANNOTATIONS}),
    },
)

VOCABULARY = Vocabulary(
    name="mcp-content",
    title="MCP content annotations",
    source="modelcontextprotocol.io/specification, 2025-11-25 and 2026-07-28, Annotations",
    standing=Standing.CORE,
    as_of="2026-11",
    where="`content[].annotations`, `resource.annotations`",
    keys=_LAYOUT.keys,
    read=_LAYOUT.read,
    owns=_LAYOUT.owns,
    subjects=_LAYOUT.subjects,
)
