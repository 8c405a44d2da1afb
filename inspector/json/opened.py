"""Opens the texts in a result that are JSON, so that a pointer may continue in them.

An example is `/content/0/text/name`.

The texts are the members `text` of content blocks and embedded resources. A JSON text inside opened JSON is
not opened.
"""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from inspector.json.edit import Copied
from inspector.json.exact import DuplicateKeys, Json, JsonText, equal, parse
from inspector.json.pointer import join, resolve, split
from inspector.json.walk import Tokens, members

TEXT = "text"
LONGEST = 5_000_000
"""The maximum length of a text that is opened, in characters."""
_BLANKS = 20
"""The number of characters, from the start of a text, in which its JSON must begin."""
_DEEPEST = 20
"""The maximum depth at which texts are looked for in a result."""

_STRUCTURED = ("structuredContent",)

Opened: TypeAlias = dict[str, Json] | list[Json] | DuplicateKeys


def opened(text: Json) -> Opened | None:
    """The JSON object or array in a text; None for any other text or value. Never raises."""
    if not isinstance(text, str) or len(text) > LONGEST or text[:_BLANKS].lstrip()[:1] not in {"{", "["}:
        return None
    found = parse(text)
    if not isinstance(found, JsonText) or found.faults:
        return None
    return found.value if isinstance(found.value, (dict, list, DuplicateKeys)) else None


def opened_texts(result: Json) -> Iterator[tuple[str, Opened]]:
    """Every text of a result that is opened, in order: its pointer, and the JSON in it."""
    for tokens, text in _texts(result):
        found = opened(text)
        if found is not None:
            yield join(tokens), found


def opened_alike(
    before: Json, now: Json, may_open: Callable[[str], bool] = lambda _: True
) -> tuple[Json, Json]:
    """Copies of two results, in which texts are opened that have the same path but different values.

    Both texts must be JSON of the same kind. A text that differs only in its layout stays a text. All other
    parts are shared. `may_open`: returns whether the text at a pointer may be opened.
    """
    sides = Copied(before), Copied(now)
    texts = dict(_texts(now))
    for tokens, old in _texts(before):
        new = texts.get(tokens)
        if new is None or new == old or not may_open(join(tokens)):
            continue
        pair = opened(old), opened(new)
        alike = all(isinstance(each, dict) for each in pair) or all(isinstance(each, list) for each in pair)
        if alike and not equal(*pair):
            for side, value in zip(sides, pair, strict=True):
                side.put(tokens, value)
    return sides[0].value, sides[1].value


def resolve_opened(result: Json, pointer: str) -> Json:
    """The value at `pointer`, which may continue in a text that is JSON. Raises LookupError if there is none."""
    tokens = split(pointer)
    for count, token in enumerate(tokens[:-1], 1):
        if token != TEXT:
            continue
        try:
            text = resolve(result, join(tokens[:count]))
        except LookupError:
            break
        if isinstance(text, str):
            return resolve(opened(text), join(tokens[count:]))
    return resolve(result, pointer)


def _texts(result: Json) -> Iterator[tuple[Tokens, str]]:
    """The texts of a result, in order, each with its path.

    Structured content is not searched, because it may be large.
    """
    waiting: list[tuple[Tokens, Json]] = [((), result)]
    while waiting:
        tokens, value = waiting.pop()
        if isinstance(value, str):
            yield tokens, value
        elif len(tokens) < _DEEPEST and tokens != _STRUCTURED and isinstance(value, (dict, list)):
            waiting.extend(
                ((*tokens, key), member)
                for key, member in reversed([*members(value)])
                if key == TEXT or isinstance(member, (dict, list))
            )
