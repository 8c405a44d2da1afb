"""Replaces sensitive parts of the raw result by a mask for the screen; everything else is as sent."""

import re
from collections.abc import Callable, Collection, Container, Iterable, Mapping
from typing import TypeAlias

from inspector.boundary.bounded import Removal, Rule
from inspector.boundary.echoes import Echoes
from inspector.boundary.removals import MarkedRows, places
from inspector.boundary.spellings import SHORTEST, Spelling, is_cut
from inspector.json.edit import Copied
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import index_of, join, split

Matches: TypeAlias = Callable[[Collection[str]], Mapping[str, Spelling]]
"""Returns those of the given texts that contain a copy of a value, each with the spelling of the copy."""
_WORDS = re.compile(r"\S+")
_MOST_LITERALS = 300
"""The maximum number of values that are masked within a line. If there are more, whole lines are masked."""
_BEGINNING = 1_000
"""The number of characters at the start of a value by which the value is searched for."""
MASK = "••••••••"
"""The replacement of a masked value. Its length is constant, so it reveals nothing."""

SHOWN: frozenset[str] = frozenset(
    {
        Rule.AUDIENCE,
        Rule.ERROR,
        Rule.META,
        Rule.NO_CONTRACT,
        Rule.POLICY,
        Rule.UNDECLARED,
        Rule.UNFINISHED,
        Rule.UNKNOWN_CONTENT,
        Rule.UNTRUSTED,
        Rule.UNVERIFIED,
    }
)
"""Rules that keep a value from the model but not from the user. All other rules concern secrets."""


def mask(result: Json, removals: Iterable[Removal]) -> Json:
    """Mask the values in `result` that `removals` withhold as secrets. Shares unchanged parts; never raises.

    `removals`: those of level `declared`, at whatever boundary level the result is shown. Level `open` has no
    removals, and level `closed` withholds secrets as a part of free text, without saying where they are. If a
    pointer leads nowhere, the innermost existing container on its path is masked.
    """
    pointers: list[str] = []
    copied = Copied(result)
    for rule, place in places(removals):
        if rule in SHOWN:
            continue
        if isinstance(place, str):
            pointers.append(place)
        elif not _mask_rows(copied, place):
            pointers.extend(
                join((*split(place.above), place.start + row, key))
                for row in range(place.length)
                for key, _, _ in place.marked
            )
    tree = _tree(pointers)
    return _masked(copied.value, tree) if tree != {} else copied.value


def mask_words(text: str, repeating: Callable[[set[str]], Container[str]], by: str = MASK) -> str:
    """Put `by` in place of each word of `text` that contains a secret.

    If a secret is spread over several words, the whole line or text is replaced. `repeating`: a function that
    returns those of the given texts that contain a secret.
    """
    if text not in repeating({text}):
        return text
    lines = text.split("\n")
    found = repeating(every := set(lines))
    words = {word for line in every if line in found for word in _WORDS.findall(line)}
    repeated = repeating(words)
    shown = {
        line: _WORDS.sub(lambda word: by if word[0] in repeated else word[0], line)
        for line in every
        if line in found
    }
    left = repeating(set(shown.values()))
    masked = "\n".join(by if shown.get(line, line) in left else shown.get(line, line) for line in lines)
    # A secret may be spread over several lines.
    return by if masked in repeating({masked}) else masked


def outer_values(values: Iterable[str]) -> tuple[str, ...]:
    """The values that no other value contains, the longest first; empty if there are over `_MOST_LITERALS`.

    Only these may be masked within a line. A value that another value contains may occur inside a copy of the
    other value; to mask only this part would leave the rest of the copy visible.
    """
    every = set(values)
    if len(every) > _MOST_LITERALS:
        return ()
    outer: dict[str, str] = {}
    for value in sorted(every, key=lambda value: (-len(value), value)):
        folded = "".join(value.casefold().split())
        if not any(folded in other and folded != other for other in outer.values()):
            outer[value] = folded
    return tuple(outer)


def mask_literally(text: str, values: Iterable[str], word: Callable[[str], str] = lambda _: MASK) -> str:
    """Replace each copy of a value in `text`, in any letter case. The number of lines stays.

    `values`: from `outer_values`. `word`: the mask for a value. A value that is short is replaced only as a whole word.
    """
    for value in values:
        # It takes time to compile a pattern for a long value.
        if len(value) > len(text) or value.casefold() not in text.casefold():
            continue
        pattern = re.escape(value) if len(value) >= SHORTEST else rf"(?<!\w){re.escape(value)}(?!\w)"
        shown = "\n".join([word(value)] * (value.count("\n") + 1))
        text = re.sub(pattern, lambda _, shown=shown: shown, text, flags=re.IGNORECASE)
    return text


