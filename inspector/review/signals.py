"""Scores how likely a text is to instruct a model, by the sum of the weights of weak signals.

A signal is a pattern of words in one sentence, such as who should do what, with what, and from whom it should
be hidden. Each signal has a reason. No single word decides. The cost is linear in the text. Sources: the
WebMCP draft, 6.3.1; the public attack classes for MCP (tool poisoning, shadowing, hidden text, poisoned
parameters).
"""

import base64
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from inspector.review.finding import Confidence, Severity
from inspector.review.prose import Prose, prose_of
from inspector.review.signs.files import kinds
from inspector.review.signs.matching import SentenceWords
from inspector.review.signs.tongues import foreign_signs
from inspector.review.texts import Text, TextPlace

_LONG = 1_500
"""The number of characters from which a text counts as long."""
_STRETCH = 700
"""The maximum distance, in characters, between sentences whose signals are added up."""
NOTABLE, SUSPECT, SURE = 3.0, 4.0, 7.0
"""The minimum scores for a finding, for medium confidence, and for high confidence."""
SINGLE = 5.0
"""The minimum score for high severity if there is only one signal."""


class Signal(Struct, frozen=True, kw_only=True):
    """One observation that suggests that a text gives instructions to a model, with its weight.

    It is a sign in a sentence, or another feature of the text, such as emphasis in capitals.
    """

    weight: float
    reason: str
    """What the signal says about the text, as a clause by Sightline, such as `it insists`."""
    at: int
    """The position of the signal's sentence in the decoded text."""


class InstructionScore(Struct, frozen=True, kw_only=True):
    """The score of a text, and the reasons for it."""

    score: float
    reasons: tuple[str, ...]
    """The reasons, heaviest first."""
    at: int
    """The position of the heaviest signal in the text as sent."""

    @property
    def confidence(self) -> Confidence:
        if self.score >= SURE:
            return Confidence.HIGH
        return Confidence.MEDIUM if self.score >= SUSPECT else Confidence.LOW

    @property
    def severity(self) -> Severity:
        """The severity of the finding.

        For high severity, a single signal needs a higher score than several signals.
        """
        if self.score < SUSPECT:
            return Severity.LOW
        return Severity.LOW if len(self.reasons) == 1 and self.score < SINGLE else Severity.HIGH


NO_SCORE = InstructionScore(score=0.0, reasons=(), at=0)
"""The score of a text that gives no instructions."""


def judged(text: Text, *, hidden: bool = False) -> InstructionScore:
    """Score a text by the sum of the signals in its heaviest passage. Each reason counts once.

    `hidden`: whether the text contains hidden characters.
    """
    prose = prose_of(text.text)
    signals = list(_signals(prose))
    for at, decoded in _encoded(prose.text):
        inner = [replace(signal, at=at) for signal in _signals(prose_of(decoded))]
        if inner:
            signals += (*inner, Signal(weight=3, reason="it is encoded, so people cannot read it", at=at))
    signals = _densest(signals)
    if signals and hidden:
        signals.append(Signal(weight=3, reason="it contains hidden characters", at=0))
    if text.place is not TextPlace.PROSE and sum(signal.weight for signal in signals) >= 2:
        reason = f"it is in a {text.place.value}, which should not contain prose"
        signals.append(Signal(weight=1, reason=reason, at=0))
    if not signals:
        return NO_SCORE
    ranked = sorted(_each_once(signals), key=lambda signal: -signal.weight)
    return InstructionScore(
        score=sum(signal.weight for signal in ranked),
        reasons=tuple(signal.reason for signal in ranked),
        at=prose.original(ranked[0].at),
    )


def _densest(signals: list[Signal]) -> list[Signal]:
    """The signals of the passage whose signals have the highest sum of weights.

    Other passages do not count, because a long document has single signals in many places. Linear, because a
    passage has a maximum length.
    """
    signals.sort(key=lambda signal: signal.at)
    best: list[Signal] = []
    score, end = 0.0, 0
    for start, first in enumerate(signals):
        if start and first.at == signals[start - 1].at:
            continue
        while end < len(signals) and signals[end].at - first.at <= _STRETCH:
            end += 1
        stretch = signals[start:end]
        weight = sum(signal.weight for signal in _each_once(stretch))
        if weight > score:
            best, score = stretch, weight
    return best


def _each_once(signals: list[Signal]) -> Iterable[Signal]:
    """The heaviest signal for each reason."""
    best: dict[str, Signal] = {}
    for signal in signals:
        if signal.reason not in best or best[signal.reason].weight < signal.weight:
            best[signal.reason] = signal
    return best.values()


# One class, followed by at most two other characters, so matching is linear.
_BASE64 = re.compile(r"[A-Za-z0-9+/]{24,4000}={0,2}")
_MOST_ENCODED = 8
"""The maximum number of parts of a text that are decoded."""


def _encoded(text: str) -> Iterator[tuple[int, str]]:
    """The position and the decoded text of each part of `text` that encodes sentences in base64."""
    for match in islice(_BASE64.finditer(text), _MOST_ENCODED):
        whole = match[0].rstrip("=")
        try:
            decoded = base64.b64decode(whole + "=" * (-len(whole) % 4)).decode()
        except ValueError:
            continue
        if " " in decoded and decoded.isprintable():
            yield match.start(), decoded


def _signals(prose: Prose) -> Iterator[Signal]:
    if prose.markup is not None:
        yield Signal(
            weight=3, reason="it imitates the markup of a prompt or of a system message", at=prose.markup
        )
    if prose.spaced is not None:
        yield Signal(weight=2, reason="it is spelt to evade searches", at=prose.spaced)
    for sentence in prose.sentences:
        for weight, reason in _signs_of(sentence.words, may_hold_paths=prose.paths):
            yield Signal(weight=weight, reason=reason, at=sentence.at)
    for weight, reason, at in foreign_signs(prose.text):
        yield Signal(weight=weight, reason=reason, at=at)
    # Long texts often insist on something, so this counts less in them.
    weight = 1 if len(prose.text) < _LONG else 0.5
    if prose.shouts is not None:
        yield Signal(weight=weight, reason="it insists", at=prose.shouts)
    if prose.threat is not None:
        yield Signal(weight=weight, reason="it threatens with failure", at=prose.threat)


@lru_cache(maxsize=8_192)
def _signs_of(words: tuple[str, ...], *, may_hold_paths: bool) -> tuple[tuple[float, str], ...]:
    """The weights and reasons of a sentence's signs.

    Cached, because the tools of one server share many sentences.
    """
    sentence = SentenceWords(words, may_hold_paths=may_hold_paths)
    # A sentence that quotes examples of attacks, as in `inputs such as "ignore …"`, gives no orders itself.
    weight = 0.2 if sentence.phrase("phrases|texts|inputs|attacks|attempts|prompts", "such|like", "as") else 1
    return tuple((sign[0] * weight, sign[1]) for signs in kinds() for sign in signs(sentence))
