"""The host's side of the polyfill: it lists, calls and cancels from an isolated world, with reports through the binding."""

import json
from collections.abc import Generator

import pytest

from inspector.json.exact import Json, JsonObject
from tests.webmcp.polyfill.browser import Browser, Page
from tests.webmcp.polyfill.polyfilled import BINDING, CHANNEL, answer, command, polyfill

ADDED = """document.modelContext.registerTool({ name: "t", title: "T", description: "d", inputSchema: { type: "object" },
  annotations: { readOnlyHint: true }, execute: %s }, { exposedTo: ["https://example.com/path"] })"""
TOOL: JsonObject = {
    "name": "t",
    "title": "T",
    "description": "d",
    "inputSchema": {"type": "object"},
    "annotations": {"readOnly": True, "untrustedContent": False, "consequential": False, "debugging": False},
    "exposedTo": ["https://example.com"],
}


@pytest.fixture
def page(plain: Browser, origin: str) -> Generator[Page]:
    with plain.page() as opened:
        polyfill(opened, host=True)
        opened.open(origin)
        yield opened


def _add(page: Page, execute: str) -> None:
    page.evaluate(ADDED % execute)


def _called(page: Page, name: str = "t", given: str = "{}") -> JsonObject:
    command(page, page.isolated(), command="invoke", id="call", name=name, input=given)
    return answer(page, lambda told: told["id"] == "call")


def _reports(page: Page) -> list[Json]:
    # The answer to one more command arrives after every earlier report.
    page.evaluate("1")
    return [params["payload"] for name, params in page.events if name == "Runtime.bindingCalled"]


def test_tools_are_listed_with_the_facts_of_their_frame(page: Page, origin: str) -> None:
    _add(page, "() => 1")
    command(page, page.isolated(), command="list", id="1")
    frame = {"url": f"{origin}/", "origin": origin, "allowed": True}
    assert answer(page, lambda _: True) == {"type": "tools", "id": "1", **frame, "tools": [TOOL]}


def test_nothing_is_reported_without_a_command(page: Page) -> None:
    _add(page, "() => 1")
    page.evaluate("document.modelContext.getTools().then(() => 1)")
    assert _reports(page) == []


def test_a_watch_reports_every_change(page: Page) -> None:
    command(page, page.isolated(), command="watch", id="w")
    assert answer(page, lambda told: told["id"] == "w")["tools"] == []
    page.evaluate("globalThis.leaving = new AbortController(); 1")
    page.evaluate(
        "document.modelContext.registerTool({ name: 'x', description: 'd', execute() {} }, { signal: leaving.signal })"
    )
    assert answer(page, lambda told: told["tools"] != [])["tools"] == [
        {"name": "x", "title": "", "description": "d", "exposedTo": []}
    ]
    before = len(_reports(page))
    page.evaluate(
        "new Promise((ok) => { document.modelContext.ontoolchange = ok; leaving.abort(); }).then(() => 1)"
    )
    assert [json.loads(str(report))["tools"] for report in _reports(page)[before:]] == [[]]


@pytest.mark.parametrize(
    ("execute", "output"),
    [
        ("(input) => input", {"a": [1, "ß"]}),
        ("() => 'text'", "text"),
        ("() => null", None),
        ("async () => [1.5, true]", [1.5, True]),
    ],
)
def test_a_result_may_be_any_json(page: Page, execute: str, output: Json) -> None:
    _add(page, execute)
    assert _called(page, given='{"a":[1,"ß"]}') == {
        "type": "toolResponded",
        "id": "call",
        "status": "Completed",
        "output": output,
    }


@pytest.mark.parametrize(
    ("execute", "words"),
    [
        ("function broken() { throw new RangeError('no such thing') }", "RangeError: no such thing\n    at"),
        ("() => Promise.reject('a word')", "a word"),
        ("() => { throw { toString() { throw 1 } } }", "cannot be read"),
        ("() => undefined", "no JSON"),
    ],
)
def test_an_error_is_reported_with_its_stack(page: Page, execute: str, words: str) -> None:
    _add(page, execute)
    told = _called(page)
    assert told["status"] == "Error"
    assert "output" not in told
    assert isinstance(told["exception"], dict)
    assert words in str(told["exception"]["description"])


