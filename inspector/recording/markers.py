"""Markers: objects that replace withheld values in a recording.

A marker is `{"$withheld": rule, "id": hmac}`. With one `MarkerKey`, equal values have equal ids. An id reveals
nothing about its value.
"""

import hmac
import re
from collections.abc import Callable, Iterable, Iterator

from inspector.boundary.bounded import Removal, Rule
from inspector.boundary.mask import MASK, SHOWN
from inspector.boundary.notice import text_block
from inspector.json import walk
from inspector.json.chunks import pieces
from inspector.json.edit import Copied
from inspector.json.exact import Json, JsonObject, dump_text
from inspector.json.pointer import split
from inspector.json.walk import Tokens, keys_of

MARKER = "$withheld"
ID = "id"
_ID_DIGITS = 16
COPY = "copy"
"""The rule of a marker for a copy of a value that is withheld from the same result.

The boundary calls this rule `echo`. A marker with the rule `echo` replaces a copy of a value that is withheld
from another line; the boundary did not withhold that copy.
"""
EARLIER = "earlier"
"""The rule of a marker for a copy of a value that only an earlier definition of the tool withholds."""


class Marker(dict[str, Json]):
    """A marker made by Sightline. A server's object of the same shape is a plain dict."""


class MarkerKey:
    """The secret key with which the ids in one recording are computed.

    It is made for the recording and never stored.
    """

    def __init__(self, key: bytes) -> None:
        """`key`: 32 bytes that are stored nowhere else."""
        self._key = key

    def marker(self, rule: str, value: Json) -> Marker:
        """The marker that a recording stores in place of `value`, which `rule` withholds."""
        digest = hmac.new(self._key, digestmod="sha256")
        for piece in pieces(value):
            digest.update(piece)
        return Marker({MARKER: rule, ID: digest.hexdigest()[:_ID_DIGITS]})


def is_marker(value: Json) -> bool:
    """True if a value has the shape of a marker."""
    return (
        isinstance(value, dict)
        and value.keys() == {MARKER, ID}
        and isinstance(value[MARKER], str)
        and isinstance(value[ID], str)
    )


def with_markers(raw: Json, removals: Iterable[Removal], key: MarkerKey) -> Json:
    """A copy of `raw` with a marker for each removal that concerns a secret. Shares unchanged parts.

    Never raises.

    `removals`: the removals at the boundary level `declared`, as pointers into `raw`.
    """
    copied = Copied(raw)
    for removal in removals:
        if removal.rule in SHOWN:
            continue
        tokens = split(removal.pointer)
        reached = tokens[: copied.reach(tokens)]
        value = copied.at(reached)
        if isinstance(value, Marker) or _is_within(copied, reached):
            continue
        copied.put(reached, key.marker(COPY if removal.rule == Rule.ECHO else removal.rule, value))
    return copied.value


def _is_within(copied: Copied, tokens: tuple[str, ...]) -> bool:
    """True if a path leads into a marker."""
    return any(isinstance(copied.at(tokens[:length]), Marker) for length in range(len(tokens)))


def places(value: Json, wanted: Callable[[Json], bool]) -> Iterator[Tokens]:
    """The paths to the values for which `wanted` is true. Markers are not searched inside."""
    return walk.places(value, wanted, closed=lambda item: isinstance(item, Marker))


def unforged(value: Json, key: MarkerKey) -> Json:
    """`value` with markers in place of objects that look like a marker but come from a server."""
    copied = Copied(value)
    for tokens in list(places(value, _is_forged)):
        copied.put(tokens, key.marker(Rule.INTERNAL, copied.at(tokens)))
    return copied.value


def _is_forged(value: Json) -> bool:
    return MARKER in keys_of(value) and not isinstance(value, Marker)


STANDS = re.compile(r"\[withheld [^\[\] ]+ [0-9a-f]{16}\]")
"""Matches the texts that `text_for` returns."""


def text_for(marker: JsonObject) -> str:
    """The text that a person, or the model of a replayed session, reads in place of the withheld value."""
    return f"[withheld {marker[MARKER]} {marker[ID]}]"


_MEANINGS = {
    "argument": "an argument that the input schema marks as sensitive",
    "copy": "a copy of a value that is withheld from the same result",
    "echo": "a copy of a value that was withheld earlier in the session",
    "earlier": "a copy of a value that only an earlier definition of the tool withholds",
    "query": "the query of a URL",
    "unjudged": "content that could not be judged, because no answer declares which values in it are secret",
}
"""By rule, what a marker replaces. Has only the rules that the boundary lacks or uses in another sense."""


