import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.demo.eras import HANDSHAKE_VERSIONS, LOG_LEVELS, SERVER_INFO_KEY
from inspector.demo.jsonrpc import read
from inspector.demo.protocol import Peer
from inspector.demo.server import DemoOptions, DemoServer
from inspector.json.exact import Json, JsonObject, dump
from inspector.protocol.targets import Era
from tests.demo.clients import ARGUMENTS, LEGACY, call, enveloped, initialize, member, request


class Dialogue:
    """A peer without any transport."""

    def __init__(self, options: DemoOptions | None = None) -> None:
        self.peer = Peer(DemoServer(options or DemoOptions(seed="1")))
        self.notifications: list[JsonObject] = []

    async def say(self, message: Json | bytes) -> Json:
        raw = message if isinstance(message, bytes) else dump(message)
        return await self.peer.receive(read(raw), self.notifications.append)

    async def opened(self, version: str = LEGACY) -> "Dialogue":
        await self.say(initialize(version))
        return self


def code_of(answer: Json) -> Json:
    return member(answer, "error", "code")


@pytest.mark.parametrize("version", HANDSHAKE_VERSIONS)
async def test_every_handshake_revision_is_supported(version: str) -> None:
    answer = await Dialogue().say(initialize(version))
    assert member(answer, "result", "protocolVersion") == version
    assert member(answer, "result", "serverInfo", "name") == "demo-workspace"


@pytest.mark.parametrize("version", ["2019-01-01", "2026-07-28", ""])
async def test_a_client_with_an_unknown_revision_is_offered_the_latest(version: str) -> None:
    answer = await Dialogue().say(initialize(version))
    assert member(answer, "result", "protocolVersion") == "2025-11-25"


async def test_a_stateless_server_answers_discovery() -> None:
    answer = await Dialogue().say(request(1, "server/discover", enveloped()))
    result = member(answer, "result")
    assert member(result, "resultType") == "complete"
    assert member(result, "supportedVersions") == ["2026-07-28"]
    assert member(result, "capabilities", "tools") == {"listChanged": False}
    assert member(result, "ttlMs") == 0
    assert member(result, "cacheScope") == "private"
    assert member(result, "_meta", SERVER_INFO_KEY, "name") == "demo-workspace"


SHARED: list[tuple[str, JsonObject, str]] = [
    ("tools/list", {}, "tools"),
    ("resources/list", {}, "resources"),
    ("resources/templates/list", {}, "resourceTemplates"),
    ("prompts/list", {}, "prompts"),
    ("tools/call", call("clean_clock"), "content"),
    ("tools/resolve", call("write_file"), "annotations"),
    ("tools/resolve", call("resolve_path"), "tool"),
    ("resources/read", {"uri": "workspace://documents/handbook.md"}, "contents"),
    ("resources/read", {"uri": "workspace://logo.png"}, "contents"),
    ("resources/read", {"uri": "workspace://people/ada"}, "contents"),
    ("prompts/get", {"name": "write_update", "arguments": {"project": "tidepool"}}, "messages"),
    ("prompts/get", {"name": "triage_inbox"}, "messages"),
]


@pytest.mark.parametrize(("method", "params", "key"), SHARED)
async def test_a_method_gives_the_same_in_both_eras_except_for_metadata(
    method: str, params: JsonObject, key: str
) -> None:
    legacy = member(await (await Dialogue().opened()).say(request(1, method, params)), "result")
    modern = member(await Dialogue().say(request(1, method, enveloped(params))), "result")
    assert member(legacy, key) == member(modern, key)
    assert isinstance(legacy, dict)
    assert isinstance(modern, dict)
    stamps = {"resultType", "ttlMs", "cacheScope", "_meta"}
    assert legacy.keys() - {"_meta"} == modern.keys() - stamps
    assert modern["resultType"] == "complete"
    assert "resultType" not in legacy


@pytest.mark.parametrize("resource", ["resources/list", "prompts/list"])
async def test_everything_listed_can_be_read(resource: str) -> None:
    dialogue = await Dialogue().opened()
    listed = member(await dialogue.say(request(1, resource)), "result", resource.partition("/")[0])
    assert isinstance(listed, list)
    for item in listed:
        if resource == "resources/list":
            message = request(2, "resources/read", {"uri": member(item, "uri")})
        else:
            arguments: JsonObject = {"project": "tidepool"}
            message = request(2, "prompts/get", {"name": member(item, "name"), "arguments": arguments})
        assert member(await dialogue.say(message), "result")


