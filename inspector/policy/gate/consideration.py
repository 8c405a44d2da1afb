"""The decision about a call before it is sent: its verdict and reasons, as data and in words."""

from collections import Counter

from msgspec import Struct

from inspector.claims.resolution import Resolution
from inspector.json.exact import JsonObject
from inspector.pins.pins import ConfirmReason
from inspector.policy.built_in import DEFAULT_POLICY
from inspector.policy.facts import Facts, Situation, facts_of
from inspector.policy.gate.agreement import Agreement
from inspector.policy.rules import Decision, Policy, RuleMatch, Verdict, decide
from inspector.policy.taint import LabelKind, SessionTrust
from inspector.protocol.catalogue import Tool
from inspector.protocol.targets import Target
from inspector.safe_text import safe_line


class Consideration(Struct, frozen=True, kw_only=True):
    """A call with the decision whether it may be made, must be confirmed, or is blocked."""

    target: Target
    situation: Situation
    decision: Decision
    facts: Facts | None
    """The facts for the rules; None if they could not be collected."""
    asking: tuple[ConfirmReason, ...] = ()
    """Changes of the definition to which the user has not agreed yet."""
    problem: str = ""
    """The reason why the call could not be judged and is therefore blocked; empty if it could."""

    @property
    def name(self) -> str:
        return self.situation.name

    @property
    def title(self) -> str:
        return self.situation.title or self.situation.name

    @property
    def server(self) -> str:
        return self.situation.server

    @property
    def arguments(self) -> JsonObject:
        return self.situation.arguments

    @property
    def listed(self) -> Tool | None:
        return self.situation.tool

    @property
    def resolution(self) -> Resolution | None:
        return self.situation.resolution

    @property
    def tool(self) -> Tool | None:
        """The tool with the annotations that hold for this call."""
        return self.resolution.effective if self.resolution else self.listed

    @property
    def trust(self) -> SessionTrust:
        return self.situation.trust

    @property
    def verdict(self) -> Verdict:
        """The verdict of the policy rules; BLOCK if the rules could not be evaluated.

        If the definition of the tool has changed, ALLOW becomes CONFIRM.
        """
        if self.problem:
            return Verdict.BLOCK
        if self.asking and self.decision.verdict is Verdict.ALLOW:
            return Verdict.CONFIRM
        return self.decision.verdict

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons for the verdict, one sentence each: matching rules, changed definitions, a problem.

        Safe to show; quotes no argument.
        """
        changed = tuple(each.sentence for each in self.asking)
        return (*((self.problem,) if self.problem else ()), *self.decision.reasons, *changed)

    @property
    def causes(self) -> frozenset[str]:
        """What the sentences of `reasons` are about: names of rules, keys of changes, and the problem."""
        rules = (match.rule.name for match in self.decision.matches)
        return frozenset((*rules, *(each.key for each in self.asking), self.problem))

    @property
    def effects(self) -> tuple[str, ...]:
        """The reasons for the audit log: names of rules, and sentences about changes and the problem."""
        rules = tuple(match.rule.name for match in self.decision.matches)
        return (*rules, *(each.sentence for each in self.asking), *((self.problem,) if self.problem else ()))

    @property
    def remarks(self) -> tuple[str, ...]:
        return self.resolution.remarks if self.resolution else ()

    def as_json(self) -> JsonObject:
        """The decision as JSON, with the members `changed`, `problem`, `resolution` and `remarks`.

        Contains no value of an argument.
        """
        return {
            **self.decision.as_json(),
            "verdict": self.verdict.value,
            "changed": [each.sentence for each in self.asking],
            "problem": self.problem,
            "resolution": self.resolution.state.value if self.resolution else "none",
            "remarks": [*self.remarks],
        }


def considered(
    policy: Policy, target: Target, situation: Situation, asking: tuple[ConfirmReason, ...] = ()
) -> Consideration:
    """The decision of the policy about a call.

    Never raises: if the rules cannot be evaluated, the call is blocked.
    """
    try:
        facts = facts_of(situation)
        decision = decide(policy, facts)
    except Exception as fault:  # noqa: BLE001 - a rule that fails must not let a call through, whatever failed in it
        problem = f"the call could not be judged ({safe_line(type(fault).__name__)}): a defect of Sightline"
        return Consideration(
            target=target,
            situation=situation,
            decision=Decision(verdict=Verdict.BLOCK),
            facts=None,
            asking=asking,
            problem=problem,
        )
    return Consideration(target=target, situation=situation, decision=decision, facts=facts, asking=asking)


_LENGTH = 600
_COUNTED = {
    LabelKind.DATA_CLASS: ("data class", "data classes"),
    LabelKind.ATTRIBUTION: ("source", "sources"),
}


def decision_title(current: Consideration) -> str:
    """The verdict and the tool, such as `confirm send_mail`."""
    return f"{current.verdict.value} {current.title}"


def decision_line(current: Consideration, agreement: Agreement) -> str:
    """The agreement, if one was needed, and the reasons for the verdict."""
    why = "; ".join(current.reasons) or "no rule matched"
    if current.verdict is Verdict.CONFIRM:
        why = f"{agreement.value}: {why}"
    return why if len(why) <= _LENGTH else f"{why[: _LENGTH - 2]} …"


_SENTENCES = {
    "claims-destructive": "The server marks this tool destructive",
    "claims-delete": "The server says that this tool deletes data",
    "claims-irreversible": "The server says that the effect of this tool cannot be undone",
    "claims-confirmation": "The server asks for your confirmation before each call",
    "contradicts-itself": "The server contradicts itself about this tool",
}
"""A sentence for each rule of the built-in policy, by rule name."""


def reasons_in_words(considered: Consideration) -> str:
    """The reasons of a decision in one sentence, without full stop and without the facts of built-in rules.

    Safe to show.
    """
    reasons = [considered.problem] if considered.problem else []
    for match in considered.decision.matches:
        words = _built_in_words(match)
        reasons.append(str(match) if words is None else f"{words[:1].lower()}{words[1:]}")
    reasons += [each.sentence for each in considered.asking]
    return "; ".join(reason.removesuffix(".") for reason in reasons)


def sentence_of(match: RuleMatch) -> str:
    """A rule that matched, as a sentence. A rule of the user's own policy is named together with its facts."""
    words = _built_in_words(match)
    return str(match) if words is None else f"{words} Rule: {match.rule.name}."


