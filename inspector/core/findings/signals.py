"""Whether a text gives orders to a model: several weak signals, added up, with the reasons.

No single word decides. A signal is a small pattern over the words of one sentence: who is told to do what, with
what, and who is not to learn of it. Sources: the WebMCP draft, 6.3.1; the attack classes that are public for MCP
(tool poisoning, shadowing, hidden text, poisoned parameters). Cost: linear in the text, whatever it says.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.core.findings.prose import Prose, prose_of
from inspector.core.findings.signs import BEGINNINGS, signs_of
from inspector.core.findings.texts import Place, Text

SUSPECT, SURE = 4.0, 7.0
"""The scores from which on a text is a finding, and one of high confidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One sign."""

    weight: float
    reason: str
    """In words of ours."""
    at: int
    """The character at which the sentence starts that gives it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """All signs in one text."""

    score: float
    reasons: tuple[str, ...]
    """The heaviest first."""
    at: int
    """Where the heaviest one is: a character of the text as sent."""


_QUIET = Judgement(score=0.0, reasons=(), at=0)


def judged(text: Text, *, hidden: bool = False) -> Judgement:
    """What the signs in a text add up to; each reason counts once. `hidden`: whether it holds hidden characters."""
    prose = prose_of(text.text)
    found = list(_signals(prose))
    if found and hidden:
        found.append(Signal(weight=3, reason="it holds hidden characters", at=0))
    if text.place is not Place.PROSE and sum(signal.weight for signal in found) >= 2:
        reason = f"it stands in a {text.place.value}, where no prose is due"
        found.append(Signal(weight=1, reason=reason, at=0))
    if not found:
        return _QUIET
    best: dict[str, Signal] = {}
    for signal in found:
        if signal.reason not in best or best[signal.reason].weight < signal.weight:
            best[signal.reason] = signal
    ranked = sorted(best.values(), key=lambda signal: -signal.weight)
    return Judgement(
        score=sum(signal.weight for signal in ranked),
        reasons=tuple(signal.reason for signal in ranked),
        at=prose.original(ranked[0].at),
    )


def _signals(prose: Prose) -> Iterator[Signal]:
    if prose.markup is not None:
        yield Signal(
            weight=3, reason="it imitates the markup of a prompt or of a system message", at=prose.markup
        )
    for sentence in prose.sentences:
        # Nearly all sentences hold no word that a sign begins with.
        if prose.paths or not BEGINNINGS.isdisjoint(sentence.words) or prose.addressed:
            for weight, reason in signs_of(sentence.words, paths=prose.paths):
                yield Signal(weight=weight, reason=reason, at=sentence.at)
    if prose.shouts is not None:
        yield Signal(weight=1, reason="it insists", at=prose.shouts)
    if prose.threat is not None:
        yield Signal(weight=1, reason="it threatens that things go wrong otherwise", at=prose.threat)
