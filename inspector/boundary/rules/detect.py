"""`detect`: reports text that looks like a credential, or withholds it if the policy says so.

It helps where declarations are missing, and it does not find everything. Source: docs/credentials.md.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import accumulate, chain

from msgspec.structs import replace

from inspector.boundary.bounded import MOST_PASSING, PassingCredential, Rule
from inspector.boundary.copies import WEAK, copy_reason, with_safe_pointers
from inspector.boundary.draft import Credentials, Draft, Reason, Texts
from inspector.boundary.echoes import Echoes
from inspector.boundary.passing import places_of, with_texts, without
from inspector.credentials.find import may_hold, sightings
from inspector.json.exact import Json
from inspector.json.texts import batches
from inspector.json.walk import below

_SHORTEST = 10
"""The minimum length, in characters, of a text in which a credential rule can match."""
_BETWEEN = "\n\0"
"""The separator between texts that are searched together.

No match of a credential rule contains one of its characters, and a credential can end before each of them.
"""
_ENTERED = frozenset({dict, list})
_CREDENTIAL_KEY = re.compile(r"pass|secret|token|key|credential|auth|pwd", re.IGNORECASE)


def apply(draft: Draft) -> Draft:
    """Add remarks on the values that look like credentials.

    If the policy withholds credentials, withhold these values and all copies of them instead.
    """
    draft, found = credentials(draft)
    titles = {**draft.credentials.titles, **found.titles}
    if not titles:
        return draft
    if draft.policy.withhold_credentials:
        return _withheld(draft, titles, draft.credentials.values | found.values)
    unwanted = Texts(values=dict.fromkeys(titles), keys=set(titles))
    removals, count = places_of(draft, unwanted, partial(_every_reason, titles), MOST_PASSING)
    more = [f"{count - MOST_PASSING} more places look like credentials"] if count > MOST_PASSING else []
    passing = tuple(
        PassingCredential(pointer=draft.place(removal.pointer), detail=removal.detail) for removal in removals
    )
    remarks = (credential.remark for credential in passing)
    return replace(draft, passing=passing).remarking(*remarks, *more)


def _withheld(draft: Draft, titles: Mapping[str, tuple[str, ...]], values: frozenset[str]) -> Draft:
    """The draft without the texts that look like credentials, and without copies of `values`."""
    draft, texts = with_texts(draft)
    echoes = Echoes(sorted(values), names=draft.contract.names)
    if echoes.is_weak:
        draft = draft.remarking(WEAK)
    copies, keys = echoes.matches(texts.values), echoes.matches(texts.keys)
    spellings = {**keys, **copies}

    def reason_for(text: str) -> Reason:
        return _reason(titles, text) if text in titles else copy_reason(spellings, text)

    unwanted = Texts(values=dict.fromkeys((*titles, *copies)), keys={*titles, *keys})
    return with_safe_pointers(without(draft, unwanted, reason_for), echoes)


def _reason(titles: Mapping[str, tuple[str, ...]], text: str) -> Reason:
    return Reason(rule=Rule.DETECT, detail=f"it looks like a credential: {titles[text][-1]}")


def _every_reason(titles: Mapping[str, tuple[str, ...]], text: str) -> Reason:
    """The reason to report a text that passes. It names all kinds of credentials in the text."""
    what = "a credential" if len(titles[text]) == 1 else "credentials"
    return Reason(rule=Rule.DETECT, detail=f"it looks like {what}: {', '.join(titles[text])}")


def credentials(draft: Draft) -> tuple[Draft, Credentials]:
    """`draft` with its texts cached, and those of its texts that look like credentials."""
    draft, texts = with_texts(draft)
    titles: dict[str, tuple[str, ...]] = {}
    values = set[str]()
    for text, title, value in _matches(draft, texts):
        # `_reason` names only the last title, so the title of a later match goes to the end.
        titles[text] = (*(other for other in titles.get(text, ()) if other != title), title)
        values.add(value)
    return draft, Credentials(titles=titles, values=frozenset(values))


def _matches(draft: Draft, texts: Texts) -> Iterator[tuple[str, str, str]]:
    """Each match in a text of the draft: the text, the title of the credential rule, and the credential."""
    long = [text for text in chain(texts.values, texts.keys) if len(text) >= _SHORTEST]
    for searched, owners in batches(long):
        yield from _matches_in(searched, owners)
    suspects = set(filter(_CREDENTIAL_KEY.search, texts.all_keys))
    if suspects and draft.structured and not draft.structured.gone:
        assignments = _assignments(draft.structured.value, suspects)
        for searched, owners in batches(assignments):
            for inner, title, _ in _matches_in(searched, [assignments[owner] for owner in owners]):
                # The key makes the whole value a credential.
                yield inner, title, inner


def _matches_in(searched: list[str], texts: list[str]) -> Iterator[tuple[str, str, str]]:
    """Each match in one of `texts`: the text, the title of the credential rule, and the credential.

    `searched`: for each of `texts`, the form in which it is searched.
    """
    joined = _BETWEEN.join(searched)
    if not may_hold(joined):
        return
    starts = tuple(accumulate((len(text) + len(_BETWEEN) for text in searched), initial=0))
    for sighting in sightings(joined):
        first, last = bisect_right(starts, sighting.start) - 1, bisect_right(starts, sighting.end - 1)
        for index in range(first, last):
            start = max(sighting.start, starts[index])
            end = min(sighting.end, starts[index + 1] - len(_BETWEEN))
            yield texts[index], sighting.rule.title, joined[start:end]


def _assignments(value: Json, suspects: set[str]) -> dict[str, str]:
    """For each member whose key is in `suspects`: an assignment such as `key = "value"`, and the value."""
    assignments: dict[str, str] = {}
    level = [value]
    while level:
        for item in level:
            if isinstance(item, dict):
                for key in suspects.intersection(item):
                    inner = item[key]
                    if isinstance(inner, str) and len(inner) >= _SHORTEST:
                        assignments[f'{key} = "{inner}"'] = inner
        level = [one for piece in below(level) for one in piece if type(one) in _ENTERED]
    return assignments
