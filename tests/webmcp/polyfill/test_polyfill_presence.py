"""The pages in which the polyfill is active, and that it changes nothing else."""

from inspector.json.exact import Json
from tests.webmcp.polyfill.browser import Browser, Page
from tests.webmcp.polyfill.polyfilled import polyfill

SURFACE = """Object.fromEntries(seen.map((name) => {
  const { value } = Object.getOwnPropertyDescriptor(globalThis, name);
  const keys = (owner) => Reflect.ownKeys(owner).map((key) => {
    const found = Object.getOwnPropertyDescriptor(owner, key);
    const content = "value" in found && typeof found.value !== "function" ? typeof found.value : `${found.value}${found.get}${found.set}`;
    return `${String(key)} ${content} ${found.writable} ${found.enumerable} ${found.configurable}`;
  });
  const isMade = typeof value === "function";
  return [name, isMade ? [...keys(value), ...(value.prototype ? keys(value.prototype) : [])] : typeof value];
}))"""
OWN = {"ModelContext", "ToolActivatedEvent", "ToolCancelEvent"}
GAINED = {"Document": ["modelContext"], "SubmitEvent": ["agentInvoked", "respondWith"]}


def _surface(page: Page, origin: str) -> dict[str, Json]:
    page.open(origin)
    surface = page.evaluate(SURFACE)
    assert isinstance(surface, dict)
    return surface


def test_the_polyfill_adds_only_the_api(plain: Browser, origin: str) -> None:
    with plain.page() as page:
        before = _surface(page, origin)
        polyfill(page, host=True)
        after = _surface(page, origin)
    assert set(after) - set(before) == OWN
    changed = {name for name in before if after.get(name) != before[name]}
    assert changed == set(GAINED)
    for name, gained in GAINED.items():
        now, was = after[name], before[name]
        assert isinstance(now, list)
        assert isinstance(was, list)
        assert [str(line).split(" ", 1)[0] for line in now if line not in was] == gained


def test_the_polyfill_changes_nothing_in_a_browser_with_the_api(native: Browser, origin: str) -> None:
    with native.page() as page:
        before = _surface(page, origin)
        polyfill(page, host=True)
        assert _surface(page, origin) == before
        assert "modelContext" in str(before["Document"])


def test_a_page_without_a_secure_context_gets_no_polyfill(plain: Browser) -> None:
    with plain.page() as page:
        polyfill(page)
        page.open("data:text/html,<p>")
        assert page.evaluate("[isSecureContext, 'modelContext' in document, typeof ModelContext]") == [
            False,
            False,
            "undefined",
        ]
