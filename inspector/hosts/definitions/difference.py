"""Differences between a definition as sent and as a model gets it."""

from dataclasses import dataclass
from enum import StrEnum

from inspector.claims.claim import Claim

LOOSENED = "loosened"
"""The rule of a difference that withholds nothing: a bounded result would not fit what was sent."""


class Step(StrEnum):
    """Which of the two steps makes a difference."""

    BOUNDARY = "boundary"
    HOST = "host"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Something of a definition that does not reach the model, or not as it was."""

    pointer: str
    """Into the definition as sent; resolves there."""
    step: Step
    what: str
    """In a sentence for the user. Quotes nothing of the definition."""
    rule: str = ""
    """Of the boundary: one of `Rule`, or `loosened`; empty for a host."""
    claim: Claim | None = None
    """The declaration behind it; None where there is none."""
