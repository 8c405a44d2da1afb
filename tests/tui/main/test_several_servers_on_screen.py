"""Several servers at once: one catalogue, one timeline, one trust state; everything else belongs to the server of the selected item."""

import asyncio

import pytest
from textual.pilot import Pilot

from inspector.errors import UnreachableError, UsageError
from inspector.json.exact import Json, JsonObject
from inspector.policy.gate.agreement import Terms
from inspector.protocol.client import NONE
from inspector.session.events import SessionState
from inspector.tui.app import SightlineApp
from tests.policy.gate.played import rule, rules
from tests.tui.scripted import LARGE, SMALL, Script, answering, app_of_several, screen_text, settled

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x45"])
HOSTILE = "\x1b[31m[bold]\u202egit"
LOOK: JsonObject = {
    "name": "look",
    "inputSchema": {"type": "object", "properties": {"at": {"type": "string"}}},
    "annotations": {"readOnlyHint": True},
}
SEND: JsonObject = {"name": "send", "inputSchema": {"type": "object"}, "annotations": {"openWorldHint": True}}
PRIVATE: Json = {
    "content": [{"type": "text", "text": "a draft"}],
    "_meta": {"annotations": {"openWorldHint": True, "sensitivity": "private"}},
}


def says(text: str) -> Json:
    return {"content": [{"type": "text", "text": text}]}


def notes() -> Script:
    return Script(
        tools=[LOOK, {"name": "drafts", "inputSchema": {"type": "object"}}],
        answers={"look": answering(says("at the notes")), "drafts": answering(PRIVATE)},
    )


def mail() -> Script:
    return Script(
        tools=[LOOK, SEND],
        answers={"look": answering(says("at the mail")), "send": answering(says("sent"))},
    )


async def go_to(pilot: Pilot[None], app: SightlineApp, words: str, shows: str) -> str:
    """Filter the catalogue down to an item, and open it."""
    await pilot.press("escape", "escape", "escape", "slash", "ctrl+u")
    await settled(pilot, app, "filter: names")
    await pilot.press(*words, "enter")
    return await settled(pilot, app, shows)


async def open_look(pilot: Pilot[None], app: SightlineApp, server: int) -> str:
    """Open the tool that both servers have."""
    await pilot.press("escape", "escape", "escape", "g")
    await pilot.press(*["down"] * (1 if server == 1 else 4))
    return await settled(pilot, app, f"server {server} of 2")


@SIZES
async def test_an_unreadable_entry_shows_the_reason_and_does_not_affect_others(size: tuple[int, int]) -> None:
    app = app_of_several(
        {"notes": notes(), "bad": UsageError("mcp.json, server \x1b[31mgit: no [bold]command")}
    )
    async with app.run_test(size=size) as pilot:
        await settled(pilot, app, "notes  ready  2 tools")
        text = await settled(pilot, app, "failed")
        assert "\x1b" not in text
        await pilot.press("G")
        assert "no [bold]command" in await settled(pilot, app, "server 2 of 2")
        await pilot.press("R")
        await settled(pilot, app, "no [bold]command")
        await go_to(pilot, app, "drafts", "server 1 of 2")
        await pilot.press("ctrl+r")
        await settled(pilot, app, "a draft")


@SIZES
async def test_tools_with_equal_names_on_two_servers_are_called_separately(
    size: tuple[int, int],
) -> None:
    first, second = notes(), mail()
    app = app_of_several({"notes": first, "mail": second})
    async with app.run_test(size=size) as pilot:
        text = await settled(pilot, app, "mail  ready  2 tools")
        assert "notes  ready  2 tools" in text
        assert "≡" in text
        await open_look(pilot, app, 1)
        await pilot.press("enter", *"here", "ctrl+r")
        await settled(pilot, app, "at the notes")
        text = await open_look(pilot, app, 2)
        await settled(pilot, app, "look has not been called yet")
        await pilot.press("enter", *"there")
        await settled(pilot, app, "valid")
        await pilot.press("ctrl+r")
        text = await settled(pilot, app, "at the mail")
        assert "#2 done" in text
        assert [first.calls, second.calls] == [[("look", {"at": "here"})], [("look", {"at": "there"})]]
        await pilot.press("escape", "escape", "escape", "G", "left_square_bracket")
        await settled(pilot, app, "▸ mail")
        await pilot.press("left_square_bracket")
        await settled(pilot, app, "▸ notes")
        await pilot.press("right_square_bracket", "right_square_bracket")
        below = (await settled(pilot, app, "▸ mail")).partition("▸ mail")[2].splitlines()
        assert any("look" in row[:30] for row in below[1:6])
        # The first server still has its result and its entered arguments.
        await open_look(pilot, app, 1)
        text = await settled(pilot, app, "at the notes")
        assert 'at="here"' in text
        await pilot.press("2")
        text = " ".join((await settled(pilot, app, "is also a tool of mail")).split())
        assert "≡ look is also a tool of mail." in text
        await pilot.press("escape", "t")
        text = await settled(pilot, app, "#2 look")
        if size == LARGE:
            assert "notes    #1 look" in text.replace("⊞", " ")
            assert "mail    #2 look" in text.replace("⊞", " ")
            await pilot.press("slash", *"server:mail", "enter")
            text = await settled(pilot, app, "filter: server:mail")
            assert "#1 look" not in text.split("Timeline")[1]
            assert "#2 look" in text.split("Timeline")[1]
            # Enter goes to the result, whose server is shown again.
            await pilot.press("enter")
            text = await settled(pilot, app, "server 2 of 2")
            await settled(pilot, app, "at the mail")
        app.leave()
        await pilot.pause()
        async with asyncio.timeout(30):
            while app.return_code is None:
                await asyncio.sleep(0.01)
    assert [session.closed for script in (first, second) for session in script.opened] == [True, True]


