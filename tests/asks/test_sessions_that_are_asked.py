"""Sessions whose servers send requests to the client, in both eras, well-formed and not."""

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from inspector.asks.answer import Action, Answer, sampled, with_defaults
from inspector.asks.ask import Ask, AskKind
from inspector.errors import NotConfirmedError
from inspector.json.exact import Json
from inspector.json.members import object_at
from inspector.policy.gate.agreement import Agreement
from inspector.policy.gate.oversight import Oversight
from inspector.protocol.catalogue import Catalogue, Kind
from inspector.protocol.client import FULL, NONE, Announcement, Root
from inspector.protocol.frames import Direction, Request, messages
from inspector.protocol.outcome import Failure, FailureKind, Result, RpcError, unfinished
from inspector.protocol.targets import Era, StdioTarget
from inspector.protocol.timeline import EntryKind, EntryState
from inspector.recording.files import Recorder
from inspector.recording.files.playing import Played
from inspector.recording.replaying import Replay
from inspector.session.asking import MAX_ASKS
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.session.rounds import MAX_ROUNDS
from tests.recording.sessions import HEADER

SERVER = Path(__file__).parents[1] / "peers" / "asking_server.py"
ROOT = Root(uri="file:///work", name="work")


def target(era: Era) -> StdioTarget:
    return StdioTarget(command=(sys.executable, "-S", "-E", str(SERVER), era.value))


def by_kind(ask: Ask) -> Answer:
    return (
        Answer(action=Action.ACCEPT, content="a rhyme")
        if ask.kind is AskKind.SAMPLING
        else with_defaults(ask)
    )


@asynccontextmanager
async def asked(
    era: Era, answer: Callable[[Ask], Answer] | None = by_kind, **options: Any
) -> AsyncGenerator[tuple[Session, list[Ask]]]:
    seen: list[Ask] = []

    async def respond(ask: Ask) -> Answer:
        seen.append(ask)
        return answer(ask) if answer else Answer(action=Action.DECLINE)

    session = Session(target(era), replace(Options(era=era, roots=(ROOT,), responder=respond), **options))
    await session.connect()
    await session.list_all()
    try:
        yield session, seen
    finally:
        await session.close()


def said(outcome: object) -> Any:
    assert isinstance(outcome, Result)
    return json.loads(outcome.value["content"][0]["text"])  # type: ignore[index, call-overload]


def notes(session: Session) -> list[str]:
    return [
        f"{entry.title}: {entry.detail}"
        for entry in session.timeline.entries
        if entry.kind is EntryKind.DECISION
    ]


def requests(session: Session, method: str) -> list[Request]:
    sent = (frame for frame in session.timeline.frames if frame.direction is Direction.SENT)
    every = (message for frame in sent for message in messages(frame.body))
    return [message for message in every if isinstance(message, Request) and message.method == method]


async def test_a_server_gets_the_answers_and_each_answer_is_noted() -> None:
    async with asked(Era.LEGACY) as (session, seen):
        replies = said((await session.call("all", {})).outcome)
        assert replies[0] == {"result": {"action": "accept", "content": {"age": 7}}}
        assert replies[1]["result"]["content"] == {"type": "text", "text": "a rhyme"}
        assert replies[2] == {"result": {"roots": [{"uri": "file:///work", "name": "work"}]}}
        assert [ask.kind for ask in seen] == [AskKind.FORM, AskKind.SAMPLING, AskKind.ROOTS]
        assert "roots/list: answered with 1 folder" in notes(session)


async def test_without_a_responder_everything_but_roots_is_declined() -> None:
    async with asked(Era.LEGACY, responder=None) as (session, _):
        replies = said((await session.call("all", {})).outcome)
        assert replies[0] == {"result": {"action": "decline"}}
        assert replies[1]["error"]["code"] == -1
        assert replies[2]["result"]["roots"]


