"""The boundary: from a raw result to the part of it that may reach a model."""

from dataclasses import replace
from itertools import takewhile

from inspector.boundary.assembly import (
    assemble,
    whole_withheld,
    withheld_by_policy,
    withheld_unfinished,
)
from inspector.boundary.bounded import Bounded, Level
from inspector.boundary.contract import Contract, contract_of
from inspector.boundary.draft import Draft, DraftRule
from inspector.boundary.error_code import error_code, is_tool_result
from inspector.boundary.ledger import UnjudgeableError
from inspector.boundary.options import DEFAULT_POLICY, BoundaryPolicy
from inspector.boundary.reading import draft_of, raw_of
from inspector.boundary.rules import (
    audience,
    detect,
    echo,
    error,
    invalid_output,
    labelled,
    meta,
    mirror,
    no_contract,
    secret_reference,
    sensitive_hint,
    structured,
    unknown_content,
    untrusted,
)
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Outcome, unfinished

RULES: tuple[DraftRule, ...] = (
    untrusted.unwrap,
    # First what puts the boundary's own words in place of a block: no later rule takes those away.
    secret_reference.apply,
    unknown_content.apply,
    # Then what takes everything, so that it is the reason given.
    error.apply,
    labelled.apply,
    sensitive_hint.apply,
    untrusted.hide,
    structured.apply,
    invalid_output.apply,
    # It compares with what is left of the structured content, also in blocks that the next ones take.
    mirror.apply,
    audience.apply,
    no_contract.apply,
    meta.apply,
    # Last what looks at all that is left, wherever it stands, and what follows from it.
    echo.apply,
    detect.apply,
    structured.settle,
    mirror.settle,
    untrusted.delimit,
)
"""All rules, in order. Each is a pure function from draft to draft."""


def bound(
    outcome: Outcome,
    tool: Tool | None,
    level: Level,
    *,
    policy: BoundaryPolicy = DEFAULT_POLICY,
    declared: Contract | None = None,
    nonce: str = "",
) -> Bounded:
    """The part of an outcome that may reach a model, and why the rest may not.

    `tool`: None where the server lists no such tool. `declared`: its contract, where it is known already.
    `nonce`: what nobody but the caller knows, drawn for this call; untrusted text stands between markers that hold it.
    A result is one of tools/call, or any JSON value from a page; kept leaves stay exact. Pointers are into
    `raw_of(outcome)`. At `open` nothing is withheld, unless a rule about this answer says so, or the call is unfinished.
    Source: docs/decisions/0004-boundaries.md; WebMCP issue 110.
    Never raises: what it cannot judge it withholds (rule `internal`).
    """
    contract = declared or contract_of(tool)
    if policy.withheld:
        judged = bound(
            outcome, tool, level, policy=replace(policy, withheld=""), declared=contract, nonce=nonce
        )
        return withheld_by_policy(judged, outcome, policy.withheld)
    ended = unfinished(outcome)
    if ended is None:
        return _bound(outcome, contract, level, policy, nonce)
    # An envelope is no result: the output schema does not speak of it.
    is_envelope = not is_tool_result(raw_of(outcome))
    judged_by = replace(contract, positions=None, schema=None) if is_envelope else contract
    return withheld_unfinished(_bound(outcome, judged_by, level, policy, nonce), outcome, ended.sentence)


def _bound(outcome: Outcome, contract: Contract, level: Level, policy: BoundaryPolicy, nonce: str) -> Bounded:
    code = error_code(outcome, is_listed=contract.is_listed)
    if level is Level.OPEN:
        return Bounded(
            level=level, result=raw_of(outcome), error=code, findings=_detected(outcome, contract, policy)
        )
    try:
        if contract.fault:
            raise UnjudgeableError(contract.fault)  # noqa: TRY301 - one way out for all that cannot be judged
        return assemble(_judged(draft_of(outcome, contract, level, policy, nonce)))
    except UnjudgeableError as fault:
        return whole_withheld(level, code, outcome, str(fault))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as fault:  # noqa: BLE001 - a rule that fails must withhold, whatever failed in it; a panic is no Exception
        return whole_withheld(level, code, outcome, f"a rule could not judge it ({type(fault).__name__})")


def _judged(draft: Draft) -> Draft:
    """The draft after all rules."""
    if draft.level is Level.CLOSED:
        # What the declarations withhold is secret there too, though a harsher rule comes first.
        declared = _after(
            replace(draft, level=Level.DECLARED), tuple(takewhile(lambda rule: rule is not echo.apply, RULES))
        )
        draft = replace(draft, secrets=declared.secrets)
    return _after(draft, RULES)


def _detected(outcome: Outcome, contract: Contract, policy: BoundaryPolicy) -> tuple[str, ...]:
    """What looks like a credential where nothing is withheld."""
    try:
        seen = replace(policy, withhold_credentials=False)
        return detect.apply(draft_of(outcome, contract, Level.OPEN, seen)).findings
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as fault:  # noqa: BLE001 - as in `bound`
        return (f"what looks like a credential could not be told ({type(fault).__name__})",)


def _after(draft: Draft, rules: tuple[DraftRule, ...]) -> Draft:
    for rule in rules:
        draft = rule(draft)
    return draft