def _built_in_words(match: RuleMatch) -> str | None:
    """What a rule of the built-in policy says about a call; None for a rule of the user."""
    if match.rule not in DEFAULT_POLICY.rules or match.rule.name not in _SENTENCES:
        return None
    reasons = dict.fromkeys(reason for fact in match.facts for reason in fact.reasons)
    # A contradiction is a sentence; other reasons are a vocabulary and a claim.
    sentences = [reason for reason in reasons if reason.endswith(".")]
    claims = dict.fromkeys(reason.rpartition(" ")[2] for reason in reasons if not reason.endswith("."))
    named = f" ({', '.join(claims)})" if claims else ""
    return " ".join((f"{_SENTENCES[match.rule.name]}{named}.", *sentences))


def refusal(current: Consideration) -> tuple[str, str]:
    """The message and the hint of the error for a call that the policy does not let through."""
    reasons = reasons_in_words(current)
    if current.verdict is Verdict.BLOCK:
        hint = "To allow it, use another policy." if not current.problem else "Please report it."
        return f"blocked, not called: {reasons}", hint
    shown = "sightline pin --check shows what changed since the pin. " if _has_changes(current) else ""
    return (
        f"not called without your agreement: {reasons}",
        f"{shown}With --yes, you agree to every question of the policy. A blocked call stays blocked.",
    )


def _has_changes(current: Consideration) -> bool:
    return any(each.changes for each in current.asking)


def brought_line(brought: SessionTrust) -> str:
    """A line about the trust labels that an answer adds to the session.

    Data classes and sources are counted, not quoted.
    """
    counts = Counter(label.kind for label in brought.labels)
    return "labels received: " + ", ".join(
        f"{counts[kind]} {_COUNTED[kind][counts[kind] != 1]}" if kind in _COUNTED else safe_line(kind.value)
        for kind in LabelKind
        if counts[kind]
    )
