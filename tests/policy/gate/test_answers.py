"""The handling of answers: rules, trust over servers and reconnections, the annotations for servers, the audit log."""

import asyncio
from collections.abc import Iterable
from contextlib import nullcontext

import pytest

from inspector.boundary.options import Level
from inspector.errors import BlockedError, InspectorError, NotConfirmedError
from inspector.hosts.projection import project
from inspector.hosts.registry import host
from inspector.json.exact import Json, JsonObject, dump_text
from inspector.policy.audit import AuditedCall
from inspector.policy.files.audit import Audit
from inspector.policy.gate import oversight as module
from inspector.policy.gate.agreement import Agreement
from inspector.policy.gate.oversight import Oversight
from inspector.policy.gate.ruling import Ruled
from inspector.policy.taint import LabelKind, SessionTrust, SourceDetail
from inspector.protocol.outcome import Outcome, Result
from inspector.protocol.targets import HttpTarget
from inspector.session.call_record import CallRecord
from tests.policy.gate.played import OPEN_WORLD, PlayedSession, rule, rules, tool

ATTACK = "orders to the agent"
UNTRUSTED: Json = {
    "content": [{"type": "text", "text": ATTACK}],
    "_meta": {"io.modelcontextprotocol/trust-annotations": {"untrusted": True}},
}
ANY = ("response.isError", {"exists": True})


def on_any(effect: str) -> JsonObject:
    return rule(effect, ANY[0], **ANY[1])


async def called(
    oversight: Oversight,
    session: PlayedSession,
    name: str = "read",
    agreement: Agreement = Agreement.NONE,
) -> Ruled:
    found = await oversight.consider(session, name, {})
    return await oversight.call(session, found, agreement=agreement)


def seen(made: Ruled, level: Level = Level.DECLARED) -> str:
    return seen_of(made.record, level)


def seen_of(record: CallRecord, level: Level = Level.DECLARED) -> str:
    spec = host("spec")
    assert spec is not None
    shown = project(record.outcome, record.tool, level, spec, policy=record.policy)
    return dump_text(shown.context.model)


# Rules about an answer.


@pytest.mark.parametrize(
    ("effect", "agreement", "passes", "stopped", "asked"),
    [
        ("warn", Agreement.NONE, True, False, False),
        ("withhold", Agreement.YES, False, False, False),
        ("hide_untrusted", Agreement.YES, False, False, False),
        ("allow", Agreement.NONE, True, False, False),
        ("confirm", Agreement.NONE, False, True, True),
        ("confirm", Agreement.USER, False, True, True),
        ("confirm", Agreement.YES, True, False, False),
        ("block", Agreement.YES, False, True, False),
    ],
)
async def test_the_effect_of_a_rule_decides_what_reaches_a_model(
    effect: str, agreement: Agreement, *, passes: bool, stopped: bool, asked: bool
) -> None:
    session = PlayedSession(tool("read"), answers={"read": Result(value=UNTRUSTED)})
    made = await called(Oversight(rules(on_any(effect))), session, agreement=agreement)
    assert (ATTACK in seen(made)) is passes
    assert (made.is_stopped, made.is_asked_about) == (stopped, asked)
    assert session.calls == [made.record]
    if effect in {"withhold", "confirm", "block"} and not passes:
        assert ATTACK not in seen(made, Level.OPEN)
    if effect == "warn":
        assert [match.rule.name for match in made.handling.warnings] == ["warn-1"]


async def test_a_confirmed_answer_passes_unless_a_rule_withholds_it() -> None:
    for more, passes in ((), True), ((on_any("withhold"),), False):
        session = PlayedSession(tool("read"), answers={"read": Result(value=UNTRUSTED)})
        oversight = Oversight(rules(on_any("confirm"), *more))
        made = await called(oversight, session)
        assert ATTACK not in seen(made)
        released = await oversight.release(session, made)
        assert (ATTACK in seen(released)) is passes
        assert session.calls == [released.record]
        assert "answer of read: agreed to: confirm-1" in session.notes[-1]


async def test_an_answer_that_cannot_be_judged_is_withheld_and_untrusted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("inspector.policy.gate.ruling.handle", fail)
    session = PlayedSession(tool("read"), answers={"read": Result(value=UNTRUSTED)})
    made = await called(Oversight(rules()), session, agreement=Agreement.YES)
    assert ATTACK not in seen(made, Level.OPEN)
    assert "could not be judged (ZeroDivisionError)" in made.record.remarks[0]
    monkeypatch.setattr("inspector.policy.gate.ruling.trust_of", fail)
    oversight = Oversight(rules())
    await called(oversight, session)
    assert oversight.trust.untrusted


