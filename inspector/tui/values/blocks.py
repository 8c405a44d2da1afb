"""Pairs the content blocks of two results. Hosts and the boundary drop, merge and add blocks."""

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from inspector.boundary.mask import MASK
from inspector.boundary.notice import UNKNOWN_CONTENT, is_notice, label_in, reference_text, text_block
from inspector.json.exact import Json, equal
from inspector.json.texts import texts_in
from inspector.tui.values.alignment import GAP

MOST_PAIRS = 2_500
"""The maximum number of pairs of blocks that are compared."""
_READ = 4_000
"""The maximum number of characters of each text that are compared."""
_WORD = re.compile(r"[^\W_]{3,}")
_MASKED = re.compile(rf"{MASK}( \([^()]*\))?|\[withheld [^\[\]]+\]")
"""Matches a mask, and the text that replaces a withheld value in a recording."""
_NOT_SAID = frozenset({"text", "input_text"})
_KINDS = frozenset({"text", "image", "audio", "resource", "resource_link"})
_EQUAL, _STANDS_FOR, _SAME_PLACE = 4.0, 0.12, 0.1
_REFERENCE = "secret_reference"
BlockPairs: TypeAlias = list[tuple[int, int]]
"""The indexes of the blocks of two lists that share a row, in order. `GAP` on a side without a block."""
_LEAST = 0.1
"""The minimum share of the shorter block's words that the other block must contain."""


def paired_blocks(left: Sequence[Json], right: Sequence[Json]) -> BlockPairs | None:
    """The pairs of blocks that share a row; None if the values are not blocks.

    Blocks are paired by the words of their texts, and a secret reference with the text that replaces it. Two
    blocks of one type without common words are paired only if they have the same index in lists of the same
    length.
    """
    if not 0 < len(left) * len(right) <= MOST_PAIRS or not all(map(_is_block, (*left, *right))):
        return None
    words = [_words(block) for block in left], [_words(block) for block in right]
    is_even = len(left) == len(right)

    def likeness(a: int, b: int) -> float:
        one, other = left[a], right[b]
        if one is other or equal(one, other):
            return _EQUAL
        if is_notice(one) or is_notice(other):
            return _EQUAL if is_notice(one) and is_notice(other) else 0
        if _is_reference_text(one) or _is_reference_text(other):
            return _EQUAL if _is_same_reference(one, other) else 0
        if UNKNOWN_CONTENT in (_member(one, "text"), _member(other, "text")):
            return 0 if _is_for_user_only(one) else _STANDS_FOR * (1 + (_member(one, "type") not in _KINDS))
        fewest = min(len(words[0][a]), len(words[1][b]))
        shared = len(words[0][a] & words[1][b]) / fewest if fewest else 0.0
        is_same_place = is_even and a == b and _member(one, "type") == _member(other, "type")
        return (shared if shared >= _LEAST else 0.0) + _SAME_PLACE * is_same_place

    return _best(len(left), len(right), likeness)


def paired_content(one: Json, other: Json) -> BlockPairs | None:
    """The pairs of the content blocks of two results; None if the results have no blocks."""
    left, right = _member(one, "content"), _member(other, "content")
    return paired_blocks(left, right) if isinstance(left, list) and isinstance(right, list) else None


def _best(rows: int, columns: int, likeness: Callable[[int, int], float]) -> list[tuple[int, int]]:
    """The pairs of indexes with the highest sum of likeness; `GAP` on a side without a block.

    Of equally good solutions, the one that pairs earlier blocks.
    """
    scores = [[likeness(a, b) for b in range(columns)] for a in range(rows)]
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for a in range(rows - 1, -1, -1):
        for b in range(columns - 1, -1, -1):
            paired = scores[a][b] + best[a + 1][b + 1] if scores[a][b] else 0.0
            best[a][b] = max(paired, best[a + 1][b], best[a][b + 1])
    pairs: list[tuple[int, int]] = []
    a = b = 0
    while a < rows or b < columns:
        if a < rows and b < columns and scores[a][b] and best[a][b] == scores[a][b] + best[a + 1][b + 1]:
            pairs.append((a, b))
            a, b = a + 1, b + 1
        elif a < rows and (b == columns or best[a][b] == best[a + 1][b]):
            pairs.append((a, GAP))
            a += 1
        else:
            pairs.append((GAP, b))
            b += 1
    return pairs


def _is_block(value: Json) -> bool:
    if isinstance(value, str):
        # A block that is masked as a whole is a string.
        return value.startswith(MASK)
    return isinstance(value, dict) and isinstance(value.get("type"), str)


def _member(block: Json, key: str) -> Json:
    return block.get(key) if isinstance(block, dict) else None


def _is_reference_text(block: Json) -> bool:
    text = _member(block, "text")
    return isinstance(text, str) and (text == reference_text(None) or label_in(text_block(text)) is not None)


def _is_same_reference(one: Json, other: Json) -> bool:
    """True if both blocks are a secret reference or its replacement, and no label tells them apart."""
    labels: list[Json] = []
    for block in (one, other):
        if _is_reference_text(block):
            labels.append(label_in(block))
        elif _member(block, "type") == _REFERENCE:
            labels.append(_member(block, "label"))
        else:
            return False
    known = [label for label in labels if isinstance(label, str) and not _MASKED.search(label)]
    return len(set(known)) < 2


def _is_for_user_only(block: Json) -> bool:
    audience = _member(_member(block, "annotations"), "audience")
    return isinstance(audience, list) and bool(audience) and "assistant" not in audience


def _words(block: Json) -> frozenset[str]:
    """The words of all texts of a block, without masks and keys."""
    texts, keys = set[str](), set[str]()
    texts_in(block, texts, keys)
    return frozenset(
        word.casefold()
        for text in texts
        if text not in _NOT_SAID
        for word in _WORD.findall(_MASKED.sub("", text[:_READ]))
    )
