import asyncio
import json
import re
from pathlib import Path

import pytest

from inspector.errors import InspectorError
from inspector.json.exact import JsonObject
from inspector.policy.files.audit import Audit
from inspector.policy.gate.agreement import Terms
from inspector.protocol.outcome import Outcome as CallOutcome
from inspector.protocol.outcome import Result
from inspector.protocol.targets import DemoTarget
from inspector.recording.files import Recorder
from inspector.recording.files.writing import header_now
from inspector.recording.format import Lenses
from inspector.secrets.holdings import holdings_in
from inspector.secrets.outcomes import (
    AlreadyUsed,
    Cause,
    Denied,
    Expired,
    ExpiredBy,
    Failed,
    NotFound,
    Outcome,
    RateLimited,
    Revealed,
)
from inspector.secrets.session import Custody
from inspector.secrets.vault import KeptReference
from inspector.tui.secrets.screen import SecretsScreen
from inspector.urls.host import RefusedUrl
from tests.secrets.keeping import withheld
from tests.secrets.redemption.redeeming import Clock
from tests.sinks.searching import found_in
from tests.tui.scripted import LARGE, SMALL, Script, app_of, settled, until
from tests.tui.secretive import (
    KEPT,
    MASKED_TITLE,
    MINT,
    MINTED,
    QUESTION,
    REDEEMED,
    REFERENCE,
    among_secrets,
    called,
    peeked,
    revealed,
    secretive,
)

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x45"])


def clock_of(script: Script) -> Clock:
    assert isinstance(script.clock, Clock)
    return script.clock


@SIZES
async def test_the_secrets_of_a_call_are_listed_with_details_but_no_value(
    size: tuple[int, int],
) -> None:
    script, redeemer = secretive()
    app = app_of(script)
    async with app.run_test(size=size) as pilot:
        text = await among_secrets(pilot, app)
        assert "Secrets  1 reference, 1 withheld value" in text
        rows = {line.split()[2]: line for line in text.splitlines() if "#1 mint" in line and "◇" in line}
        assert re.search(r"not fetched +5:00 +#1 mint", rows["API"])
        assert "structuredContent.key" in text
        assert "marked sensitive" in text
        # Two things with two words: one asks the server, one shows what is here.
        assert "v fetch" in text
        assert "p show" not in text
        assert "from        call #1 of mint, at content[0]" in text
        assert "fetched by  GET http://127.0.0.1:8000/…" in text
        assert "secrets/s1" not in text
        assert "Fetch it: you are asked before anything is sent." in text
        assert REDEEMED not in text
        assert KEPT not in text
        assert "qUery" not in text
        assert redeemer.asked == []


async def test_the_empty_secrets_screen_says_so_and_every_key_is_harmless() -> None:
    script, redeemer = secretive()
    app = app_of(script)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("s")
        await settled(pilot, app, "No secrets yet.")
        await pilot.press("v", "y", "u", "m", "backspace", "c", "enter", "j", "k")
        await settled(pilot, app, "No secrets yet.")
        assert app.is_running
        assert redeemer.asked == []
        await pilot.press("escape")
        await settled(pilot, app, "No arguments")


async def test_new_secrets_appear_at_once_and_the_cursor_stays() -> None:
    going = asyncio.Event()

    async def slow(_arguments: JsonObject, _progress: object) -> CallOutcome:
        if script.calls[1:]:
            await going.wait()
        return Result(value=MINTED)

    script, _ = secretive()
    script.answers["mint"] = slow
    app = app_of(script)
    async with app.run_test(size=LARGE) as pilot:
        await called(pilot, app)
        await pilot.press("r", "s")
        await settled(pilot, app, "1 reference, 1 withheld value")
        await pilot.press("j")
        await settled(pilot, app, "▸ ✗ structuredContent.key")
        going.set()
        text = await settled(pilot, app, "2 references, 2 withheld values")
        rows = [line for line in text.splitlines() if "  #" in line and " mint" in line]
        assert [line.split("#")[1][0] for line in rows] == ["2", "2", "1", "1"]
        (here,) = [line for line in rows if "▸" in line]
        assert "structuredContent.key" in here
        assert "#1 mint" in here


