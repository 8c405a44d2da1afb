"""Frames of other origins: which may register tools, and what is visible across origins, compared with the browser's own API."""

import json
from collections.abc import Generator
from urllib.parse import quote

import pytest

from inspector.json.exact import Json
from tests.webmcp.polyfill.browser import Browser, Page
from tests.webmcp.polyfill.polyfilled import CHANNEL, LINK, polyfill

CHILD = """<!doctype html><script>
const api = document.modelContext, seen = [];
addEventListener("message", ({ data }) => seen.push(data));
const exposed = (name, execute, exposedTo) => api.registerTool({ name, description: "d", title: "T", inputSchema: { type: "object" },
  annotations: { readOnlyHint: true }, execute }, { exposedTo });
Promise.all([exposed("shown", ({ n }) => n + 1, [%s]), exposed("hidden", () => 1, []), exposed("throws", () => { throw 1 }, [%s])])
  .then(() => "registered", ({ name }) => name).then((said) => top.postMessage(said, "*"));
</script>"""
FRAMED = """new Promise((ok) => {
  addEventListener("message", ({ data }) => ok(data));
  document.body.innerHTML = `%s`;
})"""

ADDED = """new Promise((ok) => {
  addEventListener("message", ({ data }) => ok(data));
  document.body.insertAdjacentHTML("beforeend", `%s`);
})"""


@pytest.fixture(scope="module")
def pages(plain: Browser, native: Browser) -> Generator[tuple[Page, Page]]:
    """A page with the polyfill, and one with the browser's own API."""
    with plain.page() as polyfilled, native.page() as own:
        polyfill(polyfilled, host=True)
        yield polyfilled, own


def _child(origin: str, asker: str) -> str:
    named = json.dumps(asker)
    return f"{origin}/html?{quote(CHILD % (named, named))}"


def _framed(page: Page, origin: str, element: str) -> Json:
    page.open(origin)
    return page.evaluate(FRAMED % element)


FRAMES: dict[str, tuple[str, str]] = {
    "of its own origin": ("<iframe src='{own}'></iframe>", "registered"),
    "of its own origin, refused": ("<iframe src='{own}' allow=\"tools 'none'\"></iframe>", "NotAllowedError"),
    "of its own origin, for another": (
        "<iframe src='{own}' allow='tools https://a.example'></iframe>",
        "NotAllowedError",
    ),
    "of another origin": ("<iframe src='{other}'></iframe>", "NotAllowedError"),
    "allowed": ("<iframe src='{other}' allow='tools'></iframe>", "registered"),
    "allowed among others": (
        "<iframe src='{other}' allow=\"camera 'none';  tools ; x\"></iframe>",
        "registered",
    ),
    "allowed in another case": ("<iframe src='{other}' allow='Tools'></iframe>", "NotAllowedError"),
    "allowed for all": ("<iframe src='{other}' allow='tools *'></iframe>", "registered"),
    "allowed by origin": ("<iframe src='{other}' allow='tools {theirs}'></iframe>", "registered"),
    "allowed for the page itself": (
        "<iframe src='{other}' allow=\"tools 'self'\"></iframe>",
        "NotAllowedError",
    ),
    "allowed for another": (
        "<iframe src='{other}' allow='tools https://a.example'></iframe>",
        "NotAllowedError",
    ),
    "refused": ("<iframe src='{other}' allow=\"tools 'none'\"></iframe>", "NotAllowedError"),
    "allowed something like it": ("<iframe src='{other}' allow='toolsmith *'></iframe>", "NotAllowedError"),
    "an object": ("<object data='{other}'></object>", "NotAllowedError"),
}


@pytest.mark.parametrize(("element", "said"), FRAMES.values(), ids=FRAMES.keys())
def test_a_frame_may_register_tools_if_its_element_allows_it(
    pages: tuple[Page, Page], origin: str, other: str, element: str, said: str
) -> None:
    markup = element.format(own=_child(origin, origin), other=_child(other, origin), theirs=other)
    assert [_framed(page, origin, markup) for page in pages] == [said, said]


def test_a_nested_frame_may_register_tools_if_both_elements_allow_it(
    pages: tuple[Page, Page], origin: str, other: str
) -> None:
    for outer, inner, said in [
        ("tools", "tools", "registered"),
        ("tools", "", "NotAllowedError"),
        ("", "tools", "NotAllowedError"),
    ]:
        within = f"<!doctype html><iframe src='{_child(origin, origin)}' allow='{inner}'></iframe>"
        markup = f"<iframe src='{other}/html?{quote(within)}' allow='{outer}'></iframe>"
        assert [_framed(page, origin, markup) for page in pages] == [said, said]


LISTED = """(async () => {
  const shape = ({ window: view, origin: from, ...rest }) => [rest, view === frames[0], from === %(theirs)s];
  const all = await document.modelContext.getTools({ fromOrigins: [%(asked)s] });
  return JSON.stringify(all.map(shape));
})()"""


