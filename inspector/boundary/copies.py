"""Gives the reason to withhold a copy of a withheld value, and hides copies that the user would still see.

The user would see such copies in pointers, and in parts that are withheld only from the model.
"""

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from functools import partial

from msgspec.structs import replace

from inspector.boundary.bounded import Level, Removal, Rule
from inspector.boundary.draft import Draft, Reason
from inspector.boundary.echoes import Echoes
from inspector.boundary.mask import SHOWN
from inspector.boundary.passing import KNOWN_KEYS
from inspector.boundary.reading import PROTOCOL_MEMBERS
from inspector.boundary.removals import NotedRemovals
from inspector.boundary.spellings import Spelling
from inspector.json.pointer import join, resolve, split
from inspector.json.texts import keys_in, texts_in

_AT_THE_ROOT = PROTOCOL_MEMBERS | {"error"}
"""Keys of the protocol that can be the first token of a pointer."""

WEAK = "a withheld value is too short or too common to be told from chance: where it is repeated, it may pass"


def copy_reason(spellings: Mapping[str, Spelling], text: str) -> Reason:
    """The reason to withhold `text`, which contains a copy of a withheld value.

    `spellings`: for each text, the spelling of the copy in the text.
    """
    detail = f"it contains a copy of a withheld value, {spellings[text].value}"
    return Reason(rule=Rule.ECHO, detail=detail)


def with_safe_pointers(draft: Draft, echoes: Echoes) -> Draft:
    """Cut pointers at keys that contain a secret, and add removals for copies in parts that the user still sees."""
    visible = set[str]()
    for removal in _shown(draft):
        texts_in(resolve(draft.raw, removal.pointer), visible, set())
    copies = echoes.matches(visible)
    bad_keys = echoes.matches(keys_in(draft.raw) - draft.contract.names - KNOWN_KEYS - _AT_THE_ROOT)
    if bad_keys:
        draft = replace(draft, removals=draft.removals.changed(partial(_without_key, bad_keys)))
    spellings = {**bad_keys, **copies}
    return with_copies_shown(draft, spellings.keys(), partial(copy_reason, spellings))


def with_copies_shown(draft: Draft, texts: AbstractSet[str], reason_for: Callable[[str], Reason]) -> Draft:
    """Add removals for those of `texts` that are in parts which the user still sees."""
    found = ((removal, _text_in(draft, removal, texts)) for removal in _shown(draft))
    return draft.removing([reason_for(text).at(removal.pointer) for removal, text in found if text])


def _shown(draft: Draft) -> list[Removal]:
    """The removals of parts that the user still sees.

    Empty at level `closed`, because what the user sees depends only on the removals of level `declared`.
    """
    if draft.level is Level.CLOSED:
        return []
    segments = [segment for segment in draft.removals.segments if not isinstance(segment, NotedRemovals)]
    return [removal for segment in segments for removal in segment if removal.rule in SHOWN]


def _text_in(draft: Draft, removal: Removal, texts: AbstractSet[str]) -> str:
    """One of `texts` in a removed part; empty if there is none."""
    found = set[str]()
    texts_in(resolve(draft.raw, removal.pointer), found, found)
    return min(found & texts, default="")


def _without_key(keys: Mapping[str, Spelling], removal: Removal) -> Removal:
    """A copy of the removal with its pointer cut before the first token that is in `keys`."""
    tokens = split(removal.pointer)
    first = next((index for index, token in enumerate(tokens) if token in keys), None)
    return replace(removal, pointer=join(tokens[:first]))
