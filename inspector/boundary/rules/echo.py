"""`echo`: withholds every copy of a withheld value, in any spelling.

Source: WebMCP issue 110, "Agent exposure rules"; docs/decisions/0005-echoes.md.
"""

from functools import partial

from msgspec.structs import replace

from inspector.boundary.copies import WEAK, copy_reason, with_safe_pointers
from inspector.boundary.draft import Draft, Searched, Texts
from inspector.boundary.echoes import Echoes
from inspector.boundary.passing import with_texts, without
from inspector.json.texts import texts_in


def apply(draft: Draft) -> Draft:
    """Withhold the leaves, members and content blocks that contain a copy of a withheld value."""
    secrets, names = draft.secrets, draft.contract.names
    released = (secrets.hinted, _released(draft))
    echoes = Echoes((*secrets.declared, *secrets.personal), names=names, but=released)
    if echoes.is_weak:
        draft = draft.remarking(WEAK)
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
            draft,
            Texts(values=dict.fromkeys(values), keys=set(keys)),
            partial(copy_reason, {**keys, **values}),
        )
    if secrets.personal:
        # Content for the user only is shown to the user, so it must not count as a copy of itself.
        echoes = Echoes(secrets.declared, names=names, but=released)
    return with_safe_pointers(draft, echoes)


def _released(draft: Draft) -> set[str]:
    """Texts that the schema marks `"x-sensitive": false`, which are not secret even in a sensitive result."""
    released = set[str]()
    if draft.hint and draft.structured and not draft.structured.gone:
        texts_in(draft.structured.value, released, set())
    return released