async def test_the_rounds_of_one_call_have_new_ids_and_the_same_state() -> None:
    async with asked(Era.MODERN) as (session, seen):
        record = await session.call("shifting", {"a": 1})
        held = said(record.outcome)
        first, second, third = (request for request in requests(session, "tools/call"))
        assert len({json.dumps(request.id) for request in (first, second, third)}) == 3
        assert "requestState" not in object_at(first.params)
        assert object_at(second.params)["requestState"] == "1"
        assert held["requestState"] == "\u00e9 2 "
        assert held["arguments"] == {"a": 1}
        assert held["inputResponses"] == {"who1": {"action": "accept", "content": {"age": 7}}}
        assert [ask.key for ask in seen] == ["who", "who1"]
        assert len(session.calls) == 1
        calls = [entry for entry in session.timeline.entries if entry.title == "tools/call shifting"]
        assert [(entry.state, len(entry.frames)) for entry in calls] == [(EntryState.DONE, 6)]
        # None of it is sent with another call.
        await session.call("form", {})
        assert "requestState" not in object_at(requests(session, "tools/call")[3].params)


async def test_no_further_round_is_sent_for_a_tool_that_was_changed_meanwhile() -> None:
    def changing(ask: Ask) -> Answer:
        (session,) = sessions
        tools = session.catalogue.entries[Kind.TOOL]
        changed = [replace(tool, definition={**tool.definition, "title": "Other"}) for tool in tools]  # type: ignore[union-attr]
        session.catalogue = Catalogue(entries={Kind.TOOL: tuple(changed)})
        return by_kind(ask)

    sessions: list[Session] = []
    async with asked(Era.MODERN, changing) as (session, seen):
        sessions.append(session)
        with pytest.raises(NotConfirmedError, match="the definition of this tool has changed"):
            await session.call("shifting", {})
        assert len(seen) == len(requests(session, "tools/call")) == 1
    async with asked(Era.LEGACY, changing) as (session, seen):
        sessions[:] = [session]
        with pytest.raises(NotConfirmedError, match="the definition of this tool has changed"):
            await session.call("visit then", {})
        assert len(seen) == len(requests(session, "tools/call")) == 1


async def test_a_retry_without_input_requests_sends_the_state_and_no_responses() -> None:
    async with asked(Era.MODERN) as (session, seen):
        assert said((await session.call("waiting", {})).outcome)["requestState"] == "3"
        assert seen == []
        assert all("inputResponses" not in object_at(each.params) for each in requests(session, "tools/call"))


async def test_a_call_stays_unfinished_if_no_input_is_given() -> None:
    async with asked(Era.MODERN, None) as (session, _):
        for tool in ("sample", "thousand", "huge"):
            assert unfinished((await session.call(tool, {})).outcome)
        assert len(requests(session, "tools/call")) == 3
        assert any("makes 1,000 requests at once" in note for note in notes(session))
        assert said((await session.call("form", {})).outcome)["inputResponses"] == {
            "k0": {"action": "decline"}
        }


async def test_a_server_that_asks_endlessly_is_stopped_at_the_limit() -> None:
    async with asked(Era.MODERN) as (session, seen):
        outcome = (await session.call("endless", {})).outcome
        assert isinstance(outcome, Failure)
        assert outcome.kind is FailureKind.PROTOCOL
        assert "asked for input 11 times and never answered" in outcome.detail
        assert len(seen) == MAX_ROUNDS
    async with asked(Era.LEGACY) as (session, seen):
        assert said((await session.call("endless", {})).outcome) == {"refused": 200 - MAX_ASKS, "asked": 200}
        assert len(seen) == MAX_ASKS


async def test_a_thousand_requests_at_once_and_a_huge_form_are_refused() -> None:
    async with asked(Era.LEGACY) as (session, seen):
        assert said((await session.call("thousand", {})).outcome) == {"replies": 1_000}
        assert len(seen) <= MAX_ASKS
        seen.clear()
        (reply,) = said((await session.call("huge", {}, timeout_s=60)).outcome)
        assert "longer than 1 MB" in reply["error"]["message"]
        assert seen == []


async def test_a_late_or_withdrawn_request_is_not_shown_to_the_user() -> None:
    async with asked(Era.LEGACY) as (session, seen):
        assert said((await session.call("after", {})).outcome) == "done"
        async with asyncio.timeout(30):
            while not any("no request of the client is running" in note for note in notes(session)):
                await asyncio.sleep(0.01)
        assert seen == []

    begun, ended = asyncio.Event(), asyncio.Event()

    async def for_ever(ask: Ask) -> Answer:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return by_kind(ask)

    async with asked(Era.LEGACY, responder=for_ever) as (session, _):
        assert said((await session.call("withdrawn", {})).outcome) == "done"
        async with asyncio.timeout(30):
            # It may be withdrawn before the user was asked.
            await ended.wait() if begun.is_set() else None