async def test_data_of_one_server_affects_the_decision_on_a_call_of_another() -> None:
    policy = rules(rule("confirm", "session.untrusted", equals=True))
    first, second = notes(), mail()
    app = app_of_several({"notes": first, "mail": second}, terms=Terms(policy=policy))
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "mail  ready  2 tools")
        await go_to(pilot, app, "send", "send has not been called yet")
        await pilot.press("ctrl+r")
        await settled(pilot, app, "#1 done")
        await go_to(pilot, app, "drafts", "drafts has not been called yet")
        await pilot.press("ctrl+r")
        await settled(pilot, app, "untrusted since #2")
        text = await go_to(pilot, app, "send", "server 2 of 2")
        assert "untrusted since #2" in text
        await pilot.press("r", "ctrl+r")
        text = await settled(pilot, app, "Call send?")
        assert "drafts (serve-notes)" in text
        await pilot.press("escape")
        await settled(pilot, app, "policy:")
    assert [name for name, _ in second.calls] == ["send"]


async def test_a_failed_server_shows_why_in_its_heading_and_the_other_continues() -> None:
    first, second = mail(), notes()
    first.failure = UnreachableError("the server exited with code 3", "Look at its stderr.")
    app = app_of_several({HOSTILE: first, "notes": second})
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        text = await settled(pilot, app, "notes  ready  2 tools")
        heading = next(
            line for line in text.splitlines() if ("failed" in line and "»" in line) or "▸" in line
        )
        assert "failed  th" in heading
        assert "\x1b" not in text
        assert "\u202e" not in text
        # The cursor is on the heading of the failed one: the reason, and the key to retry.
        text = await settled(pilot, app, "R tries again")
        assert "Look at its stderr." in text
        await go_to(pilot, app, "drafts", "server 2 of 2")
        assert "R tries again" not in screen_text(app)
        await pilot.press("ctrl+r")
        await settled(pilot, app, "#1 done")
        await pilot.press("escape", "escape", "escape", "escape", "g")
        await settled(pilot, app, "R tries again")
        first.failure = None
        await pilot.press("R")
        text = await settled(pilot, app, "server 1 of 2")
        await settled(pilot, app, "look has not been called yet")
        assert "R tries again" not in screen_text(app)
        assert [len(first.opened), len(second.opened)] == [2, 1]
        # One that ends later, while the other is displayed.
        await go_to(pilot, app, "drafts", "server 2 of 2")
        first.opened[-1].enter(SessionState.FAILED, "the server was ended by SIGKILL", "Reconnect to go on.")
        text = await settled(pilot, app, "git: the server was ended")
        assert "server 2 of 2" in text
        assert "R tries again" not in text
        await pilot.press("escape", "escape", "escape", "escape")
        await settled(pilot, app, "git”  failed")


async def test_a_call_continues_while_another_server_is_displayed() -> None:
    may_answer = asyncio.Event()
    first, second = notes(), mail()

    async def slowly(_arguments: JsonObject, _progress: object) -> object:
        await may_answer.wait()
        return await answering(says("at last"))({}, lambda _: None)

    first.answers["drafts"] = slowly  # pyright: ignore[reportArgumentType]
    app = app_of_several({"notes": first, "mail": second})
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "mail  ready  2 tools")
        await go_to(pilot, app, "drafts", "drafts has not been called yet")
        await pilot.press("ctrl+r")
        await settled(pilot, app, "calling drafts")
        await go_to_while_running(pilot, app)
        await pilot.press("ctrl+r")
        text = await settled(pilot, app, "#2 done")
        assert "calling drafts" not in text
        may_answer.set()
        await settled(pilot, app, "#1 drafts has ended")
        text = await go_to(pilot, app, "drafts", "at last")
        assert "server 1 of 2" in text


async def go_to_while_running(pilot: Pilot[None], app: SightlineApp) -> None:
    """Go to the other server without Esc, which would cancel the call."""
    for _ in range(12):
        if app.focused is not None and app.focused.id == "catalogue-lines":
            break
        await pilot.press("tab")
        await pilot.pause()
    await pilot.press("slash", "ctrl+u", *"send", "enter")
    await settled(pilot, app, "server 2 of 2")


async def test_missing_client_capabilities_are_named_at_their_server_only() -> None:
    silent = mail()
    silent.client = NONE
    app = app_of_several({"notes": notes(), "mail": silent})
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "send")
        text = await settled(pilot, app, "Tools 2  no client capabilities")
        assert text.count("no client capabilities") == 1
        assert text.index("» mail") < text.index("no client capabilities")
        assert "--as none" not in text.splitlines()[0]
        await open_look(pilot, app, 2)
        assert "--as none" in await settled(pilot, app, "--as none")


async def test_a_server_that_cannot_be_started_is_reported_once() -> None:
    broken = mail()
    broken.failure = UnreachableError("cannot start the server", "Try again.")
    app = app_of_several({"notes": notes(), "mail": broken})
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await settled(pilot, app, "mail: cannot start the server")
        await settled(pilot, app, "drafts")
        assert len(app.screen.query("Toast")) == 1
