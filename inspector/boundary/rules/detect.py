"""`detect`: reports text that looks like a credential, or withholds it if the policy says so.

It helps where declarations are missing, and it does not find everything: docs/credentials.md.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate, chain

from inspector.boundary.bounded import Rule
from inspector.boundary.draft import Draft, Reason, Texts
from inspector.boundary.passing import places_of, with_texts, without
from inspector.credentials.find import may_hold, sightings
from inspector.json.exact import Json
from inspector.json.texts import batches
from inspector.json.walk import below

MAX_LISTED = 20
"""The maximum number of places that get a remark each; more are only counted."""

_SHORTEST = 10
"""The minimum length of a match of any rule, including its context."""
_BETWEEN = "\n\0"
"""Separates texts that are searched together.

No rule matches across either character, and a credential may end before each.
"""
_ENTERED = frozenset({dict, list})
_CREDENTIAL_KEY = re.compile(r"pass|secret|token|key|credential|auth|pwd", re.IGNORECASE)


def apply(draft: Draft) -> Draft:
    """Add a remark on each place that looks like a credential, or withhold these places."""
    draft, found = credentials(draft)
    titles = {**draft.credentials, **found}
    if not titles:
        return draft

    def reason_for(text: str) -> Reason:
        return Reason(rule=Rule.DETECT, detail=f"it looks like a credential: {titles[text]}")

    unwanted = Texts(values=dict.fromkeys(titles), keys=set(titles))
    if draft.policy.withhold_credentials:
        return without(draft, unwanted, reason_for)
    removals, count = places_of(draft, unwanted, reason_for, MAX_LISTED)
    more = [f"{count - MAX_LISTED} more places look like credentials"] if count > MAX_LISTED else []
    places = (f"{removal.detail}, at {draft.place(removal.pointer) or 'the root'}" for removal in removals)
    return draft.remarking(*places, *more)


def credentials(draft: Draft) -> tuple[Draft, dict[str, str]]:
    """The texts that would reach the model and look like credentials, each with the title of the rule."""
    draft, texts = with_texts(draft)
    return draft, dict(_matches(draft, texts))


def _matches(draft: Draft, texts: Texts) -> Iterator[tuple[str, str]]:
    """The texts that look like credentials, each with the title of the rule that matches."""
    long = [text for text in chain(texts.values, texts.keys) if len(text) >= _SHORTEST]
    for searched, owners in batches(long):
        yield from _matches_in(searched, owners)
    suspects = set(filter(_CREDENTIAL_KEY.search, texts.all_keys))
    if suspects and draft.structured and not draft.structured.gone:
        assignments = _assignments(draft.structured.value, suspects)
        for searched, owners in batches(assignments):
            yield from _matches_in(searched, [assignments[owner] for owner in owners])


def _matches_in(searched: list[str], texts: list[str]) -> Iterator[tuple[str, str]]:
    """Each of `texts` whose searched text looks like a credential, and the title of the rule that matches."""
    joined = _BETWEEN.join(searched)
    if not may_hold(joined):
        return
    starts = tuple(accumulate((len(text) + len(_BETWEEN) for text in searched), initial=0))
    for sighting in sightings(joined):
        first, last = bisect_right(starts, sighting.start) - 1, bisect_right(starts, sighting.end - 1)
        for index in range(first, last):
            yield texts[index], sighting.rule.title


def _assignments(value: Json, suspects: set[str]) -> dict[str, str]:
    """Members with a credential's key, as text in the form of an assignment; maps the text to the value."""
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
