"""Decisions in words, for the timeline, the recording and whoever is told. Nothing here quotes an argument or an answer."""

from collections import Counter

from inspector.policy.decide import Verdict
from inspector.policy.gate.agreement import Agreement
from inspector.policy.gate.consideration import Consideration
from inspector.policy.taint.state import MarkKind, SessionTrust
from inspector.safe_text import safe_line

_LENGTH = 600
_COUNTED = {MarkKind.DATA_CLASS: ("data class", "data classes"), MarkKind.ATTRIBUTION: ("source", "sources")}


def decision_title(current: Consideration) -> str:
    """The verdict and the tool: `confirm send_mail`."""
    return f"{current.verdict.value} {current.name}"


def decision_line(current: Consideration, agreement: Agreement) -> str:
    """Who agreed, and why it was asked."""
    why = "; ".join(current.reasons) or "no rule asks about it"
    if current.verdict is Verdict.CONFIRM:
        why = f"{agreement.value}: {why}"
    return why if len(why) <= _LENGTH else f"{why[: _LENGTH - 2]} …"


def refusal(current: Consideration) -> tuple[str, str]:
    """Why a call is not made, and what to do."""
    reasons = "\n".join(current.reasons)
    if current.verdict is Verdict.BLOCK:
        hint = "Only another policy lets it through." if not current.problem else "Please report it."
        return f"blocked, not called: {reasons}", hint
    return (
        f"not called, for nobody agreed: {reasons}",
        "--yes agrees to what is asked; it never lets through what is blocked.",
    )


def brought_line(brought: SessionTrust) -> str:
    """What an answer brought in, by kinds. What it says in words of its own is counted."""
    counts = Counter(mark.kind for mark in brought.marks)
    return "brought " + ", ".join(
        f"{counts[kind]} {_COUNTED[kind][counts[kind] != 1]}" if kind in _COUNTED else safe_line(kind.value)
        for kind in MarkKind
        if counts[kind]
    )
