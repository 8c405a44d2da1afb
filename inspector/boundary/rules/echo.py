"""`echo`: nothing passes in which a value occurs that is withheld elsewhere, however it is spelt there.

Source: WebMCP issue 110, "Agent exposure rules"; docs/decisions/0005-echoes.md.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from inspector.boundary.bounded import Level, Removal, Rule
from inspector.boundary.draft import Draft, Reason, Texts
from inspector.boundary.echoes import Echoes
from inspector.boundary.mask import SHOWN
from inspector.boundary.passing import KNOWN_KEYS, with_texts, without
from inspector.boundary.reading import PROTOCOL_MEMBERS
from inspector.boundary.removals import Noted
from inspector.boundary.spellings import Spelling
from inspector.json.pointer import join, resolve, split
from inspector.json.texts import keys_in, texts_in

_AT_THE_ROOT = PROTOCOL_MEMBERS | {"error"}
"""Keys that begin pointers, and are the protocol's words."""

_WEAK = (
    "a withheld value is too short or too common to be told from chance: where it is repeated, it may pass"
)


def apply(draft: Draft) -> Draft:
    """The draft without the leaves, blocks and entries that repeat a withheld value."""
    secrets, names = draft.secrets, draft.contract.names
    released = (secrets.hinted, _released(draft))
    echoes = Echoes((*secrets.declared, *secrets.personal), names=names, but=released)
    if echoes.is_weak:
        draft = draft.finding(_WEAK)
    if echoes.is_empty:
        return draft
    draft, texts = with_texts(draft)
    said, keys = echoes.found(texts.said), echoes.found(texts.keys)
    if said or keys:
        draft = without(draft, Texts(said=set(said), keys=set(keys)), partial(_reason, {**keys, **said}))
    if secrets.personal:
        # What is for the user alone may be shown to the user, and repeats itself.
        echoes = Echoes(secrets.declared, names=names, but=released)
    return _told_safely(draft, echoes)


def _reason(spellings: Mapping[str, Spelling], text: str) -> Reason:
    detail = f"a value that is withheld elsewhere occurs in it, {spellings[text].value}"
    return Reason(rule=Rule.ECHO, detail=detail)


def _told_safely(draft: Draft, echoes: Echoes) -> Draft:
    """The draft whose removals lead to no key that repeats a secret, and know of repetitions in what is gone already."""
    taken = set[str]()
    for removal in _shown(draft):
        texts_in(resolve(draft.raw, removal.pointer), taken, set())
    said = echoes.found(taken)
    bad_keys = echoes.found(keys_in(draft.raw) - draft.contract.names - KNOWN_KEYS - _AT_THE_ROOT)
    if bad_keys:
        draft = replace(draft, removals=draft.removals.changed(partial(_without_key, bad_keys)))
    found = {**bad_keys, **said}
    texts = ((removal, _text_in(draft, removal, found)) for removal in _shown(draft))
    return draft.removing([_reason(found, text).at(removal.pointer) for removal, text in texts if text])


def _shown(draft: Draft) -> list[Removal]:
    """The removals that leave in sight what they keep from the model: at `closed` none, since `declared` decides that."""
    if draft.level is Level.CLOSED:
        return []
    segments = [segment for segment in draft.removals.segments if not isinstance(segment, Noted)]
    return [removal for segment in segments for removal in segment if removal.rule in SHOWN]


def _text_in(draft: Draft, removal: Removal, found: Mapping[str, Spelling]) -> str:
    """One of the texts found in what was removed; empty where none is."""
    texts = set[str]()
    texts_in(resolve(draft.raw, removal.pointer), texts, texts)
    return min(texts & found.keys(), default="")


def _without_key(keys: Mapping[str, Spelling], removal: Removal) -> Removal:
    """The removal, pointing no further than to what holds the first of `keys` on its way."""
    tokens = split(removal.pointer)
    first = next((index for index, token in enumerate(tokens) if token in keys), None)
    return replace(removal, pointer=join(tokens[:first]))


def _released(draft: Draft) -> set[str]:
    """What positions marked `"x-sensitive": false` say: no secret, though a result that is sensitive says it too."""
    released = set[str]()
    if draft.hint and draft.structured and not draft.structured.gone:
        texts_in(draft.structured.value, released, set())
    return released
