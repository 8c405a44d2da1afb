"""JSON for an editor: the same value, with every character that could act or hide written as an escape."""

import msgspec

from inspector.json.exact import Json, dump, dump_text
from inspector.safe_text import safe


def editable(value: Json) -> str:
    """`value` as indented JSON that an editor may show. It parses to the same value."""
    raw = dump(value)
    try:
        text = msgspec.json.format(raw, indent=2).decode("utf-8", "surrogatepass")
    except (msgspec.MsgspecError, RecursionError):
        # NaN, or nested too deep to be indented.
        text = dump_text(value)
    if safe(text) == text:
        return text
    return "".join(character if safe(character) == character else _escaped(character) for character in text)


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[index]:02x}{units[index + 1]:02x}" for index in range(0, len(units), 2))
