"""The labels of nodes, padded so that values begin in one column."""

import re
from functools import lru_cache
from typing import TypeAlias

from inspector.tui.values.sides import ABSENT, Value, is_container, size_of
from inspector.tui.values.texts import may_be_opened
from inspector.tui.values.wrap import quoted

Item: TypeAlias = tuple[str, str, Value, Value, int, int, int]
"""A node to build: label, token, left value, right value, depth, parent, flags."""

_MOST_KEYS = 64
"""The maximum number of keys of an object whose members are added at once."""
_PLAIN_KEY = re.compile(r"[A-Za-z_$][\w$.-]*", re.ASCII)
_PAD_MOST = 16
"""The maximum width, in cells, to which short labels of one object are padded."""


MIME_KEYS = frozenset({"mimeType", "media_type", "mime_type"})
"""The keys under which content blocks, and what hosts make of them, have the MIME type of their data."""


@lru_cache(maxsize=4096)
def tree_label(key: str) -> str:
    """A key as a label: in quotes, unless it is a plain name."""
    return key if _PLAIN_KEY.fullmatch(key) else f'"{quoted(key)}"'


def record_labels(keys: tuple[str, ...]) -> tuple[str, ...] | None:
    """The padded labels of an object of scalars.

    None if there are no keys or too many, or if a value may be a picture or a text that contains JSON.
    """
    labels = [tree_label(key) for key in keys[:_MOST_KEYS]]
    is_picture = not MIME_KEYS.isdisjoint(keys)
    if not 0 < len(keys) <= _MOST_KEYS or is_picture or any(map(may_be_opened, labels)):
        return None
    below: list[Item] = [(label, "", None, None, 0, 0, 0) for label in labels]
    pad(below)
    return tuple(item[0] for item in below)


def pad(below: list[Item]) -> None:
    """Pad short labels of one object, so that values begin in one column."""
    lengths = [len(item[0]) for item in below if len(item[0]) <= _PAD_MOST and item[0].isascii()]
    if len(lengths) < 2:
        return
    width = max(lengths)
    for index, item in enumerate(below):
        value = item[2] if item[2] is not ABSENT else item[3]
        if not (is_container(value) and size_of(value)) and len(item[0]) < width and item[0].isascii():
            below[index] = (item[0].ljust(width), *item[1:])
