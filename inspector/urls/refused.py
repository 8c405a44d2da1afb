"""What is not redeemed, and why."""

from dataclasses import dataclass

from inspector.safe_text import safe_line

_QUOTED_CHARACTERS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Nothing was sent."""

    reason: str
    """In one line, without a full stop. Foreign text in it is safe and short; never part of a query."""
    hint: str = ""
    """What the user can do; empty where there is nothing."""


def quoted(text: str) -> str:
    """Foreign text for a reason: safe, on one line, cut."""
    shown = safe_line(text[:_QUOTED_CHARACTERS])
    return f"{shown}…" if len(text) > _QUOTED_CHARACTERS else shown
