"""`detect`: the second layer. Credential-shaped strings in what is forwarded are findings; policy may withhold them.

Another net behind the declarations, and one that has holes: docs/credentials.md.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate, chain

from inspector.boundary.bounded import Rule
from inspector.boundary.draft import Draft, Reason, Texts
from inspector.boundary.passing import with_texts, without
from inspector.credentials.find import may_hold, sightings
from inspector.json.exact import Json
from inspector.json.texts import batches

MAX_TOLD = 20
"""Places in findings; more are counted."""

_SHORTEST = 10
"""Of what any rule finds, with what it stands in."""
_BETWEEN = "\n\0"
"""No rule goes past the one or the other, and for each a credential may end before it."""
_TELLING_KEY = re.compile(r"pass|secret|token|key|credential|auth|pwd", re.IGNORECASE)


def apply(draft: Draft) -> Draft:
    """The draft with a finding for each place that looks like a credential, or without those places."""
    draft, texts = with_texts(draft)
    titles = dict(_found(draft, texts))
    if not titles:
        return draft

    def reason_for(text: str) -> Reason:
        return Reason(rule=Rule.DETECT, detail=f"it looks like a credential: {titles[text]}")

    left = without(draft, Texts(said=set(titles), keys=set(titles)), reason_for)
    if draft.policy.withhold_credentials:
        return left
    told = left.removals[len(draft.removals) :]
    more = [f"{len(told) - MAX_TOLD} more places look like credentials"] if len(told) > MAX_TOLD else []
    places = (f"{removal.detail}, at {removal.pointer or 'the root'}" for removal in told[:MAX_TOLD])
    return draft.finding(*places, *more)


def _found(draft: Draft, texts: Texts) -> Iterator[tuple[str, str]]:
    """The texts that look like credentials, and as what."""
    long = (text for text in chain(texts.said, texts.keys) if len(text) >= _SHORTEST)
    for searched, owners in batches(long):
        yield from _seen(searched, owners)
    telling = set(filter(_TELLING_KEY.search, texts.all_keys))
    if telling and draft.structured and not draft.structured.gone:
        named = _named(draft.structured.value, telling)
        for searched, owners in batches(named):
            yield from _seen(searched, [named[owner] for owner in owners])


def _seen(searched: list[str], texts: list[str]) -> Iterator[tuple[str, str]]:
    """`texts` by whether the text searched for each looks like a credential."""
    joined = _BETWEEN.join(searched)
    if not may_hold(joined):
        return
    starts = tuple(accumulate((len(text) + len(_BETWEEN) for text in searched), initial=0))
    for sighting in sightings(joined):
        first, last = bisect_right(starts, sighting.start) - 1, bisect_right(starts, sighting.end - 1)
        for index in range(first, last):
            yield texts[index], sighting.rule.title


def _named(value: Json, telling: set[str]) -> dict[str, str]:
    """Members whose key says that they may be credentials, written as an assignment; each with its value."""
    found: dict[str, str] = {}
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, dict):
            stack.extend(item.values())
            for key, below in item.items():
                if key in telling and isinstance(below, str) and len(below) >= _SHORTEST:
                    found[f'{key} = "{below}"'] = below
    return found
