import os

import pytest
from plain import KEY
from server import mcp

from inspector.testing import AsyncMcpServer, McpServer, McpServerError, cassette, connect, connect_async


def test_a_marked_key_reaches_no_model(mcp_server: McpServer) -> None:
    result = mcp_server.call("make_key", name="production")
    result.assert_fits_schema()
    result.assert_withheld("/secret")
    result.assert_never_seen("plr_", KEY, hosts="all")
    result.assert_meets(equals={"/id": "key-1"}, at_most_tokens=200, absent_for=["all hosts"])
    assert result.structured == {"id": "key-1", "name": "production", "secret": KEY}
    assert result.model("claude-code").tokens < 200
    assert "key-1" in result.model("claude-code")
    assert not result.is_error
    assert "/structuredContent/secret" in result.withheld


def test_errors_are_results(mcp_server: McpServer) -> None:
    assert mcp_server.call("fail").error == "tool_error"
    assert mcp_server.call("make_key").is_error
    assert mcp_server.call("nowhere").is_error
    with pytest.raises(ValueError, match="no host"):
        mcp_server.call("fail").model("nobody")


def test_the_review_has_no_grave_findings(mcp_server: McpServer) -> None:
    assert mcp_server.review().at_least("high") == []
    assert {tool.name for tool in mcp_server.tools()} >= {"make_key", "process"}


def test_a_secret_may_be_sent_back(mcp_server: McpServer) -> None:
    secret = mcp_server.call("make_key", name="a").structured["secret"]
    assert KEY not in repr(secret)
    assert mcp_server.call("make_key", name=secret).structured["name"] == KEY


@pytest.mark.anyio
async def test_asynchronous_tests_use_the_same_server(
    async_mcp_server: AsyncMcpServer, mcp_server: McpServer
) -> None:
    result = await async_mcp_server.call("process")
    assert result.structured == mcp_server.call("process").structured
    assert (await async_mcp_server.review()).at_least("high") == []
    assert await async_mcp_server.tools()


@pytest.mark.mcp_server(mcp)
def test_a_server_object_runs_in_this_process(mcp_server: McpServer) -> None:
    assert mcp_server.call("process").structured == {"result": os.getpid()}


@pytest.mark.mcp_server(mcp)
def test_a_server_object_is_shared_with_other_tests(mcp_server: McpServer) -> None:
    assert mcp_server.call("process").structured == {"result": os.getpid()}


@pytest.mark.mcp_server("demo")
def test_a_test_can_use_another_target(mcp_server: McpServer) -> None:
    mcp_server.call("generate_api_key", name="x").assert_withheld("/secret")


def test_the_interface_works_without_fixtures(tmp_path) -> None:
    with connect("-- python plain.py", record=tmp_path / "made.jsonl") as server:
        server.call("make_key", name="x").assert_withheld("/secret")
    assert KEY not in (tmp_path / "made.jsonl").read_text()
    with connect(cassette(tmp_path / "made.jsonl")) as server:
        server.call("make_key", name="x").assert_withheld("/secret")
        with pytest.raises(McpServerError, match="other parameters"):
            server.call("make_key", name="y")


@pytest.mark.anyio
async def test_the_interface_works_in_an_event_loop_without_fixtures() -> None:
    async with connect_async(["python", "server.py"]) as server:
        assert (await server.call("make_key", name="x")).error is None
    with pytest.raises(McpServerError, match="cannot start"):
        async with connect_async("-- no-such-program"):
            pass


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request) -> str:
    return request.param
