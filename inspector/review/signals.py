"""Whether a text gives orders to a model: several weak signals, added up, with the reasons.

No single word decides. A signal is a small pattern over the words of one sentence: who is told to do what, with
what, and who is not to learn of it. Sources: the WebMCP draft, 6.3.1; the attack classes that are public for MCP
(tool poisoning, shadowing, hidden text, poisoned parameters). Cost: linear in the text, whatever it says.
"""

import base64
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from inspector.review.finding import Confidence, Severity
from inspector.review.prose import Prose, prose_of
from inspector.review.signs.files import kinds
from inspector.review.signs.matching import Said
from inspector.review.signs.tongues import foreign_signs
from inspector.review.texts import Place, Text

_LONG = 1_500
"""Characters."""
_STRETCH = 700
"""Characters within which sentences begin whose signs add up."""
NOTABLE, SUSPECT, SURE = 3.0, 4.0, 7.0
"""The scores from which on a text is a finding of low severity, a finding, and one of high confidence."""
_SINGLE = 5.0
"""The score below which one sign alone is no finding of high severity."""


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

    @property
    def confidence(self) -> Confidence:
        """How sure it is that orders are given."""
        if self.score >= SURE:
            return Confidence.HIGH
        return Confidence.MEDIUM if self.score >= SUSPECT else Confidence.LOW

    @property
    def severity(self) -> Severity:
        """How bad it is: one sign alone is less than two."""
        if self.score < SUSPECT:
            return Severity.LOW
        return Severity.LOW if len(self.reasons) == 1 and self.score < _SINGLE else Severity.HIGH


_QUIET = Judgement(score=0.0, reasons=(), at=0)


def judged(text: Text, *, hidden: bool = False) -> Judgement:
    """What the signs in a stretch of a text add up to; each reason counts once. `hidden`: whether it holds hidden characters."""
    prose = prose_of(text.text)
    found = list(_signals(prose))
    for at, decoded in _encoded(prose.text):
        inner = [replace(signal, at=at) for signal in _signals(prose_of(decoded))]
        if inner:
            found += (*inner, Signal(weight=3, reason="it is encoded, so that nobody reads it", at=at))
    found = _densest(found)
    if found and hidden:
        found.append(Signal(weight=3, reason="it holds hidden characters", at=0))
    if text.place is not Place.PROSE and sum(signal.weight for signal in found) >= 2:
        reason = f"it stands in a {text.place.value}, where no prose is due"
        found.append(Signal(weight=1, reason=reason, at=0))
    if not found:
        return _QUIET
    ranked = sorted(_each_once(found), key=lambda signal: -signal.weight)
    return Judgement(
        score=sum(signal.weight for signal in ranked),
        reasons=tuple(signal.reason for signal in ranked),
        at=prose.original(ranked[0].at),
    )


def _densest(found: list[Signal]) -> list[Signal]:
    """The signs of the stretch that has the heaviest: a document of many pages has some of each somewhere.

    Linear: no more sentences than characters fit into a stretch.
    """
    found.sort(key=lambda signal: signal.at)
    best: list[Signal] = []
    score, end = 0.0, 0
    for start, first in enumerate(found):
        if start and first.at == found[start - 1].at:
            continue
        while end < len(found) and found[end].at - first.at <= _STRETCH:
            end += 1
        stretch = found[start:end]
        weight = sum(signal.weight for signal in _each_once(stretch))
        if weight > score:
            best, score = stretch, weight
    return best


def _each_once(found: list[Signal]) -> Iterable[Signal]:
    """The heaviest of each reason."""
    best: dict[str, Signal] = {}
    for signal in found:
        if signal.reason not in best or best[signal.reason].weight < signal.weight:
            best[signal.reason] = signal
    return best.values()


# One class, and at most two characters of another behind it.
_BASE64 = re.compile(r"[A-Za-z0-9+/]{24,4000}={0,2}")
_MOST_ENCODED = 8
"""Parts of one text that are decoded."""


def _encoded(text: str) -> Iterator[tuple[int, str]]:
    """The parts of a text that are sentences in base64, each with its place."""
    for found in islice(_BASE64.finditer(text), _MOST_ENCODED):
        whole = found[0].rstrip("=")
        try:
            decoded = base64.b64decode(whole + "=" * (-len(whole) % 4)).decode()
        except ValueError:
            continue
        if " " in decoded and decoded.isprintable():
            yield found.start(), decoded


def _signals(prose: Prose) -> Iterator[Signal]:
    if prose.markup is not None:
        yield Signal(
            weight=3, reason="it imitates the markup of a prompt or of a system message", at=prose.markup
        )
    if prose.spaced is not None:
        yield Signal(weight=2, reason="it is spelt so that a search misses it", at=prose.spaced)
    for sentence in prose.sentences:
        for weight, reason in _signs_of(sentence.words, may_hold_paths=prose.paths):
            yield Signal(weight=weight, reason=reason, at=sentence.at)
    for weight, reason, at in foreign_signs(prose.text):
        yield Signal(weight=weight, reason=reason, at=at)
    # In a long text somebody insists on something sooner or later.
    weight = 1 if len(prose.text) < _LONG else 0.5
    if prose.shouts is not None:
        yield Signal(weight=weight, reason="it insists", at=prose.shouts)
    if prose.threat is not None:
        yield Signal(weight=weight, reason="it threatens that things go wrong otherwise", at=prose.threat)


@lru_cache(maxsize=8_192)
def _signs_of(words: tuple[str, ...], *, may_hold_paths: bool) -> tuple[tuple[float, str], ...]:
    """The signs of one sentence. Tools of one server share many."""
    said = Said(words, may_hold_paths=may_hold_paths)
    # What is quoted as an example of an attack gives no order.
    weight = 0.2 if said.phrase("phrases|texts|inputs|attacks|attempts|prompts", "such|like", "as") else 1
    return tuple((sign[0] * weight, sign[1]) for signs in kinds() for sign in signs(said))