async def test_an_answer_that_contradicts_its_tool_is_a_finding() -> None:
    closed = tool("read", {"annotations": {"readOnlyHint": True, "openWorldHint": False}})
    session = PlayedSession(closed, answers={"read": Result(value=OPEN_WORLD)})
    made = await called(Oversight(), session)
    assert made.remarks == made.record.remarks
    assert "open" in made.remarks[0]


# Trust.


async def test_trust_spans_servers_and_reconnections_until_a_new_agent_session() -> None:
    oversight = Oversight(rules())
    first = PlayedSession(tool("read"), answers={"read": Result(value=OPEN_WORLD)})
    again = PlayedSession(tool("read"))
    other = PlayedSession(tool("read"), target=HttpTarget(url="https://mail.example/mcp"))
    numbers = [(await called(oversight, session)).record.number for session in (first, again, other)]
    assert numbers == [1, 2, 3]
    assert oversight.trust.untrusted
    assert oversight.trust.servers == ("https://files.example/mcp",)
    since = oversight.trust.untrusted_since
    assert since is not None
    assert (since.call, since.tool) == (1, "read")
    oversight.renew()
    assert (oversight.trust, oversight.number) == (SessionTrust(), 2)
    assert (await called(oversight, again)).record.number == 4


async def test_a_call_without_an_answer_adds_nothing_to_the_session_trust() -> None:
    session = PlayedSession(tool("read"))

    def lose() -> None:
        raise NotConfirmedError("gone")

    session.during = lose
    oversight = Oversight()
    with pytest.raises(NotConfirmedError):
        await called(oversight, session)
    assert oversight.trust == SessionTrust()


async def test_a_late_answer_changes_the_session_trust_after_its_call_was_abandoned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    began, goes_on = asyncio.Event(), asyncio.Event()
    settled = module.Oversight._settled  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]

    async def slowly(*arguments: object) -> Ruled:
        began.set()
        await goes_on.wait()
        return await settled(*arguments)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(module.Oversight, "_settled", slowly)
    oversight = Oversight()
    session = PlayedSession(tool("read"), answers={"read": Result(value=OPEN_WORLD)})
    calling = asyncio.ensure_future(called(oversight, session))
    await began.wait()
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    goes_on.set()
    await asyncio.gather(*(task for task in asyncio.all_tasks() if task is not asyncio.current_task()))
    assert oversight.trust.untrusted


async def test_withheld_values_are_not_shown_or_sent_as_sources() -> None:
    marked = tool(
        "read",
        {
            "outputSchema": {
                "type": "object",
                "properties": {"key": {"type": "string", "x-sensitive": True}},
            }
        },
    )
    answer: Json = {
        "content": [],
        "structuredContent": {"key": "hunter2-secret"},
        "_meta": {"annotations": {"attribution": ["https://x.example/hunter2-secret", "https://y.example/"]}},
    }
    session = PlayedSession(marked, answers={"read": Result(value=answer)})
    oversight = Oversight()
    made = await called(oversight, session)
    assert "hunter2" not in dump_text(made.as_json())
    assert "hunter2" not in str(oversight.trust)
    assert oversight.trust.has(LabelKind.UNNAMED_SOURCES)


# The annotations for servers.


async def test_a_server_gets_no_annotations_unless_the_user_enables_them() -> None:
    news = PlayedSession(tool("read"), answers={"read": Result(value=OPEN_WORLD)})
    other = PlayedSession(tool("mail"), target=HttpTarget(url="https://mail.example/mcp"))
    oversight = Oversight(rules())
    await called(oversight, news)
    await called(oversight, other, "mail")
    oversight.propagation["https://mail.example/mcp"] = SourceDetail.HOSTS
    await called(oversight, other, "mail")
    oversight.propagation["https://mail.example/mcp"] = SourceDetail.FULL
    await called(oversight, other, "mail")
    await called(oversight, news)
    assert [told for _, _, told in other.sent] == [
        None,
        {"openWorldHint": True, "attribution": ["https://news.example"]},
        {"openWorldHint": True, "attribution": ["https://news.example/a"]},
    ]
    assert [told for _, _, told in news.sent] == [None, None]


# The audit log.


class Auditing(Audit):
    """Keeps the events; raises where it is configured to."""

    def __init__(self, fails: str = "") -> None:
        super().__init__()
        self.fails = fails
        self.lines: list[tuple[object, ...]] = []

    def _take(self, *line: object) -> None:
        if line[0] == self.fails:
            raise InspectorError("the log is full")
        self.lines.append(line)

    def deciding(self, call: AuditedCall, verdict: str, rules: object, agreed: str = "") -> None:
        del agreed
        self._take("deciding", call.session, call.number, call.name, verdict, rules)

    def answered(
        self, call: AuditedCall, outcome: Outcome, duration_s: float, ended_at_s: float = 0.0
    ) -> None:
        del outcome, duration_s, ended_at_s
        self._take("answered", call.session, call.number, call.name)

    def declined(self, call: AuditedCall, by: str, reason: str = "") -> None:
        self._take("declined", call.number, call.name, by, reason)

    def released(self, call: AuditedCall, rules: Iterable[str]) -> None:
        self._take("released", call.number, call.name, *rules)


