"""The raw result as it may be shown: withheld sensitive parts are masked, everything else stands as sent."""

from collections.abc import Iterable

from inspector.boundary.bounded import Removal, Rule
from inspector.json.edit import Copied
from inspector.json.exact import Json
from inspector.json.pointer import split

MASK = "••••••••"
"""Of one length, whatever it stands for."""

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
"""Rules that keep from a model what the user may well see. Every other rule is about secrets, or may be."""


def mask(result: Json, removals: Iterable[Removal]) -> Json:
    """`result` with the sensitive ones among `removals` masked. Shares what it does not change; never raises.

    `removals`: those of `declared`, whatever boundary is in force. `open` has none, and `closed` withholds as free text
    what `declared` knows to be secret.
    """
    copied = Copied(result)
    for removal in removals:
        if removal.rule not in SHOWN:
            _mask(copied, split(removal.pointer))
    return copied.value


def _mask(copied: Copied, tokens: tuple[str, ...]) -> None:
    """Mask the value where the tokens lead; where that is nowhere, the last container on the way."""
    found = tokens[: copied.reach(tokens)]
    if copied.at(found) is not MASK:
        copied.put(found, MASK)
