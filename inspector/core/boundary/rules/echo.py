"""`echo`: nothing passes in which a value occurs that is withheld elsewhere, however it is spelt there.

Source: WebMCP issue 110, "Agent exposure rules"; docs/decisions/0005-echoes.md.
"""

from inspector.core.boundary.bounded import Rule
from inspector.core.boundary.draft import Draft, Reason, Texts
from inspector.core.boundary.passing import with_texts, without
from inspector.core.echoes import Echoes
from inspector.core.texts import texts_in

_WEAK = (
    "a withheld value is too short or too common to be told from chance: where it is repeated, it may pass"
)


def apply(draft: Draft) -> Draft:
    """The draft without the leaves, blocks and entries that repeat a withheld value."""
    if not draft.secrets and not draft.hinted:
        return draft
    positions = draft.contract.positions
    names = positions.names if positions else frozenset[str]()
    echoes = Echoes(draft.secrets, names=names, but=(draft.hinted, _released(draft)))
    if echoes.is_weak:
        draft = draft.finding(_WEAK)
    if echoes.is_empty:
        return draft
    draft, texts = with_texts(draft)
    said, keys = echoes.found(texts.said), echoes.found(texts.keys)
    if not said and not keys:
        return draft
    spellings = {**keys, **said}

    def reason_for(text: str) -> Reason:
        detail = f"a value that is withheld elsewhere occurs in it, {spellings[text].value}"
        return Reason(rule=Rule.ECHO, detail=detail)

    return without(draft, Texts(said=set(said), keys=set(keys)), reason_for)


def _released(draft: Draft) -> set[str]:
    """What positions marked `"x-sensitive": false` say: no secret, though a result that is sensitive says it too."""
    released = set[str]()
    if draft.hint and draft.structured and not draft.structured.gone:
        texts_in(draft.structured.value, released, set())
    return released