def meanings_in(text: str) -> tuple[str, ...]:
    """Sentences that explain the placeholders in a text, one for each of their rules in `_MEANINGS`.

    A placeholder is a text that `text_for` returns.
    """
    rules = dict.fromkeys(found[0].split()[1] for found in STANDS.finditer(text))
    return tuple(
        f"[withheld {rule} …] is {_MEANINGS[rule]}; the recording has only an id of it"
        for rule in rules
        if rule in _MEANINGS
    )


_CODE = -32603
"""The code of an error that is entirely withheld: JSON-RPC's internal error."""


def stood_in(content: Json) -> Json:
    """The content of a recorded frame, with a placeholder for each marker. Shares unchanged parts."""
    if not _may_hold_markers(content):
        return content
    copied = Copied(content)
    mirrors: list[tuple[Tokens, JsonObject]] = []
    for tokens in list(places(content, is_marker)):
        marker = copied.at(tokens)
        if not isinstance(marker, dict):
            continue
        if marker["$withheld"] == Rule.MIRROR and tokens[-1:] == ("text",):
            mirrors.append((tokens, marker))
        else:
            copied.put(tokens, _stand_in(tokens, marker))
    for tokens, marker in mirrors:
        copied.put(tokens, _mirrored(copied, tokens, marker))
    return copied.value


def _may_hold_markers(content: Json) -> bool:
    """True if `content` has a key that only markers have.

    A quick test: it takes a fifth of the time of `places`.
    """
    waiting = [content]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            if MARKER in item:
                return True
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return False


def _stand_in(tokens: Tokens, marker: JsonObject) -> Json:
    text = text_for(marker)
    # A batch is a list of messages.
    match tokens[1:] if tokens and isinstance(tokens[0], int) else tokens:
        case ("result", "content", int()):
            return text_block(text)
        case ("result",):
            return {"content": [text_block(text)]}
        case ("error",):
            return {"code": _CODE, "message": text}
        case ("params",):
            return {"withheld": text}
        case _:
            return text


def _mirrored(copied: Copied, tokens: Tokens, marker: JsonObject) -> str:
    """The text of a block that repeats the structured content: the structured content as JSON text.

    If there is no structured content, the placeholder for `marker`.
    """
    try:
        return dump_text(copied.at((*tokens[: tokens.index("content")], "structuredContent")))
    except (LookupError, ValueError):
        return text_for(marker)


_OMITTED = frozenset({Rule.DETECT, Rule.INTERNAL, Rule.INVALID_OUTPUT, Rule.LABELLED})
"""The rules, besides `COPY`, whose placeholders `Result.omitted` names.

The boundary cannot tell a placeholder of these rules from other text of a recorded result. For all other
rules, the schema or a hint shows again where a value was withheld.
"""


def omitted(
    outcome: Iterable[tuple[str, JsonObject]], *, is_error: bool, of_page: bool = False
) -> dict[str, str]:
    """The value of `Result.omitted` for the markers in an outcome. For their rules, see `_OMITTED`.

    `outcome`: pairs of the pointer to a marker, and the marker.
    """
    found: dict[str, str] = {}
    for pointer, marker in outcome:
        rule, tokens = str(marker[MARKER]), split(pointer)
        # Older recordings have `echo` in place of `copy`. For a block or metadata, it can only mean `copy`.
        is_sure = (len(tokens) == 2 and tokens[0] == "content") or "_meta" in tokens[:-1]
        if rule == COPY or (rule == Rule.ECHO and is_sure and not of_page):
            found[text_for(marker)] = Rule.ECHO
        elif rule in _OMITTED:
            whole = ("error",) if is_error else ()
            found["" if tokens == whole else text_for(marker)] = rule
    return found


_MOST = 3
"""The maximum number of ids shown for one mask."""


def with_ids(masked: Json, recorded: Json) -> Json:
    """`masked`, with the ids of the withheld values in place of its masks.

    A mask without an id is not changed. `recorded`: the value from the recording before it was masked.
    """
    copied, whole = Copied(masked), Copied(recorded)
    for tokens in list(places(masked, lambda item: isinstance(item, str) and MASK in item)):
        shown = copied.at(tokens)
        copied.put(
            tokens, _shown_ids(whole.at(tokens)) if shown == MASK else _within(shown, whole.at(tokens))
        )
    return copied.value


def _within(masked: Json, recorded: Json) -> Json:
    """A text with the recorded ids in place of its masks; unchanged unless there is one id for each mask."""
    if not isinstance(masked, str) or not isinstance(recorded, str):
        return masked
    ids = STANDS.findall(recorded)
    parts = masked.split(MASK)
    if len(parts) != len(ids) + 1:
        return masked
    return "".join(part + found for part, found in zip(parts, (*ids, ""), strict=True))


def _shown_ids(value: Json) -> str:
    if isinstance(value, str) and STANDS.fullmatch(value):
        return value
    ids = list(dict.fromkeys(STANDS.findall(dump_text(value))))
    return " ".join((MASK, *ids[:_MOST])) if ids else MASK