@pytest.mark.parametrize(
    ("name", "given"), [("none", "{}"), ("toString", "{}"), ("t", "1"), ("t", "no JSON")]
)
def test_a_call_that_cannot_be_made_is_an_error(page: Page, name: str, given: str) -> None:
    _add(page, "() => 1")
    assert _called(page, name, given)["status"] == "Error"


def test_a_call_is_cancelled_only_once(page: Page) -> None:
    _add(
        page,
        "(_, { signal }) => new Promise((ok) => { signal.onabort = () => { globalThis.aborted = 1; ok(1); }; })",
    )
    world = page.isolated()
    command(page, world, command="invoke", id="call", name="t", input="{}")
    command(page, world, command="cancel", id="call")
    command(page, world, command="cancel", id="call")
    assert answer(page, lambda told: told["id"] == "call")["status"] == "Canceled"
    assert page.evaluate("globalThis.aborted") == 1
    assert len(_reports(page)) == 1


def test_a_page_cannot_find_the_names_of_the_host_interface(page: Page) -> None:
    page.evaluate("""globalThis.learnt = [];
    for (const [owner, name] of [[EventTarget, "addEventListener"], [EventTarget, "dispatchEvent"], [JSON, "parse"]]) {
      const holder = owner.prototype ?? owner, original = holder[name];
      holder[name] = function (...list) { learnt.push(String(list[0]?.type ?? list[0])); return original.apply(this, list); };
    }
    const Original = CustomEvent;
    globalThis.CustomEvent = class extends Original { constructor(type, init) { super(type, init); learnt.push(type); } }; 1""")
    _add(page, "() => 1")
    page.evaluate("document.modelContext.getTools().then(() => 1)")
    assert _called(page)["status"] == "Completed"
    assert page.evaluate("learnt") == []
    assert BINDING not in str(page.evaluate("[...seen, ...Object.getOwnPropertyNames(globalThis)]"))
    assert CHANNEL not in str(page.evaluate("Reflect.ownKeys(document).map(String)"))


def test_a_page_that_breaks_its_prototypes_is_still_listed(page: Page) -> None:
    _add(page, "() => 1")
    page.evaluate("""Object.prototype.toJSON = () => "forged";
    JSON.stringify = JSON.parse = Array.prototype.join = Promise.prototype.then = undefined;
    Array.prototype[Symbol.iterator] = Object.prototype.__lookupGetter__ = undefined;
    Object.defineProperty(CustomEvent.prototype, "detail", { get: () => null });
    document.body.innerHTML = "<form toolname=f tooldescription=d></form>"; 1""")
    command(page, page.isolated(), command="list", id="1")
    assert answer(page, lambda told: told["id"] == "1")["tools"] == [TOOL]


def test_a_rewritten_document_can_register_tools_again(page: Page) -> None:
    page.evaluate("document.open(); document.write('<p>new'); document.close()")
    _add(page, "() => 1")
    assert _called(page)["output"] == 1


def test_frames_of_the_same_origin_see_the_tools_of_each_other(page: Page) -> None:
    page.evaluate("""new Promise((ok) => {
      const frame = document.createElement("iframe"); frame.src = "/child"; frame.onload = ok; document.body.append(frame);
    }).then(() => 1)""")
    page.evaluate("""globalThis.changes = 0;
    document.modelContext.ontoolchange = () => changes++;
    frames[0].document.modelContext.registerTool({ name: "theirs", description: "d", execute: ({ n }) => n + 1 })""")
    shown = page.evaluate("""document.modelContext.getTools().then(async ([theirs]) => [
      theirs.name, theirs.window === frames[0], await document.modelContext.executeTool(theirs, { n: 1 }), changes])""")
    assert shown == ["theirs", True, "2", 1]
    command(page, page.isolated(), command="list", id="main")
    assert answer(page, lambda told: told["id"] == "main")["tools"] == []