@pytest.mark.parametrize(
    ("tool", "detail"),
    [
        ("recalled", "withdrawn by the server: too\x1b[2J late"),
        ("unwaited", "withdrawn: the call has ended"),
        ("dies", "withdrawn: the server exited with code 0"),
    ],
)
async def test_a_withdrawn_request_gets_no_answer_and_is_not_left_waiting(
    tmp_path: Path, tool: str, detail: str
) -> None:
    recorder = Recorder(tmp_path / "session.jsonl", HEADER)
    begun = asyncio.Event()

    async def swallows_its_cancellation(_ask: Ask) -> Answer:
        begun.set()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        return Answer(action=Action.DECLINE)

    async with asked(Era.LEGACY, responder=swallows_its_cancellation, recorder=recorder) as (session, _):
        calling = asyncio.ensure_future(session.call(tool, {}))
        await asyncio.wait_for(begun.wait(), 30)
        await session.ping()
        async with asyncio.timeout(30):
            while all(entry.detail != detail for entry in session.timeline.entries):
                await asyncio.sleep(0.01)
        if tool == "recalled":
            await session.ping()
            assert said((await calling).outcome) == {"replies": 0}
        await calling
    recorder.close()
    played = Played(recorder.path)
    played.index()
    stepped = [played.entry(number, played.last) for number in range(1, played.entry_count(played.last) + 1)]
    played.close()
    for entries in (session.timeline.entries, stepped):
        (entry,) = (entry for entry in entries if entry.kind is EntryKind.SERVER_REQUEST)
        assert (entry.state, entry.detail) == (EntryState.FAILED, detail)


async def test_a_defect_of_the_responder_leaves_no_server_waiting() -> None:
    async def broken(ask: Ask) -> Answer:
        raise ZeroDivisionError(ask.title)

    async with asked(Era.LEGACY, responder=broken) as (session, _):
        (reply,) = said((await session.call("form", {})).outcome)
        assert reply["error"]["code"] == -32603


@pytest.mark.parametrize("takes_s", [0.0, 2.5])
async def test_the_time_limit_is_paused_while_the_user_answers(takes_s: float) -> None:
    async def slowly(ask: Ask) -> Answer:
        await asyncio.sleep(takes_s)
        return by_kind(ask)

    async with asked(Era.LEGACY, responder=slowly) as (session, _):
        assert said((await session.call("form", {}, timeout_s=2)).outcome)
        assert said((await session.call("polled task", {}, timeout_s=2)).outcome) == "polled"


async def test_a_request_as_a_task_gets_a_handle_and_then_the_answer(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "session.jsonl", HEADER)
    async with asked(Era.LEGACY, recorder=recorder) as (session, seen):
        told = said((await session.call("as task", {})).outcome)
        assert told["states"] == ["working", "completed"]
        assert told["result"]["action"] == "accept"
        assert "io.modelcontextprotocol/related-task" in told["result"]["_meta"]
        assert told["unknown"]["error"]["code"] == told["late"]["error"]["code"] == -32602
        assert [ask.kind for ask in seen] == [AskKind.FORM]
    recorder.close()
    # Stepped through, the recording has the same rows.
    played = Played(recorder.path)
    played.index()
    stepped = [played.entry(number, played.last) for number in range(1, played.entry_count(played.last) + 1)]
    played.close()
    for entries in (session.timeline.entries, stepped):
        asked_for = [entry for entry in entries if entry.kind is EntryKind.SERVER_REQUEST]
        assert [(entry.title, entry.state, entry.detail) for entry in asked_for] == [
            ("elicitation/create", EntryState.DONE, "accept"),
            ("tasks/get", EntryState.FAILED, "-32602 no such task"),
        ]


@pytest.mark.parametrize(("answer", "name", "calls"), [(by_kind, "visit then", 2), (None, "visit then", 1)])
async def test_a_call_is_repeated_once_after_the_requested_visit_is_complete(
    answer: Callable[[Ask], Answer] | None, name: str, calls: int
) -> None:
    async with asked(Era.LEGACY, answer) as (session, seen):
        outcome = (await session.call(name, {})).outcome
        assert said(outcome) == "visited" if calls == 2 else isinstance(outcome, RpcError)
        assert len(requests(session, "tools/call")) == calls
        assert [ask.url for ask in seen] == ["https://auth.example/login"]


