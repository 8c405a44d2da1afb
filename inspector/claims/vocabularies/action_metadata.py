"""`action-metadata`: the extension on the data flow and the outcome of tools."""

from inspector.claims.claim import Standing, Subject
from inspector.claims.data_flow import INPUT_METADATA, OUTCOME, RETURN_METADATA, REVIEW
from inspector.claims.layout import Branch, VocabularyLayout

IDENTIFIER = "io.modelcontextprotocol/action-metadata"

_ACTION = Branch(
    own=True,
    members={
        "inputMetadata": INPUT_METADATA,
        "returnMetadata": RETURN_METADATA,
        "outcome": OUTCOME,
        "requiresReview": REVIEW,
    },
)
_HOLDER = Branch(members={IDENTIFIER: _ACTION})

# Servers whose libraries reject unknown annotations put the object into `_meta`.
_LAYOUT = VocabularyLayout(
    name="action-metadata",
    standing=Standing.EXTENSION,
    roots={Subject.TOOL: Branch(members={"annotations": _HOLDER, "_meta": _HOLDER})},
)

VOCABULARY = _LAYOUT.vocabulary(
    title="Action metadata extension",
    source="github.com/modelcontextprotocol/experimental-ext-tool-annotations, action-metadata",
    as_of="2026-11",
    where=f'`tool.annotations["{IDENTIFIER}"]`; seen in `tool._meta` too',
    remark="experimental",
)
