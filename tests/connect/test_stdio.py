import asyncio
import gc
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from inspector.connect import processes
from inspector.connect.dispatch import Dispatcher
from inspector.connect.stdio import StdioProcess, how_it_ended
from inspector.connect.tap import Tap
from inspector.errors import UnreachableError
from inspector.json.exact import JsonObject, dump
from inspector.protocol.catalogue import Kind
from inspector.protocol.client import FULL, NONE, Announcement, ClientProfile, Root
from inspector.protocol.exchanges import Matched
from inspector.protocol.frames import Channel
from inspector.protocol.outcome import Failure, FailureKind, Result, RpcError
from inspector.protocol.targets import Era, StdioTarget
from inspector.protocol.timeline import EntryKind, EntryState
from inspector.session.call_record import Progress
from inspector.session.events import Event, SessionState, StateChanged
from inspector.session.live import Session
from inspector.session.options import Options
from tests.connect.stdio_peer import called, of_kind, raw_server, session_with


@pytest.mark.parametrize(
    ("behaviour", "result"),
    [
        ("unknown fields", b'{"content":[{"type":"hologram","x":1e400}],"zzz":12345678901234567890123}'),
        ("null result", b"null"),
        ("list result", b"[1,2]"),
        ("garbage", b'{"content":[]}'),
        ("batch", b'{"content":[]}'),
        ("duplicate ids", b'{"content":[],"which":1}'),
        ("id as text", b'{"content":[]}'),
        ("violates its schema", b'{"content":[],"structuredContent":{"violates":"the schema"}}'),
    ],
)
async def test_an_odd_answer_is_an_unchanged_result(behaviour: str, result: bytes) -> None:
    record, entries = await called(behaviour)
    assert isinstance(record.outcome, Result)
    assert dump(record.outcome.value) == result
    assert all(entry.state is not EntryState.PENDING for entry in entries)
    # One number for a call: from frame to frame, as the timeline has it.
    assert [entry.duration_s for entry in entries if entry.title == "tools/call t"] == [record.duration_s]


@pytest.mark.parametrize(
    ("behaviour", "error"),
    [
        ("both result and error", RpcError(value={"code": -1, "message": "both"}, beside={})),
        ("error without id", RpcError(value={"code": -32700, "message": "cannot read"})),
    ],
)
async def test_an_error_answer_is_an_unchanged_rpc_error(behaviour: str, error: RpcError) -> None:
    record, entries = await called(behaviour)
    assert record.outcome == error
    assert all(entry.state is not EntryState.PENDING for entry in entries)


@pytest.mark.parametrize(
    ("behaviour", "kind", "detail"),
    [
        (
            "garbage",
            EntryKind.FAULT,
            'server printed to stdout instead of stderr: "Traceback (most recent call last):"',
        ),
        ("duplicate ids", EntryKind.FAULT, "an answer to id 2, which no request waits for"),
        ("batch", EntryKind.LOG, "hi"),
        ("both result and error", EntryKind.EXCHANGE, "both result and error; -1 both"),
    ],
)
async def test_faults_on_the_wire_are_in_the_timeline(behaviour: str, kind: EntryKind, detail: str) -> None:
    _, entries = await called(behaviour)
    assert detail in [entry.detail for entry in of_kind(entries, kind)]


@pytest.mark.parametrize("then", ["import time; time.sleep(60)", "import sys; sys.exit(3)"])
async def test_the_error_about_stray_stdout_advises_to_log_to_stderr(then: str) -> None:
    code = f"print('\\x1b[1mDEBUG got ready', flush=True); {then}"
    target = StdioTarget(command=(sys.executable, "-c", code))
    session = Session(target, Options(era=Era.LEGACY, connect_timeout_s=2))
    with pytest.raises(UnreachableError) as raised:
        await session.connect()
    await session.close()
    assert '\nserver printed to stdout instead of stderr: "␛[1mDEBUG got ready"' in raised.value.message


