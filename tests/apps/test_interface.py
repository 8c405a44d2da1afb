"""The origins that an interface may reach, and the messages that are accepted from it."""

import base64
from hashlib import sha256

import pytest

from inspector.apps.interface import (
    AppInterface,
    AppReach,
    content_security_policy,
    interface_in,
    resolver_rules,
    why_not_called,
)
from inspector.apps.messages import MAX_CHARACTERS, AppAsk, AppMessage, AppRefusal, message_in, spoken_in
from inspector.json.exact import Json, JsonObject, dump_text
from inspector.protocol.catalogue import Kind, Tool, decode_page

URI = "ui://a/b"
MIME = "text/html;profile=mcp-app"
PARENT = "https://host.invalid"


def read(ui: Json = None, **members: Json) -> JsonObject:
    content: JsonObject = {"uri": URI, "mimeType": MIME, "text": "<p>", "_meta": {"ui": ui}, **members}
    return {"contents": [content]}


def found(ui: Json) -> AppInterface:
    interface = interface_in(URI, read(ui), {})
    assert isinstance(interface, AppInterface), interface
    return interface


@pytest.mark.parametrize(
    ("result", "why"),
    [
        (None, "not one resource"),
        ({"contents": []}, "not one resource"),
        ({"contents": [read()["contents"], 2]}, "not one resource"),
        (read(uri="ui://other"), "another URI"),
        (read(mimeType="text/html"), "MIME type"),
        (read(mimeType=None), "MIME type"),
        (read(text=None), "no text"),
        (read(text=None, blob="!"), "no text"),
        (read(text=None, blob=base64.b64encode(b"\xff").decode()), "no text"),
        (read(text="x" * ((4 << 20) + 1)), "larger than"),
        (read(text="é" * ((2 << 20) + 1)), "larger than"),
        (read(text=None, blob="AAAA" * ((4 << 20) // 3 + 1)), "larger than"),
        (read(text=None, blob="!" * ((8 << 20) + 1)), "larger than"),
    ],
)
def test_a_resource_that_is_not_an_interface_is_not_opened(result: Json, why: str) -> None:
    said = interface_in(URI, result, {})
    assert isinstance(said, str)
    assert why in said


def test_the_csp_in_the_content_overrides_the_csp_in_the_list() -> None:
    listed: JsonObject = {"_meta": {"ui": {"csp": {"connectDomains": ["https://listed.example"]}}}}
    csp: JsonObject = {"csp": {"connectDomains": ["https://read.example"]}}
    for ui, origin in ((csp, "https://read.example"), (None, "https://listed.example")):
        interface = interface_in(URI, read(ui), listed)
        assert isinstance(interface, AppInterface)
        assert interface.reach.connect == (origin,)
    encoded = interface_in(URI, read(text=None, blob=base64.b64encode("é".encode()).decode()), {})
    assert isinstance(encoded, AppInterface)
    assert encoded.html == "é"


NOTHING = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; font-src 'none'; "
    "media-src data:; connect-src 'none'; frame-src 'none'; base-uri 'none'; object-src 'none'; form-action 'none'; "
    "frame-ancestors https://host.invalid"
)


@pytest.mark.parametrize("ui", [None, 5, {}, {"csp": []}, {"csp": {"connectDomains": "https://a.example"}}])
def test_an_interface_without_a_valid_csp_reaches_no_origin(ui: Json) -> None:
    reach = found(ui).reach
    assert content_security_policy(reach, PARENT) == NOTHING
    assert not reach.allows("https://a.example/")
    assert resolver_rules(reach.origins) == "MAP * ~NOTFOUND"


@pytest.mark.parametrize(
    "written",
    [
        "*",
        "https:",
        "https://*",
        "data:",
        "'unsafe-eval'",
        "example.com",
        "https://a.example/path",
        "https://a.example; script-src *",
        "https://a.example https://b.example",
        "https://a.example\r\nX: y",
        "https://a.example\n",
        "https://user@a.example",
        "https://a.example:0",
        "https://a.example:65536",
        "https://a.*.example",
        "https://ä.example",
        "https://a.example,b",
        "javascript:alert(1)",
        "file:///etc",
        "ftp://a.example",
        "http://*.0.0.1:8080",
        "http://*.1",
        "http://*.127.0.0.1",
        "http://127.1",
        "http://2130706433",
        "http://0x7f.0.0.1",
        "http://*.[::1]",
        "http://[::::]",
        "http://[1.2]",
        "https://" + "a" * 64 + ".example",
        "https://" + "a." * 146 + "example",
        5,
        None,
        ["https://a.example"],
    ],
)
@pytest.mark.parametrize("kind", ["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"])
def test_a_declared_value_that_is_not_an_origin_is_refused(written: Json, kind: str) -> None:
    interface = found({"csp": {kind: [written]}})
    assert content_security_policy(interface.reach, PARENT) == NOTHING
    assert len(interface.refused) == 1


def test_each_declared_origin_is_in_the_matching_directive_of_the_policy() -> None:
    interface = found(
        {
            "csp": {
                "connectDomains": ["https://API.example/", "wss://live.example:8443"],
                "resourceDomains": ["https://*.cdn.example", "wss://no.example"],
                "frameDomains": ["http://[::1]:8080"],
                "baseUriDomains": ["https://base.example"],
            },
            "permissions": {"camera": {}, "clipboardWrite": {}, "microphone": True, "usb": {}},
            "domain": "a.example",
        }
    )
    policy = content_security_policy(interface.reach, PARENT).split("; ")
    assert "connect-src https://api.example wss://live.example:8443" in policy
    assert "script-src 'unsafe-inline' https://*.cdn.example" in policy
    assert "frame-src http://[::1]:8080" in policy
    assert "base-uri https://base.example" in policy
    assert interface.permissions == ("camera", "clipboard-write")
    assert len(interface.refused) == 4
    assert interface.reach.is_local
    assert resolver_rules(interface.reach.origins) == (
        "MAP api.example:443 api.example:443, MAP live.example:8443 live.example:8443, EXCLUDE *.cdn.example, "
        "MAP [::1]:8080 [::1]:8080, MAP * ~NOTFOUND"
    )


@pytest.mark.parametrize(
    ("host", "is_local"),
    [
        ("localhost", True),
        ("x.localhost", True),
        ("*.localhost", True),
        ("*.local", True),
        ("printer.local", True),
        ("router", True),
        ("wiki.home.arpa", True),
        ("127.0.0.1", True),
        ("0.0.0.1", True),
        ("10.0.0.1", True),
        ("100.64.0.1", True),
        ("169.254.169.254", True),
        ("224.0.0.251", True),
        ("[0:0:0:0:0:0:0:1]", True),
        ("[::]", True),
        ("[fe80::1]", True),
        ("[fd00::1]", True),
        ("[fec0::1]", True),
        ("[::ffff:10.0.0.1]", True),
        ("[64:ff9b::a00:1]", True),
        ("8.8.8.8", False),
        ("[2606:4700::1]", False),
        ("api.example.com", False),
        ("*.com", False),
        ("locallocal.com", False),
        ("notlocal.dev", False),
    ],
)
def test_origins_on_this_machine_or_a_private_network_are_marked_local(host: str, *, is_local: bool) -> None:
    reach = found({"csp": {"connectDomains": [f"http://{host}:8080"]}}).reach
    assert reach.origins
    assert reach.is_local is is_local


def test_the_size_of_an_interface_is_counted_in_bytes() -> None:
    interface = interface_in(URI, read(text="é"), {})
    assert isinstance(interface, AppInterface)
    assert interface.size_bytes == 2
    assert interface.digest == sha256("é".encode()).hexdigest()


def test_a_host_is_spelt_as_browsers_spell_it() -> None:
    reach = found({"csp": {"connectDomains": ["http://[0:0:0:0:0:0:0:1]:80", "HTTPS://A.example"]}}).reach
    assert reach.connect == ("http://[::1]:80", "https://a.example")
    assert reach.allows("http://[::1]/x")


REACH = AppReach(connect=("https://a.example", "https://*.b.example:8443"), bases=("https://base.example",))


@pytest.mark.parametrize(
    ("url", "is_allowed"),
    [
        ("https://a.example/x?y", True),
        ("https://a.example:443/", True),
        ("https://x.y.b.example:8443/", True),
        ("https://b.example:8443/", False),
        ("https://x.b.example/", False),
        ("http://a.example/", False),
        ("https://a.example:444/", False),
        ("https://a.example.evil.example/", False),
        ("https://evil-a.example/", False),
        ("https://a.example@evil.example/", False),
        ("https://user@a.example/", False),
        ("https://base.example/", False),
        ("https://a.example:x/", False),
        ("data:text/html,x", False),
        ("", False),
    ],
)
def test_a_request_is_allowed_only_to_a_declared_origin(url: str, *, is_allowed: bool) -> None:
    assert REACH.allows(url) is is_allowed


def tool(meta: Json) -> Tool:
    page = decode_page(
        Kind.TOOL, {"tools": [{"name": "t", "inputSchema": {"type": "object"}, "_meta": meta}]}
    )
    assert isinstance(page, tuple)
    assert isinstance(page[0], Tool), page
    return page[0]


@pytest.mark.parametrize(
    ("meta", "may"),
    [
        ({}, True),
        ({"ui": {}}, True),
        ({"ui": {"visibility": ["app"]}}, True),
        ({"ui": {"visibility": ["model", "app"]}}, True),
        ({"ui": {"visibility": ["model"]}}, False),
        ({"ui": {"visibility": []}}, False),
        ({"ui": {"visibility": "app"}}, False),
        ({"ui": {"visibility": None}}, False),
        ({"ui": ["app"]}, False),
        ({"ui": None}, False),
    ],
)
def test_an_interface_may_call_only_tools_that_are_visible_to_it(meta: Json, *, may: bool) -> None:
    assert (why_not_called(tool(meta)) == "") is may
    assert why_not_called(None)


def message(method: Json, number: Json = 1, **params: Json) -> str:
    head: JsonObject = {"jsonrpc": "2.0", "method": method, "params": params}
    return dump_text(head if number is None else {**head, "id": number})


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        (message("ui/initialize"), AppAsk.INITIALIZE, AppAsk.INITIALIZE),
        (message("ping"), AppAsk.PING, AppAsk.PING),
        (message("ui/notifications/initialized", None), AppAsk.INITIALIZED, AppAsk.INITIALIZED),
        (message("notifications/message", None), AppAsk.LOG, AppAsk.LOG),
        (message("ui/notifications/request-teardown", None), AppAsk.CLOSE, AppAsk.CLOSE),
        (message("ui/message", None), AppAsk.NOTHING, AppAsk.NOTHING),
        (message("tools/call", None), AppAsk.NOTHING, AppAsk.NOTHING),
        (message("tools/call", "a"), None, AppAsk.CALL),
        (message("resources/read"), None, AppAsk.READ),
        (message("ui/message"), None, AppAsk.SPEAK),
        (message("ui/update-model-context"), None, AppAsk.SPEAK),
        (message("ui/open-link"), None, AppAsk.LINK),
        (message("ui/request-display-mode"), None, AppAsk.DISPLAY),
        (message("tools/list"), None, None),
        (message("sampling/createMessage"), None, None),
        (message("ui/notifications/sandbox-proxy-ready"), None, None),
        (message(5), None, None),
        (message("ping", number=True), None, None),
        (message("ping", number=[1]), None, None),
        ('{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', None, None),
        ('{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}', None, None),
        ('{"id":1,"method":"ping"}', None, None),
        ('{"jsonrpc":"2.0","id":1,"result":{}}', AppAsk.REPLY, AppAsk.REPLY),
        ('{"jsonrpc":"2.0"}', None, None),
        ("[]", None, None),
        ("null", None, None),
        ("{", None, None),
        (message("ping", x="x" * MAX_CHARACTERS), None, None),
    ],
)
def test_only_known_messages_are_accepted_and_only_some_before_initialization(
    text: str, before: AppAsk | None, after: AppAsk | None
) -> None:
    for is_initialized, ask in ((False, before), (True, after)):
        heard = message_in(text, is_initialized=is_initialized)
        assert (heard.ask if isinstance(heard, AppMessage) else None) is ask, heard
        if isinstance(heard, AppRefusal):
            assert heard.reason