def mask_lines(
    text: str,
    values: Collection[str],
    matches: Matches,
    begins: Matches,
    by: str = MASK,
) -> str:
    """Mask each copy of a withheld value in a text; the number of lines stays.

    A plain copy of one of `values` is replaced by the mask `by`. A line with any other copy is masked as a
    whole. All lines are masked if a copy spans several lines, if a line has only a part of an encoded copy,
    or if `begins` finds anything in the text.

    `values`: the withheld values that `outer_values` returns. `matches`: finds copies of withheld values, and
    of their parts. `begins`: finds the beginnings of values that are too long to find all of their parts.
    """
    if not matches((text,)):
        return text
    text = mask_literally(text, values, lambda _: by)
    lines = text.split("\n")
    found = matches(lines)
    shown = [by if line in found else line for line in lines]
    # A line with an encoded text that is not a whole outer value may have only a part of a copy. The rest of
    # that copy may be in another line.
    whole = Echoes(value for value in values if not is_cut(value)).matches(lines)
    is_part = any(spelling is not Spelling.PLAIN for line, spelling in found.items() if line not in whole)
    if is_part or _spans(lines, values) or begins((text,)) or matches(("\n".join(shown),)):
        shown = [by] * len(lines)
    return "\n".join(shown)


def _spans(lines: list[str], values: Iterable[str]) -> bool:
    """True if a copy of one of the values is spread over several lines.

    Values that contain line breaks are skipped, because each of their lines is searched for separately.
    """
    # The beginning of a value is enough to find it. To search for all of a long value would take time.
    single = (value for value in values if "\n" not in value and "\r" not in value)
    echoes = Echoes(value.lstrip()[:_BEGINNING] for value in single)
    whole = echoes.matches(lines)
    return bool(echoes.matches(("\n".join("" if line in whole else line for line in lines),)))


def _mask_rows(copied: Copied, rows: MarkedRows) -> bool:
    """Mask the sensitive members of rows. Returns false and masks nothing if one of them is missing."""
    above, stop = split(rows.above), rows.start + rows.length
    masks: JsonObject = dict.fromkeys((key for key, _, _ in rows.marked), MASK)
    try:
        array = copied.at(above)
        found = array[rows.start : stop] if isinstance(array, list) else []
        objects = [row for row in found if isinstance(row, dict) and masks.keys() <= row.keys()]
        if len(objects) < rows.length:
            return False
        copied.items(above)[rows.start : stop] = [{**row, **masks} for row in objects]
    except LookupError:
        return False
    return True


_Tree: TypeAlias = dict[str, "_Tree"] | None
"""The places to mask in a value, as a tree of keys and indices; None if the value itself is masked."""


def _tree(pointers: Iterable[str]) -> _Tree:
    root: dict[str, _Tree] = {}
    for pointer in pointers:
        tokens = split(pointer)
        if not tokens:
            return None
        node = root
        for token in tokens[:-1]:
            below = node.get(token, node)
            if below is node:
                below = node[token] = {}
            if below is None:
                break
            node = below
        else:
            node[tokens[-1]] = None
    return root


def _masked(result: Json, tree: _Tree) -> Json:
    """A copy of `result` with the places of the tree masked. A container that lacks one of them is masked."""
    if tree is None:
        return MASK
    whole = _copied(result, tree)
    waiting = [(whole, tree)] if whole is not None else []
    while waiting:
        copied, node = waiting.pop()
        for token, below in node.items():
            if isinstance(copied, dict):
                inner = None if below is None else _copied(copied[token], below)
                copied[token] = MASK if inner is None else inner
            else:
                index = int(token)
                inner = None if below is None else _copied(copied[index], below)
                copied[index] = MASK if inner is None else inner
            if inner is not None and below is not None:
                waiting.append((inner, below))
    return MASK if whole is None else whole


def _copied(value: Json, tokens: dict[str, _Tree]) -> list[Json] | JsonObject | None:
    """A shallow copy of a container that has members at all tokens; None for any other value."""
    if isinstance(value, dict):
        return value.copy() if tokens.keys() <= value.keys() else None
    if isinstance(value, list):
        try:
            return value.copy() if max(map(index_of, tokens)) < len(value) else None
        except LookupError:
            return None
    return None