ENVELOPE = "io.modelcontextprotocol/"
REFUSED: list[tuple[JsonObject, int]] = [
    (request(1, "no/such/method"), -32601),
    (request(1, "server/discover"), -32601),
    (request(1, "tools/call", {"name": "nobody"}), -32602),
    (request(1, "tools/call", {}), -32602),
    (request(1, "tools/call", {"name": 1}), -32602),
    (request(1, "tools/call", {"name": "clean_clock", "arguments": []}), -32602),
    (request(1, "tools/resolve", {"name": "clean_clock"}), -32602),
    (request(1, "resources/read", {"uri": "workspace://nothing"}), -32002),
    (request(1, "resources/read", {"uri": "workspace://people/nobody"}), -32002),
    (request(1, "resources/read", {}), -32602),
    (request(1, "prompts/get", {"name": "nothing"}), -32602),
    (request(1, "prompts/get", {"name": "write_update"}), -32602),
    (request(1, "prompts/get", {"name": "write_update", "arguments": {"project": 1}}), -32602),
    (request(1, "logging/setLevel", {"level": "loud"}), -32602),
    (request(1, "tools/list", {"cursor": "nowhere"}), -32602),
    ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}, -32602),
    ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": None}, -32602),
    ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, -32600),
    ({"jsonrpc": "2.0", "id": 1}, -32600),
    (initialize(), -32600),
    (request(1, "server/discover", enveloped(meta={f"{ENVELOPE}protocolVersion": "2031-01-01"})), -32022),
    (request(1, "server/discover", enveloped(meta={f"{ENVELOPE}protocolVersion": 7})), -32602),
    (request(1, "server/discover", enveloped(meta={f"{ENVELOPE}clientCapabilities": None})), -32602),
    (request(1, "tools/list", {"_meta": {f"{ENVELOPE}protocolVersion": "2026-07-28"}}), -32602),
    (request(1, "ping", enveloped()), -32601),
    (request(1, "logging/setLevel", enveloped({"level": "info"})), -32601),
    (request(1, "subscriptions/listen", enveloped()), -32601),
    (request(1, "resources/read", enveloped({"uri": "workspace://nothing"})), -32602),
]


@pytest.mark.parametrize(("message", "code"), REFUSED)
async def test_a_request_that_cannot_be_served_is_refused_with_its_own_id(
    message: JsonObject, code: int
) -> None:
    answer = await (await Dialogue().opened()).say(message)
    assert code_of(answer) == code
    assert member(answer, "id") == message["id"]


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"garbage", -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"', -32700),
        (b'{"jsonrpc":"2.0","id":"\xff","method":"ping"}', -32700),
        (b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"ping"}', -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}', -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":[-Infinity]}}', -32700),
        (b"1", -32600),
        (b'"text"', -32600),
        (b"[]", -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":[]}', -32600),
    ],
)
async def test_an_invalid_request_is_refused_without_an_id(raw: bytes, code: int) -> None:
    answer = await (await Dialogue().opened()).say(raw)
    assert (code_of(answer), member(answer, "id")) == (code, None)


async def test_a_string_with_the_word_infinity_is_accepted() -> None:
    answer = await Dialogue().say(b'{"jsonrpc":"2.0","id":"Infinity NaN","method":"ping"}')
    assert answer == {"jsonrpc": "2.0", "id": "Infinity NaN", "result": {}}


ASK_FOR_NOTHING: list[JsonObject] = [
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "method": "notifications/cancelled"},
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}},
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [[]]}},
    {"jsonrpc": "2.0", "method": "no/such/notification"},
    {"jsonrpc": "2.0", "id": 5, "result": {}},
    {"jsonrpc": "2.0", "id": 5, "error": {"code": 1, "message": "x"}},
]


@pytest.mark.parametrize("message", ASK_FOR_NOTHING)
async def test_a_notification_gets_no_answer(message: JsonObject) -> None:
    assert await (await Dialogue().opened()).say(message) is None


async def test_only_ping_is_answered_before_the_handshake() -> None:
    dialogue = Dialogue()
    assert member(await dialogue.say(request(1, "ping")), "result") == {}
    assert code_of(await dialogue.say(request(1, "tools/list"))) == -32600
    assert code_of(await dialogue.say(request(1, "logging/setLevel", {"level": "info"}))) == -32600


@pytest.mark.parametrize("missing", ["protocolVersion", "capabilities", "clientInfo"])
async def test_an_incomplete_handshake_is_refused(missing: str) -> None:
    message = initialize()
    params = message["params"]
    assert isinstance(params, dict)
    del params[missing]
    assert code_of(await Dialogue().say(message)) == -32602


@pytest.mark.parametrize(
    ("version", "accepted"), [(each, each == "2025-03-26") for each in HANDSHAKE_VERSIONS]
)
async def test_batches_are_accepted_in_one_revision_only(version: str, *, accepted: bool) -> None:
    dialogue = await Dialogue().opened(version)
    notified: Json = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    answer = await dialogue.say([request(1, "ping"), notified, request(2, "nothing"), 3])
    if not accepted:
        assert code_of(answer) == -32600
        return
    assert isinstance(answer, list)
    assert [member(each, "id") for each in answer] == [1, 2, None]
    assert await dialogue.say([notified]) is None
    assert code_of(await dialogue.say([])) == -32600