@pytest.mark.parametrize(
    ("exposed", "asked", "count"),
    [("own", "theirs", 2), ("own", "nobody", 0), ("nobody", "theirs", 0), ("theirs", "theirs", 0)],
)
def test_tools_are_visible_across_origins_if_both_sides_name_each_other(
    pages: tuple[Page, Page], origin: str, other: str, exposed: str, asked: str, count: int
) -> None:
    origins = {"own": origin, "theirs": other, "nobody": "https://nobody.example"}
    listed: list[Json] = []
    for page in pages:
        _framed(page, origin, f"<iframe src='{_child(other, origins[exposed])}' allow=tools></iframe>")
        named = {"theirs": json.dumps(other), "asked": json.dumps(origins[asked])}
        listed.append(page.evaluate(LISTED % named))
    assert listed[0] == listed[1]
    found = json.loads(str(listed[0]))
    assert [tool["name"] for tool, *_ in found] == ["shown", "throws"][:count]


CALLED = """(async () => {
  const [shown] = await document.modelContext.getTools({ fromOrigins: [%(theirs)s] });
  const came = (given, options) => document.modelContext.executeTool({ ...shown, ...given }, { n: 1 }, options).catch(({ name }) => name);
  return [await came({}), await came({ name: "hidden" }), await came({ name: "throws" }), await came({ name: "none" }),
    await came({ origin: "https://nobody.example" }), await came({}, { signal: AbortSignal.abort() })];
})()"""


def test_tools_can_be_called_across_origins_only_if_they_are_exposed(
    pages: tuple[Page, Page], origin: str, other: str
) -> None:
    came: list[Json] = []
    for page in pages:
        _framed(page, origin, f"<iframe src='{_child(other, origin)}' allow=tools></iframe>")
        came.append(page.evaluate(CALLED % {"theirs": json.dumps(other)}))
    assert (
        came[0]
        == came[1]
        == ["2", "UnknownError", "UnknownError", "UnknownError", "UnknownError", "AbortError"]
    )


def test_a_change_is_reported_across_origins_only_for_exposed_tools(
    pages: tuple[Page, Page], origin: str, other: str
) -> None:
    # The child reports how often it registered tools that others do not see, then those that the page sees.
    script = f"""<!doctype html><script>
    const add = (name, exposedTo) => document.modelContext.registerTool({{ name, description: "d", execute() {{}} }}, {{ exposedTo }});
    add("a", []).then(() => add("b", ["https://nobody.example"])).then(() => add("c", [{json.dumps(origin)}]))
      .then(() => top.postMessage("done", "*"));
    </script>"""
    counted: list[Json] = []
    for page in pages:
        page.open(origin)
        page.evaluate(
            "globalThis.changes = 0;"
            "globalThis.first = new Promise((ok) => { document.modelContext.ontoolchange = () => ok(++changes); }); 1"
        )
        page.evaluate(FRAMED % f"<iframe src='{other}/html?{quote(script)}' allow=tools></iframe>")
        page.evaluate("first")
        counted.append(page.evaluate("changes"))
    assert counted == [1, 1]


def test_pages_cannot_see_the_messages_between_their_frames(
    pages: tuple[Page, Page], origin: str, other: str
) -> None:
    page, _ = pages
    page.open(origin)
    page.evaluate(
        "globalThis.heard = []; addEventListener('message', ({ data }) => heard.push(data), true); 1"
    )
    page.evaluate(FRAMED % f"<iframe src='{_child(other, origin)}' allow=tools></iframe>")
    page.evaluate(CALLED % {"theirs": json.dumps(other)})
    assert page.evaluate("heard") == ["registered"]
    assert LINK not in str(
        page.evaluate("[...Object.getOwnPropertyNames(globalThis), ...Reflect.ownKeys(document).map(String)]")
    )
    assert CHANNEL not in str(page.evaluate("Object.getOwnPropertyNames(globalThis)"))


def test_a_page_that_knows_the_channel_can_do_no_more_than_with_the_api(
    pages: tuple[Page, Page], origin: str, other: str
) -> None:
    page, _ = pages
    _framed(page, origin, f"<iframe src='{_child(other, 'https://nobody.example')}' allow=tools></iframe>")
    asked = """((...content) => new Promise((ok) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => ok(data);
      frames[0].postMessage(["%s", ...content], "*", [port2]);
    }))"""
    ask = asked % LINK
    assert page.evaluate(f"{ask}('tools')") == []
    assert page.evaluate(f"{ask}('run', 'shown', '{{}}')") == ["Error"]
    assert page.evaluate(f"{ask}('run', 'hidden', '{{}}')") == ["Error"]


# The browser lists a form some time after the page has loaded, so the tools are read until the allowed form is among them.
FORMS = """(async () => {
  const end = performance.now() + 25000;
  for (;;) {
    const names = (await document.modelContext.getTools()).map(({ name }) => name);
    if (names.includes("allowed") || performance.now() > end) return names;
    await new Promise((next) => setTimeout(next, 20));
  }
})()"""


def test_a_form_in_a_frame_without_permission_is_not_a_tool(pages: tuple[Page, Page], origin: str) -> None:
    form = "<!doctype html><form toolname=%s tooldescription=d></form><script>onload = () => top.postMessage(1, '*')</script>"
    refused, allowed = (f"{origin}/html?{quote(form % name)}" for name in ("refused", "allowed"))
    # The refused frame loads first and adds the other, so its form would be listed no later.
    for permission, names in [("tools 'none'", ["allowed"]), ("tools", ["allowed", "refused"])]:
        for page in pages:
            _framed(page, origin, f'<iframe src="{refused}" allow="{permission}"></iframe>')
            page.evaluate(ADDED % f'<iframe src="{allowed}" allow="tools"></iframe>')
            listed = page.evaluate(FORMS)
            assert isinstance(listed, list)
            assert sorted(map(str, listed)) == names
