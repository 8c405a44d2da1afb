"""`action-metadata`: the extension on what a tool does with the data it is given."""

from inspector.claims.claim import Standing, Subject, Vocabulary
from inspector.claims.data_flow import INPUT_METADATA, OUTCOME, RETURN_METADATA, REVIEW
from inspector.claims.reading import Branch, Layout

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

# Servers whose libraries keep no unknown annotations put the same object into `_meta`.
_LAYOUT = Layout(
    vocabulary="action-metadata",
    standing=Standing.EXTENSION,
    roots={Subject.TOOL: Branch(members={"annotations": _HOLDER, "_meta": _HOLDER})},
)

VOCABULARY = Vocabulary(
    name="action-metadata",
    title="Action metadata extension",
    source="github.com/modelcontextprotocol/experimental-ext-tool-annotations, action-metadata",
    standing=Standing.EXTENSION,
    as_of="2026-11",
    where=f'`tool.annotations["{IDENTIFIER}"]`; seen in `tool._meta` too',
    keys=_LAYOUT.keys,
    read=_LAYOUT.read,
    owns=_LAYOUT.owns,
    subjects=_LAYOUT.subjects,
    remark="experimental",
)
