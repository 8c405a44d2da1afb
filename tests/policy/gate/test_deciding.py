"""The decision if a call is sent: policies, agreements, changes, and failures."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest
from msgspec.structs import replace

from inspector.errors import BlockedError, NotConfirmedError
from inspector.json.exact import Json, JsonObject, Number, dump_text
from inspector.pins.pins import ConfirmReason
from inspector.policy.gate.agreement import Agreement
from inspector.policy.gate.consideration import Consideration
from inspector.policy.gate.oversight import Oversight
from inspector.policy.gate.ruling import Ruled
from inspector.policy.rules import Policy, Verdict
from inspector.policy.taint import LabelKind
from inspector.protocol.outcome import Result
from inspector.protocol.targets import PageTarget, StdioTarget
from tests.policy.gate.played import (
    DESTROYS,
    OPEN_WORLD,
    READS,
    RESOLVABLE,
    TIMEOUT,
    PlayedSession,
    Slow,
    rule,
    rules,
    tool,
)

BLOCKS = rules(rule("block", "tool.name", equals="mail"))
ASKS = rules(rule("confirm", "tool.name", equals="mail"))
NOTHING = rules()
SECRET = "hunter2-secret"


class Broken:
    """A rule that raises when it is evaluated."""

    is_after = False
    effect = "block"

    def matches(self, _facts: object) -> bool:
        raise ZeroDivisionError


BREAKS = Policy(rules=cast("tuple[Any, ...]", (Broken(),)))


async def called(
    oversight: Oversight,
    session: PlayedSession,
    name: str = "mail",
    arguments: JsonObject | None = None,
    agreement: Agreement = Agreement.NONE,
) -> Ruled:
    found = await oversight.consider(session, name, arguments or {})
    return await oversight.call(session, found, agreement=agreement)


@pytest.mark.parametrize(
    ("policy", "agreement", "raised"),
    [
        (NOTHING, Agreement.NONE, None),
        (NOTHING, Agreement.NOT_ASKED, None),
        (ASKS, Agreement.NONE, NotConfirmedError),
        (ASKS, Agreement.NOT_ASKED, NotConfirmedError),
        (ASKS, Agreement.USER, None),
        (ASKS, Agreement.YES, None),
        (BLOCKS, Agreement.NONE, BlockedError),
        (BLOCKS, Agreement.USER, BlockedError),
        (BLOCKS, Agreement.YES, BlockedError),
        (BREAKS, Agreement.USER, BlockedError),
        (BREAKS, Agreement.YES, BlockedError),
    ],
)
async def test_a_call_is_sent_only_if_policy_and_agreement_allow_it(
    policy: Policy, agreement: Agreement, raised: type[NotConfirmedError] | None
) -> None:
    session = PlayedSession(tool("mail"))
    oversight = Oversight(policy)
    if raised is None:
        made = await called(oversight, session, arguments={"to": "a"}, agreement=agreement)
        assert (made.record.number, session.sent) == (1, [("mail", {"to": "a"}, None)])
        return
    with pytest.raises(raised) as caught:
        await called(oversight, session, arguments={"to": "a"}, agreement=agreement)
    assert session.sent == []
    assert caught.value.exit_code == 10
    assert caught.value.code == ("blocked" if raised is BlockedError else "not_confirmed")


async def test_a_call_waits_until_the_previous_answer_is_judged() -> None:
    slow = Slow()
    blocks = rules(
        {
            "effect": "block",
            "conditions": {
                "and": [
                    {"fact": "tool.name", "equals": "mail"},
                    {"fact": "session.untrusted", "equals": True},
                ]
            },
        }
    )
    policy = Policy(rules=cast("tuple[Any, ...]", (*blocks.rules, slow)))
    session = PlayedSession(tool("look"), tool("mail"), answers={"look": Result(value=OPEN_WORLD)})
    oversight = Oversight(policy)
    first = asyncio.create_task(called(oversight, session, "look"))
    await asyncio.to_thread(slow.begun.wait)
    # The answer has arrived, and its caller gives up.
    first.cancel()
    second = asyncio.create_task(called(oversight, session, "mail"))
    await asyncio.wait({second}, timeout=0.1)
    slow.may_end.set()
    with pytest.raises(BlockedError):
        await second
    assert [name for name, *_ in session.sent] == ["look"]


async def test_a_call_that_cannot_be_judged_is_blocked_with_a_reason() -> None:
    found = await Oversight(BREAKS).consider(PlayedSession(tool("mail")), "mail", {})
    assert found.verdict is Verdict.BLOCK
    assert found.reasons == ("the call could not be judged (ZeroDivisionError): a defect of Sightline",)


async def test_the_built_in_policy_asks_only_about_tools_that_claim_harm() -> None:
    session = PlayedSession(tool("wipe", DESTROYS), tool("look", READS))
    oversight = Oversight()
    assert (await oversight.consider(session, "look", {})).verdict is Verdict.ALLOW
    found = await oversight.consider(session, "wipe", {})
    assert found.verdict is Verdict.CONFIRM
    assert "tool.traits.destructive is true (mcp destructiveHint)" in found.reasons[0]


async def test_a_tool_whose_definition_changed_after_the_decision_is_not_called() -> None:
    session = PlayedSession(tool("mail"))
    oversight = Oversight(NOTHING)
    found = await oversight.consider(session, "mail", {})
    session.list_instead(tool("mail", DESTROYS))
    with pytest.raises(NotConfirmedError, match="has changed"):
        await oversight.call(session, found, agreement=Agreement.USER)
    session.list_instead(tool("mail"))
    await oversight.call(session, found)
    assert len(session.sent) == 1


class Writing:
    """An audit log during which something happens."""

    def __init__(self, happens: Callable[[], None]) -> None:
        self._happens = happens

    def deciding(self, *_: object) -> None:
        self._happens()

    def declined(self, *_: object) -> None:
        pass

    answered = declined


async def test_a_tool_whose_definition_changes_while_the_decision_is_logged_is_not_called() -> None:
    session = PlayedSession(tool("mail"))
    log = Writing(lambda: session.list_instead(tool("mail", DESTROYS)))
    oversight = Oversight(NOTHING, audit=cast("Any", log))
    found = await oversight.consider(session, "mail", {})
    with pytest.raises(NotConfirmedError, match="has changed"):
        await oversight.call(session, found, agreement=Agreement.USER)
    assert session.sent == []


async def test_data_that_the_session_received_since_the_question_matters() -> None:
    blocks = rules(rule("block", "session.untrusted", equals=True))
    asks = rules(
        rule("confirm", "session.untrusted", equals=True), rule("confirm", "tool.name", equals="mail")
    )
    for policy, raised in ((blocks, BlockedError), (asks, NotConfirmedError)):
        session = PlayedSession(tool("mail"), tool("read"), answers={"read": Result(value=OPEN_WORLD)})
        oversight = Oversight(policy)
        found = await oversight.consider(session, "mail", {})
        await called(oversight, session, "read")
        with pytest.raises(raised):
            await oversight.call(session, found, agreement=Agreement.USER)
        assert [name for name, _, _ in session.sent] == ["read"]


async def test_a_changed_definition_needs_confirmation_once() -> None:
    change = ConfirmReason(key="k1", sentence="its description changed since it was pinned")
    session = PlayedSession(tool("mail"))
    oversight = Oversight(NOTHING)

    async def considered(*asking: ConfirmReason) -> Consideration:
        return await oversight.consider(session, "mail", {}, asking=asking)

    found = await considered(change)
    assert (found.verdict, found.reasons) == (Verdict.CONFIRM, (change.sentence,))
    with pytest.raises(NotConfirmedError):
        await oversight.call(session, found)
    found = await considered(change)
    assert found.verdict is Verdict.CONFIRM
    await oversight.call(session, found, agreement=Agreement.USER)
    assert (await considered(change)).verdict is Verdict.ALLOW
    assert (await considered(replace(change, key="k2"))).verdict is Verdict.CONFIRM


async def test_the_policy_decides_on_unlisted_tools_too() -> None:
    session = PlayedSession()
    oversight = Oversight(rules(rule("block", "tool.listed", equals=False)))
    with pytest.raises(BlockedError):
        await called(oversight, session, "none", agreement=Agreement.YES)
    assert session.sent == []


# Resolution.

NARROW: Json = {
    "resultType": "complete",
    "name": "move",
    "annotations": {"readOnlyHint": False, "destructiveHint": False},
}
WIDE: Json = {"resultType": "complete", "name": "move", "annotations": {"openWorldHint": True}}
MAY_DESTROY: JsonObject = {
    **RESOLVABLE,
    "annotations": {"readOnlyHint": False, "destructiveHint": True, "openWorldHint": False},
}


async def test_the_exact_arguments_are_resolved_once() -> None:
    session = PlayedSession(tool("move", MAY_DESTROY), resolved=Result(value=NARROW))
    oversight = Oversight()
    for arguments in ({"a": 1, "b": 2}, {"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": Number("1.0"), "b": 2}):
        found = await oversight.consider(session, "move", cast("JsonObject", arguments))
        assert found.verdict is Verdict.ALLOW
        assert found.remarks == ()
    assert [dump_text(arguments) for arguments in session.asked] == [
        '{"a":1,"b":2}',
        '{"b":2,"a":1}',
        '{"a":1.0,"b":2}',
    ]
    other = PlayedSession(tool("move", MAY_DESTROY), resolved=Result(value=NARROW))
    await oversight.consider(other, "move", {"a": 1, "b": 2})
    assert len(other.asked) == 1


async def test_the_resolution_is_in_the_call_record() -> None:
    session = PlayedSession(tool("move", MAY_DESTROY), resolved=Result(value=NARROW))
    made = await called(Oversight(), session, "move")
    assert made.record.resolution is not None
    assert {"readOnlyHint", "destructiveHint"} <= {claim.key for claim in made.record.resolution.claims}


@pytest.mark.parametrize(
    ("answer", "finding", "asked"),
    [
        (TIMEOUT, "the server did not answer", 2),
        (Result(value="nonsense"), "malformed", 1),
        (Result(value=WIDE), "goes beyond the listed declarations", 1),
    ],
)
async def test_an_invalid_resolution_is_ignored_and_a_finding(
    answer: Result, finding: str, asked: int
) -> None:
    session = PlayedSession(tool("move", MAY_DESTROY), resolved=answer)
    oversight = Oversight()
    await oversight.consider(session, "move", {})
    found = await oversight.consider(session, "move", {})
    assert found.verdict is Verdict.CONFIRM
    assert finding in found.remarks[0]
    assert found.tool == tool("move", MAY_DESTROY)
    # An unanswered resolution may be answered the next time.
    assert len(session.asked) == asked
    assert len([note for note in session.notes if note.startswith("resolution of move")]) == asked
    made = await oversight.call(session, found, agreement=Agreement.USER)
    assert finding in made.record.remarks[0]


async def test_tools_without_the_mark_and_page_tools_are_not_resolved() -> None:
    for session in (
        PlayedSession(tool("move", DESTROYS)),
        PlayedSession(tool("move", MAY_DESTROY), target=PageTarget(url="https://page.example/")),
    ):
        found = await Oversight().consider(session, "move", {})
        assert (session.asked, found.resolution) == ([], None)


# The notes about a decision.


async def test_every_decision_is_in_the_timeline_without_quoted_values() -> None:
    target = StdioTarget(command=("serve", "--token", SECRET))
    everything = rules(
        rule("confirm", "arguments.password", contains="hunter"),
        rule("confirm", "server.target", contains="serve"),
        rule("confirm", "session.servers", exists=True),
        rule("confirm", "session.attribution", exists=True),
        rule("confirm", "request.annotations.attribution", exists=True),
        rule("warn", "response.traits.attribution", exists=True),
        rule("warn", "response._meta.annotations", exists=True),
        rule("warn", "response.traits.dataClasses", exists=True),
        rule("confirm", "session.dataClasses", exists=True),
    )
    answer: Json = {
        "content": [{"type": "text", "text": SECRET}],
        "_meta": {
            "annotations": {
                "openWorldHint": True,
                "attribution": [f"https://x.example/?{SECRET}"],
                "returnMetadata": {"source": "user", "sensitivity": {"regulated": {"scopes": [SECRET]}}},
            }
        },
    }
    session = PlayedSession(tool("mail"), answers={"mail": Result(value=answer)}, target=target)
    oversight = Oversight(everything)
    for agreement in (Agreement.YES, Agreement.USER, Agreement.YES):
        await called(oversight, session, arguments={"password": SECRET}, agreement=agreement)
    with pytest.raises(NotConfirmedError) as caught:
        await called(oversight, session, arguments={"password": SECRET})
    assert oversight.trust.has(LabelKind.DATA_CLASS)
    told = "\n".join((*session.notes, caught.value.message))
    assert SECRET not in told
    assert "agreed with --yes: confirm-1: arguments.password is present" in told
    assert "confirm mail: not agreed: confirm-1" in told
    assert (
        "trust #1 mail: labels received: open-world, untrusted, sensitive, 2 data classes, 1 source" in told
    )
    assert "session.attribution is present" in told


async def test_a_confirmation_is_noted_with_who_agreed() -> None:
    session = PlayedSession(tool("mail"), tool("look"))
    oversight = Oversight(ASKS)
    await called(oversight, session, "look")
    await called(oversight, session, agreement=Agreement.USER)
    found = await oversight.consider(session, "mail", {})
    await oversight.decline(session, found)
    why = 'confirm-1: tool.name is "mail"'
    assert session.notes == [
        "allow look: no rule matched",
        f"confirm mail: agreed by the user: {why}",
        f"confirm mail: not agreed: {why}",
    ]
    assert len(session.sent) == 2
