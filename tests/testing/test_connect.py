"""The interface without pytest's fixtures: targets, refusals, and values that mask their secrets."""

import asyncio
import pickle
import re
import sys
from collections.abc import AsyncGenerator
from concurrent.futures import Future
from contextlib import asynccontextmanager
from pathlib import Path
from unittest.mock import Mock, patch

import pytest
from mcp.server.mcpserver import MCPServer

import inspector.testing
from inspector.json.exact import DuplicateKeys, Json, Number
from inspector.testing import McpServer, McpServerError, connect, connect_async
from inspector.testing.covered import SecretText, cover, plain
from inspector.testing.engine import Pending, Unavailable

PLAIN = Path(__file__).parent / "project" / "plain.py"
SECRET = "planted-secret-4711"


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("server.py", "Did you mean -- python server.py"),
        ("-- python 'x", "No closing quotation"),
        ((), "not a command"),
        ((1,), "not a command"),
        (7, "not a target: int"),
        ("recording.jsonl", "is a recording, not a server"),
        (inspector.testing.cassette("nowhere.jsonl"), "no cassette nowhere.jsonl"),
        (inspector.testing.cassette(PLAIN), "is not a recording"),
    ],
)
def test_an_invalid_target_is_refused_before_anything_starts(target: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        connect(target)
    with pytest.raises(ValueError, match="no boundary wide; known boundaries: open"):
        connect("demo", boundary="wide")


def test_a_server_that_cannot_start_is_an_error_without_its_secrets() -> None:
    with pytest.raises(McpServerError, match="exit") as failed, connect(["python", "-c", f"1/0 # {SECRET}"]):
        pass
    assert "ZeroDivisionError" in str(failed.value)
    with (
        pytest.raises(McpServerError, match="cannot start") as failed,
        connect(["no-such", f"--key={SECRET}"]),
    ):
        pass
    assert SECRET not in str(failed.value)
    assert SECRET not in repr(connect(["no-such", f"--key={SECRET}"]))


def test_a_failing_lifespan_of_a_server_object_is_an_error_with_the_reason() -> None:
    @asynccontextmanager
    async def lifespan(_: MCPServer) -> AsyncGenerator[None]:
        raise RuntimeError("no database")
        yield

    with pytest.raises(McpServerError) as failed, connect(MCPServer("x", lifespan=lifespan)):
        pass
    assert str(failed.value) == "the server ended: RuntimeError: no database"


def test_a_server_that_ends_fails_its_call_and_not_the_next_server() -> None:
    dying = "import sys; sys.stdin.readline(); sys.exit(3)"
    with pytest.raises(McpServerError), connect([sys.executable, "-c", dying]):
        pass
    with connect([sys.executable, PLAIN]) as server:
        assert server.call("process").error is None
    with pytest.raises(RuntimeError, match="with statement"):
        server.call("process")


async def test_a_server_keeps_its_process_within_an_event_loop() -> None:
    async with connect_async([sys.executable, PLAIN]) as server:
        first = (await server.call("process")).structured
        assert (await server.call("process")).structured == first
        assert [tool.name for tool in await server.tools()][:1] == ["make_key"]


async def test_an_event_loop_other_than_asyncio_waits_in_a_thread() -> None:
    async with connect_async([sys.executable, PLAIN]) as server:
        with patch("inspector.testing.engine.asyncio", Mock(get_running_loop=Mock(side_effect=RuntimeError))):
            pending = Pending[int](found := Future[int | Unavailable]())
            found.set_result(7)
            assert await pending.awaited() == 7
        assert (await server.call("process")).error is None


async def test_a_call_that_is_cancelled_ends(tmp_path: Path) -> None:
    async with connect_async([sys.executable, "-m", "inspector.demo", "stdio"], cwd=tmp_path) as server:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await server.call("export_report", seconds=30)
        assert (await server.call("clean_clock")).error is None


@pytest.fixture(scope="module")
def server() -> "McpServer":
    return connect([sys.executable, PLAIN])


def test_each_assertion_refuses_invalid_parameters_with_a_reason(server: McpServer) -> None:
    with server:
        result = server.call("make_key", name="x")
        with pytest.raises(ValueError, match="fewer than 4"):
            result.assert_never_seen("plr")
        for host in ("nobody", ["nobody"]):
            with pytest.raises(ValueError, match="no host nobody; known hosts: spec"):
                result.assert_never_seen("plr_", hosts=host)
        with pytest.raises(ValueError, match="no severity grave; known severities: info"):
            server.review().at_least("grave")
        with pytest.raises(TypeError, match="an argument is a object"):
            server.call("make_key", name=object())
        with pytest.raises(
            AssertionError, match="never_seen: a model sees it unchanged, 1 host: claude-code"
        ):
            result.assert_never_seen("key-1", hosts="claude-code")
        result.assert_meets(
            equals={"/id": "key-1"}, contains="key-1", matches={"type": "object"}, at_most_ms=10_000
        )
        server.call("fail").assert_meets(error="tool_error")
        found = server.review()
        assert found.at_least("info", ignore=[each.rule for each in found.findings]) == []


def test_a_secret_argument_is_sent_and_masked_in_results() -> None:
    for name in (SecretText(SECRET), "ghp_abcdefghijklmnopqrstuvwxyz0123456789"):
        with connect([sys.executable, PLAIN]) as started:
            result = started.call("make_key", name=name)
            assert result.structured["name"] == name
            assert str(name) not in repr(result.raw)
            with pytest.raises(AssertionError) as failed:
                result.assert_withheld("/name")
            assert str(name) not in str(failed.value)
            assert "(19 characters)" in str(failed.value) or not isinstance(name, SecretText)


def test_credentials_of_the_target_are_masked_in_results() -> None:
    variables = {"API_TOKEN": SECRET, "STAGE": "production"}
    with connect([sys.executable, PLAIN], environment=variables) as server:
        assert server.call("variable", name="API_TOKEN").structured["value"] == SECRET
        assert SECRET not in repr(server.call("variable", name="API_TOKEN").raw)
        assert "production" in repr(server.call("variable", name="STAGE").raw)


def test_a_credential_next_to_a_masked_secret_is_masked_too() -> None:
    with connect("demo") as server:
        result = server.call("sync_calendar", calendar="team")
        assert re.search("AKIADEMOSECRET[A-Z0-9]+", result.text)
        shown = "\n".join(result.described("claude-code"))
        assert "AKIADEMOSECRET" not in repr(result.raw) + repr(result.text) + shown
        assert "X-Key-Id: ••••" in repr(result.text)


@pytest.mark.parametrize(
    ("value", "masked"),
    [
        ({"a": SECRET, "b": 1}, {"a": "••••", "b": 1}),
        ({"a": {SECRET: [SECRET, 4711, 47.11]}}, {"a": "••••"}),
        ({SECRET: 1}, {"••••": 1}),
        ([f"the key is {SECRET}"], ["the key is ••••"]),
        ([1, 2], ["••••"]),
        (DuplicateKeys((("a", SECRET), ("a", 1))), "••••"),
    ],
)
def test_values_with_masked_secrets_compare_equal_and_hide_them(value: Json, masked: Json) -> None:
    found = cover(value, masked)
    for shown in (repr(found), str(found) if not isinstance(found, str) else "", f"{[found]}"):
        assert SECRET not in shown
        assert "4711" not in shown.replace(SECRET, "")
    if not isinstance(value, DuplicateKeys):
        assert found == value
        assert plain(found) == value


def test_parts_of_a_secret_are_masked_and_it_cannot_be_pickled() -> None:
    secret = SecretText(SECRET)
    assert secret[:7] == "planted"
    for shown in (secret[:7], secret[0], *secret.splitlines(), *secret.splitlines(keepends=True)):
        assert "plan" not in repr(shown)
    assert SECRET.encode() not in pickle.dumps(secret)
    assert type(plain(secret)) is str
    assert plain(Number("1.10")) == Number("1.10")


def test_every_public_name_can_be_imported() -> None:
    for name in inspector.testing.__all__:
        assert getattr(inspector.testing, name)
    with pytest.raises(AttributeError):
        _ = inspector.testing.nothing  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