async def test_the_secrets_of_an_undisplayed_result_are_kept_too() -> None:
    going = asyncio.Event()

    async def slow(_arguments: JsonObject, _progress: object) -> CallOutcome:
        await going.wait()
        return Result(value=MINTED)

    script, _ = secretive()
    script.tools = [MINT, {"name": "clock", "inputSchema": {"type": "object"}}]
    script.answers["mint"] = slow
    app = app_of(script)
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "No arguments")
        await pilot.press("enter", "enter")
        await until(pilot, app, lambda _: len(script.calls) == 1)
        await pilot.click(offset=(4, 3))
        await until(pilot, app, lambda text: "▸ clock" in text)
        going.set()
        await until(pilot, app, lambda _: len(script.opened[0].custody.vault) == 2)
        await pilot.press("s")
        await settled(pilot, app, "1 reference, 1 withheld value")


@SIZES
async def test_revealing_asks_first_and_escape_sends_nothing(size: tuple[int, int]) -> None:
    script, redeemer = secretive()
    app = app_of(script)
    async with app.run_test(size=size) as pilot:
        await among_secrets(pilot, app)
        await pilot.press("v")
        text = await settled(pilot, app, QUESTION)
        assert "GET http://127.0.0.1:8000/secrets/s1" in text
        assert "qUery" not in text
        assert "y yes, fetch  Esc no" in text
        await pilot.press("escape")
        text = await until(pilot, app, lambda text: QUESTION not in text)
        assert "not fetched" in text
        await pilot.press("y")
        await settled(pilot, app)
        assert redeemer.asked == []
        assert isinstance(app.screen, SecretsScreen)


async def test_only_one_key_agrees_to_a_redemption() -> None:
    script, redeemer = secretive()
    app = app_of(script)
    async with app.run_test(size=LARGE) as pilot:
        await among_secrets(pilot, app)
        for key in (
            "enter",
            "j",
            "k",
            "u",
            "m",
            "c",
            "tab",
            "v",
            "1",
            "r",
            "shift+tab",
            "backspace",
            "question_mark",
        ):
            await pilot.press("g", "v")
            await settled(pilot, app, QUESTION)
            await pilot.press(key, "enter", key, "escape")
            await settled(pilot, app)
            if not isinstance(app.screen, SecretsScreen):
                await pilot.press("s")
            await settled(pilot, app, "API key")
        assert redeemer.asked == []


@pytest.mark.parametrize("leaves", ["j", "question_mark", "ctrl+p"])
async def test_the_question_closes_when_the_user_goes_elsewhere(leaves: str) -> None:
    script, redeemer = secretive()
    app = app_of(script)
    async with app.run_test(size=LARGE) as pilot:
        await among_secrets(pilot, app)
        await pilot.press("v")
        await settled(pilot, app, QUESTION)
        await pilot.press(leaves)
        await settled(pilot, app)
        await pilot.press(*(["k"] if leaves == "j" else ["escape"]))
        await until(pilot, app, lambda text: "▸ ◇ API key" in text and QUESTION not in text)
        await pilot.press("y")
        await settled(pilot, app)
        assert redeemer.asked == []


async def test_enter_answers_neither_question_and_says_which_keys_do() -> None:
    script, redeemer = secretive()
    app = app_of(script)
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await among_secrets(pilot, app)
        await pilot.press("v")
        await settled(pilot, app, QUESTION)
        await pilot.press("enter")
        assert QUESTION in await settled(pilot, app, "y fetches it, Esc does not.")
        assert redeemer.asked == []
        await pilot.press("escape")
        await revealed(pilot, app)
        await pilot.press("backspace")
        await settled(pilot, app, "Forget this secret?")
        await pilot.press("enter")
        text = await settled(pilot, app, "y forgets it, Esc does not.")
        assert "Forget this secret?" in text
        assert REDEEMED not in text


@SIZES
async def test_a_yes_sends_one_request_and_the_value_stays_masked(size: tuple[int, int]) -> None:
    script, redeemer = secretive()
    app = app_of(script)
    async with app.run_test(size=size) as pilot:
        await among_secrets(pilot, app)
        text = await revealed(pilot, app)
        await pilot.press("y", "y", "enter")
        await settled(pilot, app)
        assert redeemer.asked == ["s1"]
        assert REDEEMED not in text
        assert "••••••••" in text
        assert MASKED_TITLE in text