async def test_a_call_is_not_repeated_if_no_visit_is_reported_complete() -> None:
    async with asked(Era.LEGACY, timeout_s=2) as (session, seen):
        assert isinstance((await session.call("visit first", {})).outcome, RpcError)
        assert [ask.url for ask in seen] == ["https://auth.example/login"]
        assert len(requests(session, "tools/call")) == 1


@pytest.mark.parametrize(("level", "sent"), [(None, []), ("off", []), ("warning", ["warning"])])
async def test_a_log_level_is_set_once_in_the_handshake_era(level: str | None, sent: list[Json]) -> None:
    async with asked(Era.LEGACY, client=Announcement(log_level=level)) as (session, _):
        levels = [object_at(each.params)["level"] for each in requests(session, "logging/setLevel")]
        assert levels == sent


@pytest.mark.parametrize(("level", "stamped"), [(None, "debug"), ("off", None), ("warning", "warning")])
async def test_a_log_level_is_sent_in_each_request_of_the_stateless_era(
    level: str | None, stamped: str | None
) -> None:
    async with asked(Era.MODERN, client=Announcement(log_level=level)) as (session, _):
        meta = object_at(requests(session, "tools/list")[0].params, "_meta")
        assert meta.get("io.modelcontextprotocol/logLevel") == stamped
        assert set(object_at(meta, "io.modelcontextprotocol/clientCapabilities")) == {
            "elicitation",
            "extensions",
            "roots",
            "sampling",
        }


@pytest.mark.parametrize(("era", "others"), [(Era.LEGACY, set[str]()), (Era.MODERN, {"tasks", "skills"})])
async def test_the_full_profile_announces_interfaces_in_both_eras(era: Era, others: set[str]) -> None:
    announced = object_at(FULL.announced_in(era), "extensions")
    prefix = "io.modelcontextprotocol"
    assert set(announced) == {f"{prefix}/{name}" for name in {"ui", *others}}
    assert announced[f"{prefix}/ui"] == {"mimeTypes": ["text/html;profile=mcp-app"]}
    assert "extensions" not in NONE.announced_in(era)


async def test_a_ping_is_sent_in_the_handshake_era_only() -> None:
    async with asked(Era.LEGACY) as (session, _):
        assert "did not answer the ping" in await session.ping()
    async with asked(Era.MODERN) as (session, _):
        assert "has a ping" in await session.ping()
        assert requests(session, "ping") == []


@pytest.mark.parametrize("era", [Era.LEGACY, Era.MODERN])
async def test_a_python_sdk_server_may_offer_tools_for_sampling(era: Era) -> None:
    use: Json = {"type": "tool_use", "id": "1", "name": "weather", "input": {"city": "Oslo"}}
    seen: list[Ask] = []

    async def respond(ask: Ask) -> Answer:
        seen.append(ask)
        return sampled(json.dumps({"content": [use], "stopReason": "toolUse"}))

    server = StdioTarget(command=(sys.executable, str(SERVER.with_name("sdk_server.py")), "stdio"))
    session = Session(server, Options(era=era, responder=respond))
    await session.connect()
    try:
        outcome = (await session.call("ask_model", {})).outcome
        assert isinstance(outcome, Result)
        assert "Oslo" in json.dumps(outcome.value)
        assert [object_at(ask.params)["tools"] for ask in seen] == [
            [{"name": "weather", "inputSchema": {"type": "object"}}]
        ]
    finally:
        await session.close()


@pytest.mark.parametrize("era", [Era.LEGACY, Era.MODERN])
async def test_a_request_by_the_server_makes_the_session_untrusted(era: Era) -> None:
    oversight = Oversight()
    async with asked(era, None) as (session, _):
        for name, untrusted in (("roots", False), ("form", True), ("roots", True)):
            await oversight.call(
                session, await oversight.consider(session, name, {}), agreement=Agreement.YES
            )
            assert oversight.trust.untrusted is untrusted
        (label,) = oversight.trust.labels
        assert (label.origin.call, label.origin.tool) == (2, "form")
        replay = Replay()
        calls = [call for matched in session.timeline.matched for call in replay.take(matched)]
        assert [call.name for call in calls if call.has_asked] == ["form"]
