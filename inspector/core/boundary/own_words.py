"""Texts that the boundary puts in place of something. They are constant, but for the label of a reference."""

from inspector.core.boundary.bounded import Level
from inspector.core.boundary.notice import text_block
from inspector.core.json_text import Json, JsonText, dump_text, parse

UNKNOWN_CONTENT = "[content that cannot be judged was withheld]"
_REFERENCE = "[secret reference{}; only the user can reveal what it stands for]"
_BEFORE_LABEL, _, _AFTER_LABEL = _REFERENCE.partition("{}")


def reference_text(label: str | None) -> str:
    """What stands for a secret reference. `label` is the server's word."""
    return _REFERENCE.format("" if label is None else f" {dump_text(label)}")


def is_own(block: Json, level: Level) -> bool:
    """Whether a block is one that the boundary itself would have put there.

    A server may write one too: it tells the model nothing by that, but for a label, which it could send anyway.
    """
    text = block.get("text") if isinstance(block, dict) else None
    if not isinstance(text, str) or not isinstance(block, dict) or block != text_block(text):
        return False
    if text in {UNKNOWN_CONTENT, reference_text(None)}:
        return True
    return level is not Level.CLOSED and label_in(block) is not None


def label_in(block: Json) -> str | None:
    """The label in the text of a secret reference, which is the server's word; None where there is none."""
    text = block.get("text") if isinstance(block, dict) else None
    if not (isinstance(text, str) and text.startswith(_BEFORE_LABEL) and text.endswith(_AFTER_LABEL)):
        return None
    label = parse(text[len(_BEFORE_LABEL) : -len(_AFTER_LABEL)])
    if not isinstance(label, JsonText) or not isinstance(label.value, str):
        return None
    return label.value if text == reference_text(label.value) else None
