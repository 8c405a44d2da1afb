"""The behaviour of the polyfill that a page can see, compared with the browser's own API."""

from collections.abc import Generator

import pytest

from tests.webmcp.polyfill.behaviour import BEHAVIOURS, PRELUDE, Behaviour
from tests.webmcp.polyfill.browser import Browser, Page
from tests.webmcp.polyfill.polyfilled import polyfill


@pytest.fixture(scope="module")
def polyfilled(plain: Browser) -> Generator[Page]:
    with plain.page() as page:
        polyfill(page)
        yield page


@pytest.fixture(scope="module")
def own(native: Browser) -> Generator[Page]:
    with native.page() as page:
        yield page


def _lines(page: Page, origin: str, script: str) -> list[str]:
    page.open(origin)
    said = page.evaluate(f"(async () => {{ {PRELUDE} {script}; return lines; }})()")
    assert isinstance(said, list)
    return [str(line) for line in said]


@pytest.mark.parametrize("behaviour", BEHAVIOURS.values(), ids=BEHAVIOURS.keys())
def test_the_polyfill_follows_the_draft(polyfilled: Page, origin: str, behaviour: Behaviour) -> None:
    assert _lines(polyfilled, origin, behaviour.script) == list(behaviour.lines)


@pytest.mark.parametrize("behaviour", BEHAVIOURS.values(), ids=BEHAVIOURS.keys())
def test_the_browser_differs_only_as_listed_in_the_table(
    own: Page, origin: str, behaviour: Behaviour
) -> None:
    lines = behaviour.lines if behaviour.chromium is None else behaviour.chromium
    assert _lines(own, origin, behaviour.script) == list(lines)


SHAPE = """
const of = (value) => value && `${value.name}/${value.length}`;
const shown = (owner) => Reflect.ownKeys(owner).map((key) => {
  const { value, get, set, ...flags } = Object.getOwnPropertyDescriptor(owner, key);
  const content = typeof value === "function" ? of(value) : String(value);
  return `${String(key)}: ${content} ${of(get)} ${of(set)} ${JSON.stringify(flags)}`;
});
for (const made of [ModelContext, ToolActivatedEvent, ToolCancelEvent]) {
  const { value, ...flags } = Object.getOwnPropertyDescriptor(globalThis, made.name);
  said([of(made), Object.getPrototypeOf(made).name, JSON.stringify(flags)]);
  for (const line of shown(made.prototype).sort()) said(line);
}
const { get, set, ...flags } = Object.getOwnPropertyDescriptor(Document.prototype, "modelContext");
said([of(get), set, JSON.stringify(flags), api === document.modelContext, api]);
said("modelContext" in navigator);
"""


def test_names_lengths_and_descriptors_agree_with_the_browser(
    polyfilled: Page, own: Page, origin: str
) -> None:
    assert _lines(polyfilled, origin, SHAPE) == _lines(own, origin, SHAPE)
