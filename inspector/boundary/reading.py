"""Splits the outcome of a call into the first draft: content blocks, structured content, other members."""

from msgspec.structs import replace

from inspector.boundary.bounded import Level, Removal, Rule
from inspector.boundary.contract import Contract, is_result
from inspector.boundary.draft import Block, Draft, Fate, Structured
from inspector.boundary.error_code import coded_error, error_code
from inspector.boundary.labels import is_sensitive_hint, says_yes
from inspector.boundary.notice import MEMBER, NO_NOTICE, is_own, merged, notice_in, notice_in_block
from inspector.boundary.options import BoundaryPolicy
from inspector.boundary.removals import Secrets, UnjudgeableError
from inspector.boundary.walking import is_plain, is_reference
from inspector.claims.claim import Claim, Subject
from inspector.claims.registry import claims_of_result
from inspector.json.exact import DuplicateKeys, Json, JsonObject
from inspector.json.pointer import child
from inspector.protocol.outcome import COMPLETE, Failure, Outcome, Result, RpcError

PROTOCOL_MEMBERS = frozenset({"content", "structuredContent", "isError", "_meta"})


def raw_of(outcome: Outcome) -> Json:
    """The document that removal pointers refer to; for an error, `{"error": …}`."""
    match outcome:
        case Result():
            return outcome.value
        case RpcError() | Failure():
            return {"error": _error_of(outcome)}


def passing_at_open(outcome: Outcome) -> Json:
    """What passes at level `open`: all that was sent.

    An error that a page's tool threw gets a code of Sightline, because hosts expect a code in each error.
    """
    if not isinstance(outcome, RpcError) or not outcome.of_page or not isinstance(outcome.value, dict):
        return raw_of(outcome)
    return {"error": {**coded_error(error_code(outcome, is_listed=True)), **outcome.value}}


def _error_of(outcome: RpcError | Failure) -> Json:
    if isinstance(outcome, RpcError):
        return outcome.value
    coded = coded_error(error_code(outcome, is_listed=True))
    return {**coded, "message": outcome.detail or coded["message"]}


def draft_of(
    outcome: Outcome, contract: Contract, level: Level, policy: BoundaryPolicy, nonce: str = ""
) -> Draft:
    """The draft with which the boundary rules begin. Raises UnjudgeableError for a result it cannot split."""
    if isinstance(outcome, RpcError) and outcome.beside is not None:
        raise UnjudgeableError("the answer has both a result and an error, so its meaning is ambiguous")
    raw = raw_of(outcome)
    draft = Draft(
        raw=raw,
        level=level,
        policy=policy,
        contract=contract,
        nonce=nonce,
        omitted={} if isinstance(outcome, Failure) else outcome.omitted,
        hint=_hint(contract.claims, Subject.TOOL),
        code=error_code(outcome, is_listed=contract.is_listed),
    )
    if not isinstance(outcome, Result):
        return _with_error(draft, _error_of(outcome))
    if isinstance(raw, DuplicateKeys):
        raise UnjudgeableError("it has a duplicate key, so its meaning is ambiguous")
    claims = claims_of_result(raw)
    draft = replace(draft, claims=claims, hint=draft.hint or _hint(claims, Subject.RESULT))
    if is_result(raw, contract):
        return _with_result(draft, raw)
    if isinstance(raw, dict) and is_reference(raw):
        return replace(draft, blocks=(Block(pointer="", raw=raw, value=raw),))
    return _with_structured(draft, "", raw)


def _hint(claims: tuple[Claim, ...], subject: Subject) -> Claim | None:
    hints = (claim for claim in claims if claim.subject is subject and is_sensitive_hint(claim))
    return next((claim for claim in hints if says_yes(claim)), None)


def _with_error(draft: Draft, sent: Json) -> Draft:
    """The draft of an error, with members added or left out so that it is a valid JSON-RPC error."""
    coded = coded_error(draft.code)
    if not isinstance(sent, dict):
        return replace(draft, error=coded).removing(
            (_internal("/error", "it is not an object"),), Secrets().add(Rule.INTERNAL, [sent])
        )
    faults = [key for key, value in sent.items() if not _fits_error(key, value)]
    valid: JsonObject = {key: value for key, value in sent.items() if key not in faults}
    removals = tuple(_internal(child("/error", key), "JSON-RPC does not allow this value") for key in faults)
    return replace(draft, error=coded | valid).removing(
        removals, Secrets().add(Rule.INTERNAL, [sent[key] for key in faults])
    )


def _fits_error(key: str, value: Json) -> bool:
    match key:
        case "code":
            return isinstance(value, int) and not isinstance(value, bool)
        case "message":
            return isinstance(value, str)
        case _:
            return is_plain(value)


def _with_result(draft: Draft, raw: JsonObject) -> Draft:
    draft = _with_content(draft, raw.get("content", []))
    if "structuredContent" in raw:
        draft = _with_structured(draft, "/structuredContent", raw["structuredContent"])
    if not isinstance(raw.get("isError", False), bool):
        draft = draft.removing((_internal("/isError", "it is not a boolean, so it counts as true"),))
    unknown = {key: value for key, value in raw.items() if key not in PROTOCOL_MEMBERS}
    if unknown.get("resultType") == COMPLETE:
        del unknown["resultType"]
    return replace(draft, members=unknown, meta=raw.get("_meta"))


def _with_content(draft: Draft, content: Json) -> Draft:
    if not isinstance(content, list):
        return replace(draft, blocks=(Block(pointer="/content", raw=content, value=content),))
    earlier = notice_in_block(content[-1], draft.contract.names) if content else None
    sent = content[:-1] if earlier else content
    blocks = (
        Block(
            pointer=f"/content/{index}",
            raw=block,
            value=block,
            fate=Fate.OWN if is_own(block, draft.level) else Fate.RAW,
        )
        for index, block in enumerate(sent)
    )
    return replace(draft, blocks=tuple(blocks), earlier=merged(draft.earlier, earlier or NO_NOTICE))


def _with_structured(draft: Draft, pointer: str, raw: Json) -> Draft:
    if not isinstance(raw, dict) or MEMBER not in raw:
        return replace(draft, structured=Structured(pointer=pointer, raw=raw, value=raw))
    earlier = notice_in(raw[MEMBER], draft.contract.names)
    rest: JsonObject = {key: value for key, value in raw.items() if key != MEMBER}
    draft = replace(
        draft,
        structured=Structured(pointer=pointer, raw=raw, value=rest),
        earlier=merged(draft.earlier, earlier or NO_NOTICE),
    )
    if earlier:
        return draft
    taken = _internal(
        child(pointer, MEMBER),
        "this name is reserved for the notice in which the boundary lists withheld parts",
    )
    return draft.removing((taken,), Secrets().add(Rule.INTERNAL, [raw[MEMBER]]))


def _internal(pointer: str, detail: str) -> Removal:
    return Removal(pointer=pointer, rule=Rule.INTERNAL, detail=detail)
