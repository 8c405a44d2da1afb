import pytest

from inspector.demo.secrets import MARK
from inspector.json.exact import Json, JsonObject
from tests.demo.clients import (
    ARGUMENTS,
    LEGACY,
    StdioClient,
    call,
    enveloped,
    fetch,
    initialize,
    member,
    request,
)

HANDSHAKE_ERA, STATELESS_ERA = "handshake", "stateless"


def called(
    era: str, name: str, arguments: JsonObject | None = None, meta: JsonObject | None = None
) -> JsonObject:
    params = call(name, arguments)
    if era == STATELESS_ERA:
        return request(name, "tools/call", enveloped(params, meta))
    return request(name, "tools/call", {**params, "_meta": meta or {}})


async def ready(client: StdioClient, era: str) -> StdioClient:
    return await client.opened() if era == HANDSHAKE_ERA else client


@pytest.mark.parametrize("era", [HANDSHAKE_ERA, STATELESS_ERA])
async def test_every_tool_answers_once(era: str) -> None:
    async with await StdioClient.start("--seed", "1") as client:
        await ready(client, era)
        for name in ARGUMENTS:
            result = member(await client.ask(called(era, name)), "result")
            assert member(result, "content"), name
            assert isinstance(result, dict)
            assert ("resultType" in result) is (era == STATELESS_ERA)
        assert client.others == []
        assert (await client.leave())[0] == 0


@pytest.mark.parametrize("era", [HANDSHAKE_ERA, STATELESS_ERA])
async def test_a_slow_call_reports_progress_while_another_is_answered(era: str) -> None:
    async with await StdioClient.start() as client:
        await ready(client, era)
        arguments: JsonObject = {"seconds": 0.6, "steps": 3}
        await client.send(called(era, "export_report", arguments, {"progressToken": "t"}))
        await client.ask(called(era, "clean_clock"))
        assert client.others == []
        seen = [await client.read() for _ in range(4)]
        assert [each.get("method") for each in seen] == [*["notifications/progress"] * 3, None]
        assert [member(each, "params", "progress") for each in seen[:3]] == [1, 2, 3]
        assert seen[3]["id"] == "export_report"


async def test_a_cancelled_call_stays_unanswered_and_its_id_is_free_again() -> None:
    async with await StdioClient.start() as client:
        await client.opened()
        await client.send(called(HANDSHAKE_ERA, "export_report", {"seconds": 60, "steps": 1}))
        cancelled: JsonObject = {"requestId": "export_report"}
        await client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled})
        assert await client.ask(request("export_report", "ping")) == {
            "jsonrpc": "2.0",
            "id": "export_report",
            "result": {},
        }
        assert client.others == []


GARBAGE: list[tuple[bytes, int]] = [
    (b"garbage", -32700),
    (b'{"jsonrpc":"2.0","id":1,', -32700),
    (b"\xff\xfe\x00", -32700),
    (b"null", -32600),
    (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600),
    (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
    (b"[" * 100_000, -32700),
    (b"[" * 5_000 + b"]" * 5_000, -32600),
]


async def test_garbage_is_answered_without_an_id_and_does_not_end_the_session() -> None:
    async with await StdioClient.start() as client:
        for raw, code in GARBAGE:
            await client.write(raw + b"\n")
            refused = await client.read()
            assert (refused["id"], member(refused, "error", "code")) == (None, code)
        await client.write(b"\n  \r\n")
        assert member(await client.ask(request(1, "ping")), "result") == {}
        assert client.others == []


async def test_batches_are_accepted_in_one_revision_only() -> None:
    batch: Json = [request(1, "ping"), request(2, "ping")]
    for version, accepted in ((LEGACY, False), ("2025-03-26", True)):
        async with await StdioClient.start() as client:
            await client.opened(version)
            await client.send(batch)
            line = await client.read_line()
            assert line.startswith(b"[") is accepted


async def test_lines_may_arrive_in_pieces_or_several_at_once() -> None:
    async with await StdioClient.start() as client:
        await client.write(b'{"jsonrpc":"2.0","id":1,"met')
        await client.write(b'hod":"ping"}\r\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n')
        assert [(await client.read())["id"] for _ in range(2)] == [1, 2]


async def test_a_last_line_without_a_line_end_is_answered() -> None:
    async with await StdioClient.start() as client:
        await client.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
        output, _ = await client.hang_up()
        assert output == b'{"jsonrpc":"2.0","id":1,"result":{}}\n'


async def test_a_result_of_fifty_thousand_rows_is_sent_on_one_line() -> None:
    async with await StdioClient.start() as client:
        await client.opened()
        answer = await client.ask(called(HANDSHAKE_ERA, "list_audit_log", {"rows": 50_000}))
        rows = member(answer, "result", "structuredContent", "rows")
        assert isinstance(rows, list)
        assert len(rows) == 50_000


async def test_the_share_link_of_a_stdio_server_can_be_redeemed() -> None:
    async with await StdioClient.start() as client:
        await client.opened()
        answer = await client.ask(called(HANDSHAKE_ERA, "create_share_link"))
        url = str(member(answer, "result", "content", 1, "redeemUrl"))
        origin, path = url.removesuffix("/").split("/secrets/")
        revealed = await fetch(origin, "GET", f"/secrets/{path}")
        assert (revealed.status, str(revealed.value["value"]).startswith(MARK)) == (200, True)
        assert (await fetch(origin, "GET", f"/secrets/{path}")).status == 410
        assert (await fetch(origin, "POST", "/mcp", {}, b"{}")).status == 404
        code, errors = await client.leave()
        assert (code, f"{origin}/secrets/" in errors.decode()) == (0, True)
        with pytest.raises(ConnectionRefusedError):
            await fetch(origin, "GET", "/secrets/x")


async def test_stateless_requests_need_no_handshake() -> None:
    async with await StdioClient.start() as client:
        found = await client.ask(request(1, "server/discover", enveloped()))
        assert member(found, "result", "supportedVersions") == ["2026-07-28"]
        opening = initialize()
        params = opening["params"]
        assert isinstance(params, dict)
        answer = await client.ask({**opening, "params": enveloped(params)})
        assert member(answer, "result", "protocolVersion") == LEGACY