TEXT: JsonObject = {"type": "text", "text": "hi"}


@pytest.mark.parametrize(
    ("method", "params", "value"),
    [
        ("ui/message", {"role": "user", "content": TEXT}, {"content": [TEXT]}),
        ("ui/message", {"role": "user", "content": [TEXT], "x": 1}, {"content": [TEXT], "x": 1}),
        ("ui/message", {"role": "assistant", "content": TEXT}, None),
        ("ui/message", {"content": TEXT}, None),
        ("ui/message", {"role": "user"}, None),
        ("ui/message", {"role": "user", "content": []}, None),
        ("ui/message", {"role": "user", "content": "hi"}, None),
        ("ui/message", {"role": "user", "content": [TEXT, 1]}, None),
        ("ui/message", {"role": "user", "content": [{"text": "hi"}]}, None),
        (
            "ui/update-model-context",
            {"structuredContent": {"a": 1}},
            {"content": [], "structuredContent": {"a": 1}},
        ),
        ("ui/update-model-context", {"content": [TEXT], "isError": True}, {"content": [TEXT]}),
        ("ui/update-model-context", {"content": "hi"}, None),
        ("ui/update-model-context", {"structuredContent": [1]}, None),
        ("ui/update-model-context", {}, {"content": []}),
    ],
)
def test_a_message_of_an_interface_becomes_text_for_the_model(
    method: str, params: JsonObject, value: Json
) -> None:
    said = spoken_in(AppMessage(ask=AppAsk.SPEAK, method=method, id=1, params=params))
    assert (None if isinstance(said, str) else said) == value
