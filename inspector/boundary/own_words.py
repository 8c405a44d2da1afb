"""Texts that the boundary puts in place of something. They are constant, but for the label of a reference."""

import re

from inspector.boundary.bounded import Level
from inspector.boundary.notice import text_block
from inspector.json.exact import Json, JsonText, dump_text, parse

UNKNOWN_CONTENT = "[content that cannot be judged was withheld]"
_REFERENCE = "[secret reference{}; only the user can reveal what it stands for]"
_WITH_LABEL = re.compile(re.escape(_REFERENCE).replace(re.escape("{}"), ' (".*")'), re.DOTALL)


def reference_text(label: str | None) -> str:
    """What stands for a secret reference. `label` is the server's word."""
    return _REFERENCE.format("" if label is None else f" {dump_text(label)}")


def is_own(block: Json, level: Level) -> bool:
    """Whether a block is one that the boundary itself would have put there.

    A server may write one too: it tells the model nothing by that, but for a label, which it could send anyway.
    """
    text = _text_in(block)
    if text is None or block != text_block(text):
        return False
    if text in {UNKNOWN_CONTENT, reference_text(None)}:
        return True
    return level is not Level.CLOSED and label_in(block) is not None


def label_in(block: Json) -> str | None:
    """The label in the text of a secret reference, which is the server's word; None where there is none."""
    text = _text_in(block) or ""
    found = _WITH_LABEL.fullmatch(text)
    parsed = parse(found[1]) if found else None
    label = parsed.value if isinstance(parsed, JsonText) else None
    return label if isinstance(label, str) and text == reference_text(label) else None


def _text_in(block: Json) -> str | None:
    text = block.get("text") if isinstance(block, dict) else None
    return text if isinstance(text, str) else None
