"""`echo`: withholds every copy of a withheld value, in any spelling.

Source: WebMCP issue 110, "Agent exposure rules"; docs/decisions/0005-echoes.md.
"""

from collections.abc import Mapping
from functools import partial

from msgspec.structs import replace

from inspector.boundary.bounded import Level, Removal, Rule
from inspector.boundary.draft import Draft, Reason, Searched, Texts
from inspector.boundary.echoes import Echoes
from inspector.boundary.mask import SHOWN
from inspector.boundary.passing import KNOWN_KEYS, with_texts, without
from inspector.boundary.reading import PROTOCOL_MEMBERS
from inspector.boundary.removals import NotedRemovals
from inspector.boundary.spellings import Spelling
from inspector.json.pointer import join, resolve, split
from inspector.json.texts import keys_in, texts_in

_AT_THE_ROOT = PROTOCOL_MEMBERS | {"error"}
"""Keys at the start of pointers that the protocol defines."""

_WEAK = (
    "a withheld value is too short or too common to be told from chance: where it is repeated, it may pass"
)


def apply(draft: Draft) -> Draft:
    """Withhold the leaves, blocks and entries that contain a withheld value."""
    secrets, names = draft.secrets, draft.contract.names
    released = (secrets.hinted, _released(draft))
    echoes = Echoes((*secrets.declared, *secrets.personal), names=names, but=released)
    if echoes.is_weak:
        draft = draft.remarking(_WEAK)
    if echoes.is_empty:
        return draft
    draft, texts = with_texts(draft)
    if draft.searched:
        values, keys = draft.searched.again(echoes, texts)
    else:
        values, keys = echoes.matches(texts.values), echoes.matches(texts.keys)
        draft = replace(draft, searched=Searched(echoes=echoes, texts=texts, values=values, keys=keys))
    if values or keys:
        draft = without(
            draft, Texts(values=dict.fromkeys(values), keys=set(keys)), partial(_reason, {**keys, **values})
        )
    if secrets.personal:
        # Content for the user only may be shown to the user, and contains itself.
        echoes = Echoes(secrets.declared, names=names, but=released)
    return _with_safe_pointers(draft, echoes)


def _reason(spellings: Mapping[str, Spelling], text: str) -> Reason:
    detail = f"it contains a copy of a withheld value, {spellings[text].value}"
    return Reason(rule=Rule.ECHO, detail=detail)


def _with_safe_pointers(draft: Draft, echoes: Echoes) -> Draft:
    """Cut pointers at keys that contain a secret, and add removals for copies in parts that the user still sees."""
    visible = set[str]()
    for removal in _shown(draft):
        texts_in(resolve(draft.raw, removal.pointer), visible, set())
    copies = echoes.matches(visible)
    bad_keys = echoes.matches(keys_in(draft.raw) - draft.contract.names - KNOWN_KEYS - _AT_THE_ROOT)
    if bad_keys:
        draft = replace(draft, removals=draft.removals.changed(partial(_without_key, bad_keys)))
    spellings = {**bad_keys, **copies}
    texts = ((removal, _text_in(draft, removal, spellings)) for removal in _shown(draft))
    return draft.removing([_reason(spellings, text).at(removal.pointer) for removal, text in texts if text])


def _shown(draft: Draft) -> list[Removal]:
    """The removals of parts that the user still sees.

    Empty at level `closed`: there, the level `declared` decides what the user sees.
    """
    if draft.level is Level.CLOSED:
        return []
    segments = [segment for segment in draft.removals.segments if not isinstance(segment, NotedRemovals)]
    return [removal for segment in segments for removal in segment if removal.rule in SHOWN]


def _text_in(draft: Draft, removal: Removal, spellings: Mapping[str, Spelling]) -> str:
    """One of the texts of `spellings` in a removed part; empty if there is none."""
    texts = set[str]()
    texts_in(resolve(draft.raw, removal.pointer), texts, texts)
    return min(texts & spellings.keys(), default="")


def _without_key(keys: Mapping[str, Spelling], removal: Removal) -> Removal:
    """The removal with its pointer cut before the first of `keys`."""
    tokens = split(removal.pointer)
    first = next((index for index, token in enumerate(tokens) if token in keys), None)
    return replace(removal, pointer=join(tokens[:first]))


def _released(draft: Draft) -> set[str]:
    """Texts that the schema marks `"x-sensitive": false`: not secret, even in a sensitive result."""
    released = set[str]()
    if draft.hint and draft.structured and not draft.structured.gone:
        texts_in(draft.structured.value, released, set())
    return released
