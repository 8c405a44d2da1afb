"""`detect`: the second layer. Credential-shaped strings in what is forwarded are findings; policy may withhold them.

Another net behind the declarations, and one that has holes: docs/credentials.md.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate

from inspector.core.boundary.bounded import Rule
from inspector.core.boundary.draft import Draft, Reason
from inspector.core.boundary.passing import Texts, texts_passing, without
from inspector.core.credentials.find import may_hold, sightings
from inspector.core.json_text import Json

MAX_TOLD = 20
"""Places in findings; more are counted."""

_SHORTEST = 8
_BATCH = 1_000_000
_BETWEEN = "\0"
_TELLING_KEY = re.compile(r"pass|secret|token|key|credential|auth|pwd", re.IGNORECASE)


def apply(draft: Draft) -> Draft:
    """The draft with a finding for each place that looks like a credential, or without those places."""
    titles = dict(_found(draft))
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


def _found(draft: Draft) -> Iterator[tuple[str, str]]:
    """The texts that look like credentials, and as what."""
    texts = texts_passing(draft, at_least=_SHORTEST)
    for batch in _batches(texts.said | texts.keys):
        yield from _seen(batch, batch)
    if draft.structured and not draft.structured.gone:
        named = _named(draft.structured.value)
        yield from _seen(list(named), list(named.values()))


def _seen(searched: list[str], texts: list[str]) -> Iterator[tuple[str, str]]:
    """`texts` by whether the text searched for each looks like a credential."""
    joined = _BETWEEN.join(searched)
    if not may_hold(joined):
        return
    starts = tuple(accumulate((len(text) + 1 for text in searched), initial=0))
    for sighting in sightings(joined):
        first, last = bisect_right(starts, sighting.start) - 1, bisect_right(starts, sighting.end - 1)
        for index in range(first, last):
            yield texts[index], sighting.rule.title


def _named(value: Json) -> dict[str, str]:
    """Members whose key says that they may be credentials, written as an assignment; each with its value."""
    found: dict[str, str] = {}
    telling: dict[str, bool] = {}
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            stack.extend(below for below in item if isinstance(below, (dict, list)))
        elif isinstance(item, dict):
            for key, below in item.items():
                if isinstance(below, (dict, list)):
                    stack.append(below)
                elif isinstance(below, str) and len(below) >= _SHORTEST:
                    if key not in telling:
                        telling[key] = _TELLING_KEY.search(key) is not None
                    if telling[key]:
                        found[f'{key} = "{below}"'] = below
    return found


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size >= _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
