"""Applies the boundary: computes the part of a raw result that may reach a model."""

from dataclasses import dataclass
from itertools import takewhile

from msgspec.structs import replace

from inspector.boundary.assembly import (
    assemble,
    whole_withheld,
    withheld_as_a_whole,
    withheld_unfinished,
)
from inspector.boundary.bounded import Bounded, Level, PassingCredential, Rule
from inspector.boundary.contract import Contract, contract_of
from inspector.boundary.draft import Draft, DraftRule, Searched
from inspector.boundary.error_code import error_code, is_tool_result
from inspector.boundary.options import DEFAULT_POLICY, BoundaryPolicy
from inspector.boundary.reading import draft_of, passing_at_open, raw_of
from inspector.boundary.reading_shape import as_tool_result, is_reading, member_of
from inspector.boundary.removals import Secrets, UnjudgeableError
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
    omitted,
    secret_reference,
    sensitive_hint,
    structured,
    unknown_content,
    untrusted,
)
from inspector.boundary.verification import NO_DIGEST, is_without_digest, unverified
from inspector.protocol.catalogue import Kind, Tool
from inspector.protocol.outcome import Failure, Outcome, Result, unfinished

RULES: tuple[DraftRule, ...] = (
    untrusted.unwrap,
    omitted.whole,
    # First the rules that replace blocks by the boundary's own texts; later rules keep these texts.
    secret_reference.apply,
    unknown_content.apply,
    # Then the rules that withhold everything, so that their reason is the one listed.
    error.apply,
    labelled.apply,
    sensitive_hint.apply,
    untrusted.hide,
    structured.apply,
    invalid_output.apply,
    # Mirror compares with the remaining structured content, also in blocks that later rules withhold.
    mirror.apply,
    audience.apply,
    no_contract.apply,
    meta.apply,
    # Last the rules that search everything that remains, and the rules that depend on these searches.
    echo.apply,
    omitted.apply,
    detect.apply,
    structured.settle,
    mirror.settle,
    untrusted.delimit,
)
"""All rules in order. Each is a pure function from draft to draft."""


@dataclass(slots=True)
class FoundSecrets:
    """The values that declarations withhold from one outcome, and the search for copies of them.

    Both are None until `bound` has been called for the outcome at level `declared`. At level `closed`,
    `bound` uses the search once and sets it to None.
    """

    secrets: Secrets | None = None
    searched: Searched | None = None


def bound(
    outcome: Outcome,
    tool: Tool | None,
    level: Level,
    *,
    policy: BoundaryPolicy = DEFAULT_POLICY,
    declared: Contract | None = None,
    nonce: str = "",
    found: FoundSecrets | None = None,
) -> Bounded:
    """Compute the part of an outcome that may reach a model, with a reason for each removal. Never raises.

    `tool`: None if the server does not list it. `declared`: the tool's contract, if already computed.
    `nonce`: a random value that only the caller knows, drawn for this call; it delimits untrusted text.
    `found`: a cache for one outcome and policy, filled in at level `declared` and used at level `closed`.

    The result may come from tools/call, resources/read or prompts/get, or be any JSON value from a page.
    Leaves that pass are unchanged. Pointers refer to `raw_of(outcome)`. At level `open` nothing is withheld,
    unless a policy rule applies, the call is unfinished, or a file of a skill does not verify. Whatever
    cannot be judged is withheld (rule `internal`).

    Source: docs/decisions/0004-boundaries.md; WebMCP issue 110.
    """
    contract = declared or contract_of(tool)
    if policy.withheld:
        judged = bound(
            outcome,
            tool,
            level,
            policy=replace(policy, withheld=""),
            declared=contract,
            nonce=nonce,
            found=found,
        )
        return withheld_as_a_whole(judged, outcome, Rule.POLICY, policy.withheld)
    ended = unfinished(outcome)
    found = found or FoundSecrets()
    if ended is None:
        judged = _bound(outcome, contract, level, policy, nonce, found)
        if isinstance(outcome, Failure):
            # The text of a failure is Sightline's own. It may quote what the server wrote during other calls.
            return replace(judged, is_answered=False, remarks=(), credentials=())
        return _verified(judged, outcome, contract)
    # An answer that is not a tool result is an envelope, which the output schema does not describe.
    is_envelope = not is_tool_result(raw_of(outcome))
    judged_by = replace(contract, positions=None, schema=None, kind=Kind.TOOL) if is_envelope else contract
    judged = replace(_bound(outcome, judged_by, level, policy, nonce, found), kind=contract.kind)
    return withheld_unfinished(judged, outcome, ended.sentence)


