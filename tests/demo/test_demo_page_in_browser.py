"""The demo page in a real Chromium: the tools that it registers, their results, and their effects on the page."""

import json
from collections.abc import Generator

import pytest

from inspector.demo.launch import page_beside
from inspector.demo.secrets import MARK, SHAPED_MARK
from inspector.demo.server import DemoOptions
from inspector.json.exact import Json, JsonObject
from tests.webmcp.polyfill.browser import Browser, Page, ScriptError, chromium
from tests.webmcp.polyfill.polyfilled import answer, command, polyfill

FORMS = {"search_documents_form", "invite_person"}
IMPERATIVE = {
    *("list_documents", "search_documents", "count_documents", "team_motto", "latest_alert", "list_inbox"),
    *("generate_api_key", "create_share_link", "delete_project", "sync_calendar"),
    *("publish_roadmap", "wait_for_review", "toggle_beta"),
}
LAST = "toggle_beta"


@pytest.fixture(scope="module")
def native() -> Generator[Browser]:
    with chromium(native=True) as browser:
        yield browser


@pytest.fixture
def url() -> Generator[str]:
    with page_beside(DemoOptions(seed="page")) as served:
        yield served


@pytest.fixture
def page(native: Browser, url: str) -> Generator[Page]:
    with native.page() as opened:
        for domain in ("Log", "Runtime", "WebMCP"):
            opened.send(f"{domain}.enable")
        opened.open(url)
        _tool(opened, LAST)
        # The page still registers the tools whose refusal it expects.
        opened.evaluate(_UNTIL % "document.querySelectorAll('#refused li').length === 2")
        yield opened


_UNTIL = "new Promise((ok) => { const look = () => (%s) ? ok(1) : setTimeout(look, 5); look(); })"


def _tool(page: Page, name: str) -> JsonObject:
    """A tool as the browser reports it, once it does."""
    found: list[JsonObject] = []

    def has_it(params: JsonObject) -> bool:
        tools = params["tools"]
        assert isinstance(tools, list)
        found.extend(tool for tool in tools if isinstance(tool, dict) and tool["name"] == name)
        return bool(found)

    page.wait_for("WebMCP.toolsAdded", has_it)
    return found[-1]


def _start(page: Page, tool: str, given: JsonObject) -> Json:
    frame = _tool(page, tool)["frameId"]
    return page.send("WebMCP.invokeTool", frameId=frame, toolName=tool, input=given)["invocationId"]


def _response(page: Page, invocation: Json) -> JsonObject:
    return page.wait_for("WebMCP.toolResponded", lambda params: params["invocationId"] == invocation)


def _called(page: Page, tool: str, **given: Json) -> JsonObject:
    return _response(page, _start(page, tool, given))


def _output(page: Page, tool: str, **given: Json) -> Json:
    told = _called(page, tool, **given)
    assert told["status"] == "Completed", told
    return told["output"]


def _names(page: Page) -> set[str]:
    names = page.evaluate("document.modelContext.getTools().then((tools) => tools.map(({ name }) => name))")
    assert isinstance(names, list)
    return {str(name) for name in names}


def test_the_tools_of_the_page_are_registered_and_two_are_refused(page: Page) -> None:
    assert _names(page) == FORMS | IMPERATIVE
    refused = str(page.evaluate("document.getElementById('refused').innerText"))
    assert refused.count("InvalidStateError") == 2
    assert "not a name!" in refused
    assert "no_description" in refused


def test_the_page_does_not_violate_its_own_content_policy(page: Page) -> None:
    _output(page, "search_documents_form", q="press")
    _output(page, "list_documents")
    assert [event for event in page.events if event[0] in ("Log.entryAdded", "Runtime.exceptionThrown")] == []


@pytest.mark.parametrize(
    ("tool", "output"),
    [
        ("list_documents", ["/handbook.md", "/runbook.md", "/public/press.md"]),
        ("count_documents", 3),
        ("team_motto", "We write things down, review in pairs and ship on Tuesdays."),
        ("latest_alert", None),
    ],
)
def test_the_tools_return_results_of_every_type(page: Page, tool: str, output: Json) -> None:
    assert _output(page, tool) == output


def test_documents_are_listed_and_searched(page: Page) -> None:
    assert _output(page, "search_documents", words="Harbours") == {
        "words": "Harbours",
        "found": ["/public/press.md"],
    }


def test_the_hints_of_a_tool_reach_the_browser(page: Page) -> None:
    assert [_tool(page, name)["annotations"] for name in ("list_inbox", "delete_project")] == [
        {"readOnly": True, "untrustedContent": True, "consequential": False, "debugging": False},
        {"readOnly": False, "untrustedContent": False, "consequential": True, "debugging": False},
    ]


def test_mail_from_strangers_is_returned_unchanged(page: Page) -> None:
    assert "Note to the assistant" in json.dumps(_output(page, "list_inbox"))


def test_a_key_is_returned_once_and_shown_without_its_secret(page: Page) -> None:
    key = _output(page, "generate_api_key", name="production")
    assert isinstance(key, dict)
    assert set(key) == {"id", "name", "created", "secret"}
    assert str(key["secret"]).startswith(f"{MARK}key-")
    assert str(key["id"]) in str(page.evaluate("document.getElementById('keys').innerText"))
    assert MARK not in str(page.evaluate("document.documentElement.innerHTML"))