ENDINGS: list[tuple[Outcome, str, str]] = [
    (Expired(by=ExpiredBy.SERVER), "expired", "used, perhaps by someone else"),
    (Expired(by=ExpiredBy.TTL), "expired", "Its time has run out."),
    (AlreadyUsed(), "already used", "It can be fetched only once, and this session has fetched it."),
    (Denied(status=403), "denied", "The server rejects the credentials (status 403)."),
    (NotFound(), "not found", "The server does not know this secret."),
    (RateLimited(retry_after_s=30), "rate limited", "Try again in 30 s."),
    (RefusedUrl(reason="another class of address", hint="Look."), "refused", "Another class of address."),
    (Failed(cause=Cause.TIMEOUT), "failed", "The server did not answer in time."),
    (Failed(cause=Cause.MALFORMED), "failed", "this try may have used up a one-time reference."),
    (Revealed(value=REDEEMED), "fetched", "The server returned it."),
]


@SIZES
async def test_every_outcome_of_a_redemption_is_explained(size: tuple[int, int]) -> None:
    script, redeemer = secretive(*(outcome for outcome, _, _ in ENDINGS))
    app = app_of(script)
    async with app.run_test(size=size) as pilot:
        await among_secrets(pilot, app)
        for _, state, told in ENDINGS:
            asked = len(redeemer.asked)
            await pilot.press("v")
            await settled(pilot, app, QUESTION)
            await pilot.press("y")
            text = await until(
                pilot,
                app,
                lambda text, state=state, told=told: (
                    f"state       {state}" in text and told in " ".join(text.split())
                ),
            )
            assert "what to do" in text
            assert REDEEMED not in text
            assert len(redeemer.asked) == asked + 1


async def test_a_second_reveal_is_already_used_and_keeps_the_value() -> None:
    script, redeemer = secretive(Revealed(value=REDEEMED), AlreadyUsed())
    app = app_of(script)
    async with app.run_test(size=LARGE) as pilot:
        await among_secrets(pilot, app)
        await revealed(pilot, app)
        await settled(pilot, app, "v fetch again")
        text = await revealed(pilot, app, "already used")
        assert "v fetch" not in text
        assert redeemer.known == [False, True]
        assert "The value that was fetched earlier is still in memory." in " ".join(text.split())
        assert re.search("◈ API key +already used", text)
        await peeked(pilot, app)


async def test_a_reference_that_may_not_be_redeemed_is_refused_without_a_question() -> None:
    other: JsonObject = {**REFERENCE, "redeemUrl": "https://a.test/secrets/s1"}
    script, redeemer = secretive(result={"content": [other]})
    app = app_of(script)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        text = await among_secrets(pilot, app)
        assert "Other origin: https://a.test is not http://127.0.0.1:8000." in text
        await pilot.press("v", "y")
        flat = " ".join((await settled(pilot, app, "Refused: other origin")).split())
        assert "Nothing was sent." in flat
        assert QUESTION not in flat
        assert redeemer.asked == []


async def test_a_command_without_a_pinned_origin_is_refused_with_the_hint() -> None:
    script, _ = secretive()
    script.redeemer = None
    app = app_of(script)
    async with app.run_test(size=LARGE) as pilot:
        text = await among_secrets(pilot, app)
        assert "refused" in text
        assert "This server has no origin, because it is a command." in text
        assert "Set redeem_origin for this server in your own configuration." in text
        await pilot.press("v", "y")
        text = await settled(pilot, app)
        assert QUESTION not in text


@SIZES
async def test_enter_shows_an_object_wrapped_to_the_width(size: tuple[int, int]) -> None:
    words = [f"word{number}" for number in range(30)]
    kept: JsonObject = {"type": "text", "text": " ".join(words)}
    script, _ = secretive(result={"content": [], "structuredContent": {"all": kept}})
    app = app_of(script)
    async with app.run_test(size=size) as pilot:
        assert "Enter show 10 s" in await among_secrets(pilot, app, "all")
        await pilot.press("enter")
        text = await settled(pilot, app, "word0 ")
        assert "".join(words) in "".join(text.split())