def _verified(judged: Bounded, outcome: Outcome, contract: Contract) -> Bounded:
    """Withhold content of a skill that does not verify, and add a remark if the skill has no digests."""
    reason = unverified(outcome, contract)
    if reason:
        return withheld_as_a_whole(judged, outcome, Rule.UNVERIFIED, reason)
    if isinstance(outcome, Result) and is_without_digest(contract):
        return replace(judged, remarks=(*judged.remarks, NO_DIGEST))
    return judged


def _bound(
    outcome: Outcome,
    contract: Contract,
    level: Level,
    policy: BoundaryPolicy,
    nonce: str,
    found: FoundSecrets,
) -> Bounded:
    code = error_code(outcome, is_listed=contract.is_listed)
    if level is Level.OPEN:
        remarks, credentials = _detected(outcome, contract, policy)
        return Bounded(
            level=level,
            result=passing_at_open(outcome),
            error=code,
            kind=contract.kind,
            remarks=remarks,
            credentials=credentials,
        )
    try:
        if contract.fault:
            raise UnjudgeableError(contract.fault)  # noqa: TRY301 - one exit for everything that cannot be judged
        return assemble(_judged(_draft_of(outcome, contract, level, policy, nonce), found))
    except UnjudgeableError as fault:
        return whole_withheld(level, code, outcome, str(fault), contract.kind)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as fault:  # noqa: BLE001 - a failing rule must withhold; a panic is not an Exception
        reason = f"a rule failed on it ({type(fault).__name__})"
        return whole_withheld(level, code, outcome, reason, contract.kind)


def _draft_of(
    outcome: Outcome, contract: Contract, level: Level, policy: BoundaryPolicy, nonce: str = ""
) -> Draft:
    """The draft with which the rules begin. The result of a resource or a prompt becomes a tool result."""
    if contract.kind is Kind.TOOL or not isinstance(outcome, Result):
        return draft_of(outcome, contract, level, policy, nonce)
    value = outcome.value
    if not is_reading(value, contract.kind):
        raise UnjudgeableError(f"it is not a result with a list of {member_of(contract.kind)}")
    shaped, shape = as_tool_result(value, contract.kind)
    as_tool = Result(value=shaped, omitted=outcome.omitted)
    return replace(draft_of(as_tool, contract, level, policy, nonce), shape=shape)


def _judged(draft: Draft, found: FoundSecrets) -> Draft:
    """The draft after all rules."""
    declarations = tuple(takewhile(lambda rule: rule is not echo.apply, RULES))
    if draft.contract.kept_back:
        draft = replace(draft, secrets=Secrets().add(Rule.X_SENSITIVE, draft.contract.kept_back))
    if draft.level is Level.CLOSED:
        # At `closed`, values that the declarations withhold are secrets too, even if an earlier rule removes them.
        secrets = found.secrets or _after(replace(draft, level=Level.DECLARED), declarations).secrets
        if draft.policy.withhold_credentials:
            # The text that reveals a credential at `declared` may be gone here, but copies of the credential
            # must be withheld too.
            seen = _after(replace(draft, level=Level.DECLARED), RULES[: RULES.index(detect.apply)])
            draft = replace(draft, credentials=detect.credentials(seen)[1])
        searched, found.searched = found.searched, None
        return _after(replace(draft, secrets=secrets, searched=searched), RULES)
    draft = _after(draft, declarations)
    found.secrets = draft.secrets
    draft = _after(draft, RULES[len(declarations) :])
    found.searched = draft.searched
    return draft


def _detected(
    outcome: Outcome, contract: Contract, policy: BoundaryPolicy
) -> tuple[tuple[str, ...], tuple[PassingCredential, ...]]:
    """Find the values that look like credentials at level `open`, where nothing is withheld.

    Returns the remarks about these values, and the first values with their pointers.
    """
    try:
        seen = replace(policy, withhold_credentials=False)
        draft = detect.apply(_draft_of(outcome, contract, Level.OPEN, seen))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as fault:  # noqa: BLE001 - as in `bound`
        return (f"the search for credentials failed ({type(fault).__name__})",), ()
    return draft.remarks, draft.passing


def _after(draft: Draft, rules: tuple[DraftRule, ...]) -> Draft:
    for rule in rules:
        draft = rule(draft)
    return draft
