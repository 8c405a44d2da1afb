"""`mcp-content`: the annotations of content blocks and resources in the core specification."""

from inspector.claims.claim import Standing, Subject
from inspector.claims.layout import FRACTION, MOMENT, Branch, Leaf, VocabularyLayout, some_of

_ANNOTATIONS = Branch(
    reported=True,
    members={
        "audience": Leaf(
            form=some_of("user", "assistant"),
            meaning="the intended reader; `user` alone means not for the model",
            effect="none; the boundary applies it",
        ),
        "priority": Leaf(
            form=FRACTION, meaning="the importance of the content: 1 is required, 0 is optional"
        ),
        "lastModified": Leaf(form=MOMENT, meaning="the time of the last change"),
    },
)

_LAYOUT = VocabularyLayout(
    name="mcp-content",
    standing=Standing.CORE,
    roots={
        Subject.BLOCK: Branch(members={"annotations": _ANNOTATIONS}),
        Subject.RESOURCE: Branch(members={"annotations": _ANNOTATIONS}),
    },
)

VOCABULARY = _LAYOUT.vocabulary(
    title="MCP content annotations",
    source="modelcontextprotocol.io/specification, 2025-11-25 and 2026-07-28, Annotations",
    as_of="2026-11",
    where="`content[].annotations`, `resource.annotations`",
)