@pytest.mark.parametrize("is_revealed", [False, True])
async def test_the_ttl_of_a_reference_counts_down_and_expires_it(is_revealed: bool) -> None:  # noqa: FBT001
    script, redeemer = secretive()
    app = app_of(script)
    async with app.run_test(size=LARGE) as pilot:
        await among_secrets(pilot, app)
        if is_revealed:
            await revealed(pilot, app)
            await peeked(pilot, app)
        clock_of(script).now_s += 56
        await until(pilot, app, lambda text: "expires     in 4:04" in text)
        clock_of(script).now_s += 244
        text = await until(pilot, app, lambda text: "state       expired" in text)
        assert "Call the tool again for a new reference." in text
        assert REDEEMED not in text
        await pilot.press("v", "y")
        await settled(pilot, app)
        assert redeemer.asked == ["s1"] * is_revealed
        assert not app.is_guarding


async def test_an_expired_value_cannot_be_peeked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def tick(_: SecretsScreen) -> None:
        """Do nothing, in place of the timer."""

    monkeypatch.setattr(SecretsScreen, "_tick", tick)
    script, _ = secretive()
    app = app_of(script)
    async with app.run_test(size=LARGE) as pilot:
        await among_secrets(pilot, app)
        await revealed(pilot, app)
        await pilot.press("escape")
        await settled(pilot, app, "#1 done")
        clock_of(script).now_s += 300
        await pilot.press("s")
        await settled(pilot, app, "state       expired")
        await pilot.press("u")
        assert REDEEMED not in await settled(pilot, app, "state       expired")
        assert not app.is_guarding


async def test_a_forgotten_reference_can_be_revealed_again() -> None:
    script, redeemer = secretive()
    app = app_of(script)
    async with app.run_test(size=LARGE) as pilot:
        await among_secrets(pilot, app)
        await revealed(pilot, app)
        await peeked(pilot, app)
        await pilot.press("backspace")
        await settled(pilot, app, "Forget this secret?")
        # Only y agrees.
        await pilot.press("escape", "enter", "u", "backspace", "y")
        text = await settled(pilot, app, "state       forgotten")
        assert REDEEMED not in text
        assert "no value yet" in text
        await pilot.press("u")
        assert REDEEMED not in await settled(pilot, app, "state       forgotten")
        await revealed(pilot, app)
        await peeked(pilot, app)
        assert redeemer.known == [False, True]


async def test_a_redemption_continues_when_the_user_leaves_the_screen() -> None:
    script, redeemer = secretive()
    redeemer.may_answer.clear()
    app = app_of(script)
    async with app.run_test(size=LARGE) as pilot:
        await among_secrets(pilot, app)
        await revealed(pilot, app, "fetching")
        await pilot.press("v")
        await until(pilot, app, lambda text: "state       fetching" in text and QUESTION not in text)
        await pilot.press("escape")
        await until(pilot, app, lambda text: "#1 done" in text)
        redeemer.may_answer.set()
        await settled(pilot, app, "#1 done")
        assert redeemer.asked == ["s1"]
        await pilot.press("s")
        await settled(pilot, app, "state       fetched")
        await peeked(pilot, app)


async def test_the_end_of_a_session_forgets_all_secrets_and_late_answers() -> None:
    script, redeemer = secretive()
    app = app_of(script)
    async with app.run_test(size=LARGE) as pilot:
        await among_secrets(pilot, app)
        await revealed(pilot, app)
        before = script.opened[0].custody
        assert app.is_guarding
        redeemer.may_answer.clear()
        await revealed(pilot, app, "fetching")
        await pilot.press("escape", "R")
        await until(pilot, app, lambda _: len(script.opened) == 2)
        redeemer.may_answer.set()
        await settled(pilot, app, "ready")
        assert len(before.vault) == 0
        assert not before.is_guarding
        await pilot.press("s")
        await settled(pilot, app, "No secrets yet.")


async def test_two_references_are_redeemed_one_after_the_other() -> None:
    second: JsonObject = {**REFERENCE, "id": "s2", "label": "Second key", "redeemUrl": "/secrets/s2"}
    script, redeemer = secretive(result={"content": [REFERENCE, second]})
    redeemer.may_answer.clear()
    app = app_of(script)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await among_secrets(pilot, app)
        await revealed(pilot, app, "fetching")
        await pilot.press("j", "v")
        text = await until(pilot, app, lambda text: "Another secret is being fetched." in text)
        assert QUESTION not in text
        redeemer.may_answer.set()
        await settled(pilot, app, "▸ ◇ Second key")
        await revealed(pilot, app)
        assert redeemer.asked == ["s1", "s2"]