def test_a_reference_is_redeemed_with_a_cookie_that_the_page_cannot_read(page: Page, url: str) -> None:
    result = _output(page, "create_share_link", document="/handbook.md")
    assert isinstance(result, dict)
    assert isinstance(result["content"], list)
    reference = result["content"][1]
    assert isinstance(reference, dict)
    assert reference["type"] == "secret_reference"
    assert str(reference["redeemUrl"]).startswith(f"{url}secrets/")
    assert MARK not in json.dumps(result)
    assert page.evaluate("document.cookie") == ""
    fetched = f"fetch({json.dumps(reference['redeemUrl'])}, {{ %s }}).then((answer) => answer.text())"
    world = page.isolated()
    assert "not authorized" in str(page.evaluate(fetched % "credentials: 'omit'", world))
    assert f"{MARK}share-" in str(page.evaluate(fetched % "credentials: 'same-origin'", world))
    assert "already fetched" in str(page.evaluate(fetched % "credentials: 'same-origin'", world))


def test_an_error_leaks_a_token(page: Page) -> None:
    told = _called(page, "sync_calendar", calendar="team")
    assert told["status"] == "Error"
    assert SHAPED_MARK in json.dumps(told["exception"])


def test_a_deleted_project_disappears_from_the_page(page: Page) -> None:
    assert _output(page, "delete_project", project="tidepool") == {
        "deleted": "tidepool",
        "name": "Tidepool",
        "tasksLost": 4,
    }
    assert "Tidepool" not in str(page.evaluate("document.getElementById('projects').innerText"))


@pytest.mark.parametrize(("button", "published"), [("approved", True), ("declined", False)])
def test_the_user_is_asked_on_the_page(page: Page, *, button: str, published: bool) -> None:
    invocation = _start(page, "publish_roadmap", {})
    page.evaluate(_UNTIL % "document.getElementById('approval').open")
    page.evaluate(f"document.querySelector('#approval [value={button}]').click()")
    assert _response(page, invocation)["output"] == {"published": published}


@pytest.mark.parametrize("tool", ["wait_for_review", "publish_roadmap"])
def test_a_call_that_never_ends_can_be_cancelled(page: Page, tool: str) -> None:
    invocation = _start(page, tool, {})
    page.send("WebMCP.cancelInvocation", invocationId=invocation)
    assert _response(page, invocation)["status"] == "Canceled"
    page.evaluate(_UNTIL % "!document.getElementById('approval').open")


def test_a_tool_can_be_registered_and_removed(page: Page) -> None:
    assert _output(page, "toggle_beta") == {"registered": True}
    assert _output(page, "beta_report") == {"version": "0.9-beta"}
    assert "beta_report" in str(page.evaluate("document.getElementById('tools').innerText"))
    assert _output(page, "toggle_beta") == {"registered": False}
    page.wait_for("WebMCP.toolsRemoved")
    assert "beta_report" not in _names(page)


def test_a_search_form_shows_its_results_in_a_frame(page: Page) -> None:
    _called(page, "search_documents_form", q="harbours")
    page.evaluate(_UNTIL % "frames.found?.document.body?.innerText.includes('/public/press.md')")
    assert page.evaluate("location.pathname") == "/"


def test_a_call_of_a_form_waits_until_the_user_submits_it(page: Page) -> None:
    invocation = _start(page, "invite_person", {"name": "Mia", "role": "guest", "notify": True})
    page.evaluate(_UNTIL % "document.querySelector('#invite [name=name]').value === 'Mia'")
    page.evaluate("document.querySelector('#invite button').click()")
    assert _response(page, invocation)["output"] == {"invited": "Mia", "role": "guest"}
    assert page.evaluate("document.getElementById('invited').innerText") == "Mia is invited as guest."


def test_the_frame_of_another_origin_exposes_one_of_its_tools(page: Page) -> None:
    shown = page.evaluate("""new Promise((ok) => {
      const fromOrigins = [new URL(document.getElementById("partner").src).origin];
      const look = async () => {
        const theirs = (await document.modelContext.getTools({ fromOrigins })).filter((tool) => tool.origin !== origin);
        if (!theirs.length) return void setTimeout(look, 5);
        ok([theirs.map(({ name }) => name), await document.modelContext.executeTool(theirs[0], { copies: 2 })]);
      };
      look();
    })""")
    assert isinstance(shown, list)
    assert shown[0] == ["quote_posters"]
    assert json.loads(str(shown[1]))["price_eur"] == 9
    with pytest.raises(ScriptError):
        page.evaluate("document.getElementById('partner').contentDocument.title")


def test_the_page_reports_a_missing_api_and_works_with_the_polyfill(url: str) -> None:
    with chromium(native=False) as browser:
        with browser.page() as bare:
            bare.open(url)
            assert "has no WebMCP" in str(bare.evaluate("document.getElementById('api').innerText"))
        with browser.page() as helped:
            polyfill(helped, host=True)
            helped.open(url)
            helped.evaluate(_UNTIL % "document.querySelectorAll('#refused li').length === 2")
            assert _names(helped) == FORMS | IMPERATIVE
            command(helped, helped.isolated(), command="invoke", id="1", name="team_motto", input="{}")
            assert str(answer(helped, lambda told: told["id"] == "1")["output"]).startswith("We write")