@pytest.mark.parametrize(
    ("era", "discover", "handshake"),
    [(Era.AUTO, None, None), (Era.LEGACY, -32601, None), (Era.MODERN, None, -32022)],
)
async def test_a_server_may_refuse_an_era(era: Era, discover: int | None, handshake: int | None) -> None:
    for message, code in ((request(1, "server/discover", enveloped()), discover), (initialize(), handshake)):
        answer = await Dialogue(DemoOptions(era=era)).say(message)
        assert isinstance(answer, dict)
        assert (code_of(answer) if "error" in answer else None) == code
    refused = await Dialogue(DemoOptions(era=Era.MODERN)).say(initialize())
    assert member(refused, "error", "data") == {"supported": ["2026-07-28"], "requested": LEGACY}


def slow(seconds: float, **meta: Json) -> JsonObject:
    arguments: JsonObject = {"seconds": seconds, "steps": 4}
    return {**call("export_report", arguments), "_meta": {**meta}}


@pytest.mark.parametrize("token", ["p", 0, None, 1.5])
async def test_progress_is_sent_only_to_requests_with_a_token(token: Json) -> None:
    dialogue = await Dialogue().opened()
    answer = await dialogue.say(request(1, "tools/call", slow(0, progressToken=token)))
    assert member(answer, "result", "content")
    told = [member(each, "params") for each in dialogue.notifications]
    expected: list[Json] = [
        {"progressToken": token, "progress": done, "total": 4, "message": f"section {done} of 4"}
        for done in (1, 2, 3, 4)
    ]
    assert told == (expected if token in ("p", 0) and token is not None else [])


def cancel(identity: Json) -> JsonObject:
    params: JsonObject = {"requestId": identity, "reason": "no longer wanted"}
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}


async def test_a_cancelled_call_is_never_answered_and_its_id_is_free_again() -> None:
    dialogue = await Dialogue().opened()
    async with asyncio.timeout(30):
        called, repeated, _ = await asyncio.gather(
            dialogue.say(request("a", "tools/call", slow(30))),
            dialogue.say(request("a", "ping")),
            dialogue.say(cancel("a")),
        )
    assert called is None
    assert code_of(repeated) == -32600
    assert member(await dialogue.say(request("a", "ping")), "result") == {}


async def test_a_string_id_and_an_equal_number_id_are_different_requests() -> None:
    dialogue = await Dialogue().opened()
    called, _ = await asyncio.gather(
        dialogue.say(request("1", "tools/call", slow(0.1))), dialogue.say(cancel(1))
    )
    assert member(called, "id") == "1"


@pytest.mark.parametrize("level", [None, *LOG_LEVELS])
async def test_logs_are_sent_from_the_requested_level_on(level: str | None) -> None:
    legacy, modern = await Dialogue().opened(), Dialogue()
    meta: JsonObject = {}
    if level:
        await legacy.say(request(1, "logging/setLevel", {"level": level}))
        meta["io.modelcontextprotocol/logLevel"] = level
    await legacy.say(request(2, "tools/call", call("sync_calendar")))
    await modern.say(request(2, "tools/call", enveloped(call("sync_calendar"), meta)))
    expected = {"debug": ["info", "debug"], "info": ["info"]}.get(level or "", [])
    for dialogue in (legacy, modern):
        assert [member(each, "params", "level") for each in dialogue.notifications] == expected


@pytest.mark.parametrize("name", ARGUMENTS)
async def test_every_tool_can_be_called_in_both_eras(name: str) -> None:
    for dialogue, params in ((await Dialogue().opened(), call(name)), (Dialogue(), enveloped(call(name)))):
        result = member(await dialogue.say(request(1, "tools/call", params)), "result")
        assert isinstance(result, dict)
        assert (result.get("isError") is True) is (name == "sync_calendar")


METHODS = st.sampled_from(
    ["initialize", "ping", "server/discover", "notifications/cancelled", *(method for method, _, _ in SHARED)]
)
values: st.SearchStrategy[Json] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda children: (
        st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=5), children, max_size=3)
    ),
    max_leaves=5,
)
parameters = st.one_of(
    values,
    st.dictionaries(st.sampled_from(["name", "arguments", "uri", "cursor", "level", "_meta"]), values),
    st.fixed_dictionaries({"name": st.sampled_from(list(ARGUMENTS)), "arguments": values, "_meta": values}),
)
envelopes = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0") | values, "method": METHODS | values},
    optional={"id": st.integers() | st.text(max_size=3) | values, "params": parameters},
)


@given(messages=st.lists(values | envelopes, max_size=5), opened=st.booleans())
def test_any_message_gets_a_valid_answer_or_none(messages: list[Json], *, opened: bool) -> None:
    async def converse() -> list[Json]:
        dialogue = await Dialogue().opened("2025-03-26") if opened else Dialogue()
        return [await dialogue.say(message) for message in messages]

    for answer in asyncio.run(converse()):
        for each in answer if isinstance(answer, list) else [answer]:
            if each is None:
                continue
            assert isinstance(each, dict)
            assert each["jsonrpc"] == "2.0"
            assert ("result" in each) != ("error" in each)
            assert "error" not in each or code_of(each) != -32603


@given(st.binary(max_size=40))
def test_any_bytes_get_a_valid_answer_or_none(raw: bytes) -> None:
    answer = asyncio.run(Dialogue().say(raw))
    assert answer is None or "error" in dump(answer).decode()