async def test_each_call_is_logged_before_it_is_sent_and_after_its_answer() -> None:
    audit = Auditing()
    oversight = Oversight(
        rules(rule("confirm", "tool.name", equals="mail"), rule("block", "tool.name", equals="wipe")),
        audit=audit,
    )
    session = PlayedSession(tool("read"), tool("mail"), tool("wipe"))
    await called(oversight, session)
    oversight.renew()
    await called(oversight, session, "mail", Agreement.USER)
    for name, raised in (("mail", NotConfirmedError), ("wipe", BlockedError)):
        with pytest.raises(raised):
            await called(oversight, session, name)
    await oversight.decline(session, await oversight.consider(session, "mail", {}))
    found = await oversight.consider(session, "read", {})
    session.list_instead()
    with pytest.raises(NotConfirmedError):
        await oversight.call(session, found)
    assert audit.lines == [
        ("deciding", 1, 1, "read", "allow", ()),
        ("answered", 1, 1, "read"),
        ("deciding", 2, 2, "mail", "confirm", ("confirm-1",)),
        ("answered", 2, 2, "mail"),
        ("deciding", 2, 0, "mail", "confirm", ("confirm-1",)),
        ("declined", 0, "mail", "sightline", "the question could not be asked"),
        ("deciding", 2, 0, "wipe", "block", ("block-2",)),
        ("declined", 0, "wipe", "policy", ""),
        ("deciding", 2, 0, "mail", "confirm", ("confirm-1",)),
        ("declined", 0, "mail", "user", ""),
        ("deciding", 2, 0, "read", "allow", ()),
        ("declined", 0, "read", "sightline", "the definition has changed"),
    ]
    audit.close()


@pytest.mark.parametrize("fails", ["", "released"])
async def test_an_answer_is_released_only_if_the_release_is_logged(fails: str) -> None:
    session = PlayedSession(tool("read"), answers={"read": Result(value=UNTRUSTED)})
    audit = Auditing(fails)
    oversight = Oversight(rules(on_any("confirm")), audit=audit)
    made = await called(oversight, session)
    assert [line[0] for line in audit.lines] == ["deciding", "answered"]
    with pytest.raises(InspectorError, match="full") if fails else nullcontext():
        await oversight.release(session, made)
    await called(oversight, session, agreement=Agreement.YES)
    passes = [ATTACK in seen_of(record) for record in session.calls]
    logged = [line for line in audit.lines if line[0] == "released"]
    expected = [("released", number, "read", "confirm-1") for number in (1, 2)]
    assert (passes, logged) == (([False, False], []) if fails else ([True, True], expected))
    audit.close()


async def test_a_call_that_cannot_be_logged_is_not_sent() -> None:
    session = PlayedSession(tool("read"))
    with pytest.raises(InspectorError, match="the log is full"):
        await called(Oversight(audit=Auditing("deciding")), session)
    assert session.sent == []
    made = await called(Oversight(audit=Auditing("answered")), session)
    assert made.record.remarks == ("the log is full",)


MARKED: JsonObject = {
    "outputSchema": {
        "type": "object",
        "properties": {"key": {"type": "string", "x-sensitive": True}, "id": {"type": "string"}},
    }
}
MARK = "/outputSchema/properties/key/x-sensitive"


@pytest.mark.parametrize(
    ("value", "labels"),
    [
        (
            {"id": "1", "key": "k-5512"},
            [(LabelKind.SENSITIVE, f"webmcp-110 x-sensitive of the tool at {MARK}")],
        ),
        ({"id": "1"}, []),
    ],
)
async def test_a_value_at_a_marked_position_makes_the_session_sensitive(
    value: Json, labels: list[tuple[LabelKind, str]]
) -> None:
    outcome = Result(value={"content": [], "structuredContent": value})
    session, oversight = PlayedSession(tool("mint", MARKED), answers={"mint": outcome}), Oversight()
    made = await called(oversight, session, "mint")
    assert [(label.kind, label.declaration) for label in made.brought.labels] == labels
    listed = made.as_json()["brought"]
    assert listed == [{"mark": kind.value, "value": "", "declared_by": by} for kind, by in labels]
    assert oversight.trust.sensitive is bool(labels)
    # At this boundary, the value reaches the model.
    assert ("k-5512" in seen(made, Level.OPEN)) is bool(labels)
