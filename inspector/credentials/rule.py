"""What one rule of the second layer is."""

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialRule:
    """One published form of a credential."""

    id: str
    """In kebab-case; stable, since policies and findings name it."""
    title: str
    """What was found, as a person calls it: `GitHub token`."""
    keywords: tuple[str, ...]
    """Lower-case ASCII. Where none of them occurs in the case-folded text, the pattern is not tried."""
    pattern: re.Pattern[str]
    """Linear: what it repeats is a class of characters, bounded and possessive. A group `secret` narrows
    the match to what has to be kept.
    """
    accepts: Callable[[str], bool] | None = None
    """A further look at what was matched (entropy, a decoded header); None accepts all of it."""