async def test_stderr_that_the_end_of_a_server_quotes_has_no_sensitive_argument() -> None:
    code = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "tools/call":
        print("login with", asked["params"]["arguments"]["pin"], "failed", file=sys.stderr)
        sys.exit(3)
    schema = {"type": "object", "properties": {"pin": {"type": "string", "x-sensitive": True}}}
    found = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"},
             "tools": [{"name": "t", "inputSchema": schema}]}
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": found}), flush=True)
"""
    target = StdioTarget(command=(sys.executable, "-c", code))
    events: list[Event] = []
    session = Session(target, Options(era=Era.LEGACY, connect_timeout_s=10), events.append)
    await session.connect()
    await session.list_all()
    record = await session.call("t", {"pin": "pin-4711-canary"})
    await session.close()
    assert isinstance(record.outcome, Failure)
    assert "login with •••••••• failed" in record.outcome.detail
    said = [event.message for event in events if isinstance(event, StateChanged)]
    assert any("•••••••• failed" in detail for detail in said)
    assert "pin-4711" not in "".join((record.outcome.detail, *said))


async def test_a_server_that_dies_in_a_call_fails_it_with_exit_code_and_stderr() -> None:
    events: list[Event] = []
    async with session_with("dies in a call", events=events) as session:
        record = await session.call("t", {})
        assert isinstance(record.outcome, Failure)
        assert record.outcome.kind is FailureKind.CONNECTION_LOST
        assert record.outcome.detail.startswith("the server exited with code 3\ncommand: ")
        assert "\n  about to fail\n  Traceback: boom" in record.outcome.detail
        again = await session.call("t", {})
        assert again.outcome == record.outcome
    states = [event.state for event in events if isinstance(event, StateChanged)]
    assert states == [SessionState.CONNECTING, SessionState.READY, SessionState.FAILED]


async def test_a_timeout_cancels_the_request_and_leaves_the_connection_usable() -> None:
    record, entries = await called("silent", timeout_s=0.5)
    assert record.outcome == Failure(kind=FailureKind.TIMEOUT, detail="no answer to tools/call within 0.5 s")
    cancelled = of_kind(entries, EntryKind.NOTIFICATION)
    assert "notifications/cancelled" in [entry.title for entry in cancelled]
    failed = [entry for entry in entries if entry.title == "tools/call t"]
    assert [(entry.state, entry.detail) for entry in failed] == [
        (EntryState.FAILED, "no answer to tools/call within 0.5 s")
    ]


async def test_cancelling_a_call_cancels_it_on_the_wire() -> None:
    async with session_with("silent") as session:
        calling = asyncio.ensure_future(session.call("t", {}))
        while not any(entry.title == "tools/call t" for entry in session.timeline.entries):
            await asyncio.sleep(0)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        sent = of_kind(list(session.timeline.entries), EntryKind.NOTIFICATION)
        assert sent[-1].title == "notifications/cancelled"
        assert session.state is SessionState.READY


async def test_progress_is_reported_and_restarts_the_time_limit() -> None:
    seen: list[Progress] = []
    async with session_with("progress") as session:
        record = await session.call("t", {}, on_progress=seen.append, timeout_s=1)
    assert isinstance(record.outcome, Result)
    assert record.duration_s > 1
    assert seen[0] == Progress(progress=1, total=4, message="step 1")
    assert len(seen) == 4


@pytest.mark.parametrize(
    ("profile", "roots"),
    [
        (FULL, {"result": {"roots": [{"uri": "file:///work", "name": "work"}]}}),
        (NONE, {"error": {"code": -32601, "message": "not supported: roots/list"}}),
    ],
)
async def test_requests_of_the_server_for_a_ping_and_roots_are_answered(
    profile: ClientProfile, roots: JsonObject
) -> None:
    root = Root(uri="file:///work", name="work")
    session = Session(
        raw_server("asks back"),
        Options(era=Era.LEGACY, client=Announcement(profile=profile), roots=(root,)),
    )
    await session.connect()
    record = await session.call("t", {})
    await session.close()
    assert isinstance(record.outcome, Result)
    assert isinstance(record.outcome.value, dict)
    assert record.outcome.value["replies"] == [
        {"jsonrpc": "2.0", "id": "p1", "result": {}},
        {"jsonrpc": "2.0", "id": 2, **roots},
    ]


async def test_a_server_process_gets_only_the_named_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "canary")
    server = raw_server("environment")
    target = StdioTarget(command=server.command, environment={"GIVEN": "1"}, cwd=str(tmp_path))
    session = Session(target, Options(era=Era.LEGACY))
    await session.connect()
    record = await session.call("t", {})
    await session.close()
    assert isinstance(record.outcome, Result)
    assert isinstance(record.outcome.value, dict)
    environment = record.outcome.value["environment"]
    assert isinstance(environment, dict)
    assert "GIVEN" in environment
    assert set(environment) <= {
        "HOME",
        "LOGNAME",
        "PATH",
        "SHELL",
        "TERM",
        "USER",
        "LANG",
        "GIVEN",
        "LC_CTYPE",
    }
    assert record.outcome.value["cwd"] == str(tmp_path)


async def test_a_line_of_5_mb_is_read_completely() -> None:
    record, _ = await called("large")
    assert record.size_bytes > 5_000_000


@pytest.mark.parametrize(
    ("behaviour", "era", "attempts"),
    [
        ("refuses the probe", Era.AUTO, 1),
        ("silent at the probe", Era.AUTO, 1),
        ("slow to start", Era.AUTO, 1),
        ("exits at the probe", Era.AUTO, 2),
        ("refuses and exits at the probe", Era.AUTO, 2),
        ("odd identity", Era.LEGACY, 1),
    ],
)
async def test_every_kind_of_handshake_server_can_be_connected_to(
    behaviour: str, era: Era, attempts: int
) -> None:
    async with session_with(behaviour, era=era) as session:
        assert session.server is not None
        assert (session.server.era, session.server.protocol_version) == (Era.LEGACY, "2025-11-25")
        assert isinstance((await session.call("t", {})).outcome, Result)
        notes = of_kind(list(session.timeline.entries), EntryKind.NOTE)
        assert sum(note.title.startswith("started process") for note in notes) == attempts


@pytest.mark.parametrize(
    ("behaviour", "message", "hint"),
    [
        ("ends at once", "the server exited with code 7\ncommand: ", "Run the command in a shell"),
        (
            "ends at once",
            "its stderr:\n  cannot open /etc/nothing",
            "Run the command in a shell",
        ),
        (
            "never answers",
            "no answer to initialize within 0.5 s\ncommand: ",
            "Is this an MCP server on stdio?",
        ),
        ("refuses", 'initialize with an error: {"code":-32000,"message":"not today"}', "Try --era"),
    ],
)
async def test_a_server_that_cannot_be_used_is_one_clear_error(
    behaviour: str, message: str, hint: str
) -> None:
    with pytest.raises(UnreachableError) as caught:
        async with session_with(
            behaviour, era=Era.AUTO, connect_timeout_s=0.5 if behaviour == "never answers" else 20
        ):
            pass
    assert message in caught.value.message
    assert caught.value.hint.startswith(hint)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("sh", "-c", "exec <&-; sleep 0.6; exit 3"), "the server exited with code 3\ncommand: sh -c "),
        (("sh", "-c", "exec <&-; sleep 30"), "the server closed its input\ncommand: sh -c "),
    ],
    ids=["ends", "runs on"],
)
async def test_a_write_to_a_closed_server_is_reported_with_how_the_server_ended(
    command: tuple[str, ...], told: str
) -> None:
    tap = Tap(lambda _: None)
    dispatcher = Dispatcher(tap, lambda _: None)
    process = StdioProcess(StdioTarget(command=command), tap, dispatcher)
    dispatcher.attach(process)
    await process.start()
    try:
        await asyncio.sleep(0.3)
        answer = await dispatcher.request("ping", {}, timeout_s=10)
        assert isinstance(answer.outcome, Failure)
        assert answer.outcome.detail.startswith(told)
    finally:
        await process.close()


async def test_a_missing_command_is_named() -> None:
    with pytest.raises(UnreachableError) as caught:
        await Session(StdioTarget(command=("no-such-command-anywhere", "x y")), Options()).connect()
    assert caught.value.message == (
        "cannot start the server: No such file or directory\ncommand: no-such-command-anywhere 'x y'"
    )


async def test_ten_thousand_tools_in_200_pages_are_listed_completely() -> None:
    async with session_with("200 pages") as session:
        catalogue = await session.list_all()
    assert [tool.name for tool in catalogue.tools] == [f"tool_{number:05d}" for number in range(10_000)]
    assert catalogue.malformed == ()


@pytest.mark.parametrize(
    ("behaviour", "tools", "reasons"),
    [
        (
            "circular pages",
            ["tNone", "tagain"],
            ["`nextCursor` repeats an earlier cursor, so the pages after it were not requested"],
        ),
        ("numeric cursor", ["t"], ["`nextCursor` is not a string, so the pages after it were not requested"]),
        ("page is not an object", [], ["the tools/list result is not an object"]),
        ("no tools capability", [], ["tools/list ended early"]),
        (
            "one broken tool",
            ["t", "hinted"],
            [
                "`inputSchema` is missing",
                "is not an object",
                "`name` is missing",
                "the name is taken by an earlier tool",
            ],
        ),
    ],
)
async def test_a_listing_with_malformed_items_keeps_the_good_ones(
    behaviour: str, tools: list[str], reasons: list[str]
) -> None:
    async with session_with(behaviour) as session:
        if behaviour == "no tools capability":
            with pytest.raises(UnreachableError, match="tools cannot be listed"):
                await session.list_all()
            return
        catalogue = await session.list_all()
    assert [tool.name for tool in catalogue.tools] == tools
    assert [item.reason for item in catalogue.malformed] == reasons


async def test_a_tool_definition_is_kept_as_it_was_sent() -> None:
    async with session_with("plain") as session:
        catalogue = await session.list_all()
    assert dump(catalogue.tools[0].definition) == (
        b'{"name":"t","inputSchema":{"type":"object"},"x-acme":[1.1,{"deep":null}]}'
    )
    assert list(catalogue.entries) == [Kind.TOOL]


async def test_a_server_that_ignores_termination_is_killed_with_its_children() -> None:
    async with session_with("cannot be ended") as session:
        note = of_kind(list(session.timeline.entries), EntryKind.NOTE)[0].title
        group = int(note.removeprefix("started process ").partition(":")[0])
        assert members(group)
    await gone(group)


async def test_a_server_ends_when_sightline_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "host.py"
    script.write_text(
        "import asyncio, sys\n"
        "from inspector.session.options import Options\nfrom inspector.session.live import Session\n"
        "from inspector.protocol.targets import Era, StdioTarget\n"
        "async def main():\n"
        "    session = Session(StdioTarget(command=tuple(sys.argv[1:])), Options(era=Era.LEGACY))\n"
        "    await session.connect()\n"
        "    print(session.timeline.entries[0].title, flush=True)\n"
        "    await asyncio.sleep(600)\n"
        "asyncio.run(main())\n"
    )
    target = raw_server("ignores its end")
    host = await asyncio.create_subprocess_exec(
        target.command[0],
        str(script),
        *target.command,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert host.stdout is not None
    line = (await host.stdout.readline()).decode()
    group = int(line.removeprefix("started process ").partition(":")[0])
    host.kill()
    await host.wait()
    await gone(group)


async def test_daemons_of_a_server_end_with_it_even_if_they_hold_its_pipes() -> None:
    for behaviour in ("leaves a daemon", "leaves a daemon with its pipes"):
        # A process that the same program started in another way does not belong to the server.
        other = await asyncio.create_subprocess_exec("sleep", "600", start_new_session=True)
        async with session_with(behaviour) as session:
            started = of_kind(list(session.timeline.entries), EntryKind.NOTE)[0].title
            server = int(started.removeprefix("started process ").partition(":")[0])
            word = f"left-by-{server}".encode()
            async with asyncio.timeout(30):
                while len(daemons := with_word(word)) != 1:
                    await asyncio.sleep(0.01)
        notes = [entry.title for entry in of_kind(list(session.timeline.entries), EntryKind.NOTE)]
        assert with_word(word) == []
        assert any(note.startswith(f"ended process {daemons[0]} (") for note in notes)
        assert other.returncode is None
        other.kill()
        await other.wait()


@pytest.mark.parametrize("behaviour", ["leaves a daemon with its pipes", "cannot be ended"])
@pytest.mark.parametrize("cancelled_after_s", [(0.0,), (0.0, 0.0, 0.0, 0.0), (0.05, 0.0), (0.2, 0.02)])
async def test_no_process_is_left_if_ending_is_cancelled(
    behaviour: str, cancelled_after_s: tuple[float, ...]
) -> None:
    command = raw_server(behaviour).command
    program = await processes.start(
        command, environment=processes.environment(), cwd=None, pipes=("stdin", "stdout")
    )
    word = f"left-by-{program.pid}".encode()
    async with asyncio.timeout(30):
        while len(members(program.pid)) + len(with_word(word)) < 2:
            await asyncio.sleep(0.01)
    ending = asyncio.ensure_future(program.end(5))
    for delay_s in cancelled_after_s:
        await asyncio.sleep(delay_s)
        ending.cancel()
    await asyncio.gather(ending, return_exceptions=True)
    assert (members(program.pid), with_word(word)) == ([], [])
    assert program.returncode in {-signal.SIGTERM, -signal.SIGKILL}


@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize("is_busy", [False, True])
async def test_no_process_is_left_if_starting_is_cancelled(times: int, *, is_busy: bool) -> None:
    word = f"started-by-{os.getpid()}"
    script = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(600)', sys.argv[1]])"
    starting = asyncio.ensure_future(
        processes.start(
            (sys.executable, "-c", script, word),
            environment=processes.environment(),
            cwd=None,
            pipes=("stdin", "stdout", "stderr"),
        )
    )
    for number in range(times):
        await asyncio.sleep(0)
        if is_busy and not number:
            await asyncio.sleep(0)
            # The program runs, and has a child, before asyncio has connected its pipes.
            while len(with_word(word.encode())) < 2:
                time.sleep(0.01)  # noqa: ASYNC251
        starting.cancel()
    await asyncio.wait({starting}, timeout=20)
    assert starting.cancelled()
    assert with_word(word.encode()) == []
    # If asyncio had not noticed the exit, its objects would warn.
    gc.collect()


def with_word(word: bytes) -> list[int]:
    """The processes with a word on their command line; a zombie has no command line."""
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if word in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


async def test_an_endless_line_ends_the_connection_at_the_limit() -> None:
    for era in (Era.AUTO, Era.LEGACY):
        entries: list[Event] = []
        options = Options(era=era, max_message_bytes=1 << 20)
        session = Session(raw_server("endless line"), options, entries.append)
        with pytest.raises(
            UnreachableError, match=r"a line of more than 1 MB.*\n`message_mb` in the table \[limits\]"
        ):
            await session.connect()
        notes = [entry.title for entry in of_kind(list(session.timeline.entries), EntryKind.NOTE)]
        assert sum(note.startswith("started process") for note in notes) == 1


async def test_a_line_as_long_as_the_limit_is_read_and_one_byte_more_is_not() -> None:
    for size, is_read in ((1 << 20, True), ((1 << 20) + 1, False)):
        command = (sys.executable, "-c", f"print('1' * {size}, flush=True); input()")
        seen = list[Matched]()
        tap = Tap(seen.append)
        dispatcher = Dispatcher(tap, lambda _: None)
        process = StdioProcess(StdioTarget(command=command), tap, dispatcher, max_message_bytes=1 << 20)
        dispatcher.attach(process)
        await process.start()
        try:
            async with asyncio.timeout(30):
                while not any(one.frame.channel is Channel.STDIO for one in seen) and not dispatcher.lost:
                    await asyncio.sleep(0.01)
            assert (dispatcher.lost is None) is is_read
        finally:
            await process.close()


async def test_an_error_quotes_the_first_and_the_last_lines_of_stderr() -> None:
    with pytest.raises(UnreachableError) as caught:
        async with session_with("long usage"):
            pass
    lines = caught.value.message.split("\n")[2:]
    assert lines == [
        "its stderr, the first 20 and the last 20 lines:",
        "  cannot open /etc/nothing",
        *(f"  usage {number}" for number in range(19)),
        "  … 21 lines left out …",
        *(f"  usage {number}" for number in range(40, 60)),
    ]


async def gone(group: int) -> None:
    """Wait until no process of a group is left; a killed process takes a moment to disappear."""
    async with asyncio.timeout(30):
        while members(group):
            await asyncio.sleep(0.01)


def members(group: int) -> list[int]:
    """The live processes of a group; a zombie of another parent does not count."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(fields[2]) == group and fields[0] != "Z":
                found.append(int(entry.name))
    return found


def test_the_signal_that_ended_a_server_is_named() -> None:
    assert how_it_ended(-signal.SIGSEGV) == "the server was ended by SIGSEGV"
    assert how_it_ended(2) == "the server exited with code 2"


async def test_a_script_that_starts_no_server_is_recognised(tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    script.write_text("print_nothing = True")
    target = StdioTarget(command=(sys.executable, str(script)))
    with pytest.raises(UnreachableError) as caught:
        await Session(target, Options(connect_timeout_s=10), lambda _: None).connect()
    assert "Does the script start the server" in caught.value.hint