async def test_secrets_that_arrive_behind_another_screen_are_listed_on_return() -> None:
    script, _ = secretive()
    app = app_of(script)
    async with app.run_test(size=LARGE) as pilot:
        await among_secrets(pilot, app)
        await pilot.press("j", "question_mark")
        await settled(pilot, app, "All keys")
        script.opened[0].custody.vault.keep(
            2, "mint", 0.0, MINTED, holdings_in(MINTED, [withheld("/structuredContent/key")])
        )
        await pilot.press("escape")
        text = await settled(pilot, app, "2 references, 2 withheld values")
        (here,) = [line for line in text.splitlines() if "▸ " in line]
        assert "structuredContent.key" in here
        assert "#1 mint" in here


async def test_a_question_does_not_apply_to_another_session() -> None:
    script, redeemer = secretive()
    app = app_of(script)
    async with app.run_test(size=LARGE) as pilot:
        await among_secrets(pilot, app)
        await pilot.press("v")
        await settled(pilot, app, QUESTION)
        # The same call and place, on another server.
        other = Custody()
        other.vault.keep(1, "mint", 0.0, MINTED, holdings_in(MINTED, ()))
        script.opened[0].custody.end()
        script.opened[0]._custody = other  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        await pilot.press("y")
        await settled(pilot, app)
        assert redeemer.asked == []
        assert not other.is_guarding
        assert not other.vault.is_busy
        kept = other.vault.at(0)
        assert isinstance(kept, KeptReference)
        assert kept.outcome is None


ANSWERED = {
    "fetched": Revealed(value=REDEEMED),
    "denied": Denied(status=403),
    "failed": Failed(cause=Cause.STATUS, status=500),
    "refused": RefusedUrl(reason="the path /secrets/s1?token=qUery is elsewhere"),
}


@pytest.mark.parametrize("state", ANSWERED)
async def test_fetching_leaves_a_trace_in_timeline_recording_and_audit_log_without_the_secret(
    state: str, tmp_path: Path
) -> None:
    reference = REFERENCE | {"label": f"Key\u202e {REDEEMED}"}
    script, _ = secretive(ANSWERED[state], result={"content": [reference]})
    audit, recorded = Audit(tmp_path / "audit.jsonl"), tmp_path / "recorded.jsonl"
    recorder = Recorder(recorded, header_now(DemoTarget(), Lenses(), client="full"))
    app = app_of(script, terms=Terms(audit=audit))
    async with app.run_test(size=LARGE) as pilot:
        await settled(pilot, app, "No arguments")
        script.opened[0].recorder = recorder
        await among_secrets(pilot, app, "Key")
        await revealed(pilot, app, state)
        await pilot.press("escape", "t")
        text = await settled(pilot, app, f"secret of #1 mint  {state}: GET http://127.0.0.1:8000/… for ")
        assert "/secrets" not in text
        (entry,) = [entry for entry in script.opened[0].timeline.entries if entry.noted == "secret"]
    audit.close()
    recorder.close()
    assert "agreed by the user" in entry.detail
    requested, answered = [
        json.loads(line) for line in (tmp_path / "audit.jsonl").read_text().splitlines() if "secret " in line
    ]
    assert (requested["event"], requested["origin"]) == ("secret requested", "http://127.0.0.1:8000")
    assert (requested["agreed"], requested["call"], requested["tool"]) == ("user", 1, "mint")
    assert (answered["event"], answered["outcome"]) == ("secret answered", state)
    assert {"denied": "403", "failed": "500"}.get(state, "") in answered.get("reason", "")
    (note,) = [line for line in recorded.read_text().splitlines() if '"note":"secret"' in line]
    secrets = (REDEEMED,) if state == "fetched" else ()
    for sink in (entry.detail, note, json.dumps([requested, answered])):
        for canary in ("/secrets", "qUery"):
            assert canary not in sink
        assert not any(found_in(sink.encode(), canary) for canary in secrets)


async def test_nothing_is_fetched_that_cannot_be_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: object) -> None:
        raise InspectorError("the audit log is full", "Free some space.")

    script, redeemer = secretive()
    audit = Audit(tmp_path / "audit.jsonl")
    monkeypatch.setattr(audit, "secret_requested", full)
    app = app_of(script, terms=Terms(audit=audit))
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        await among_secrets(pilot, app)
        await pilot.press("v")
        await settled(pilot, app, QUESTION)
        await pilot.press("y")
        await settled(pilot, app, "the audit log is full")
    audit.close()
    assert redeemer.asked == []
