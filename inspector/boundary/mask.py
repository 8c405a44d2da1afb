"""Masks sensitive parts of the raw result for the screen; everything else is as sent."""

from collections.abc import Iterable

from inspector.boundary.bounded import Removal, Rule
from inspector.json.edit import Copied
from inspector.json.exact import Json
from inspector.json.pointer import split

MASK = "••••••••"
"""The length is constant, so it reveals nothing."""

SHOWN: frozenset[str] = frozenset(
    {
        Rule.AUDIENCE,
        Rule.ERROR,
        Rule.META,
        Rule.NO_CONTRACT,
        Rule.POLICY,
        Rule.UNDECLARED,
        Rule.UNFINISHED,
        Rule.UNKNOWN_CONTENT,
        Rule.UNTRUSTED,
    }
)
"""Rules that keep a value from the model but not from the user. All other rules concern secrets."""


def mask(result: Json, removals: Iterable[Removal]) -> Json:
    """Masks the sensitive ones among `removals` in `result`. Shares unchanged parts; never raises.

    `removals`: those of `declared`, at every level. `open` has none, and `closed` withholds as free text what `declared`
    identifies as secret.
    """
    copied = Copied(result)
    for removal in removals:
        if removal.rule not in SHOWN:
            _mask(copied, split(removal.pointer))
    return copied.value


def _mask(copied: Copied, tokens: tuple[str, ...]) -> None:
    """Masks the value at the tokens; if there is none, the innermost container that exists."""
    path = tokens[: copied.reach(tokens)]
    if copied.at(path) is not MASK:
        copied.put(path, MASK)
