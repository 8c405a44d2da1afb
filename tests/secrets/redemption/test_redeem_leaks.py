"""The traces of a redemption: none, except the one value that it returns."""

import asyncio
import logging
import ssl
import subprocess
import sys
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path

import pytest

from inspector.secrets.http import HttpRedeemer, client_context
from inspector.secrets.outcomes import Cause, Failed, Outcome, Revealed, words
from inspector.secrets.redemption import fetch as fetching
from tests.peers.redemption_server import Endpoint, answer
from tests.secrets.redemption.redeeming import (
    CANARY,
    QUERY,
    SECRET,
    TOKEN,
    Names,
    everything_logged,
    found_in,
    redeemed,
    redeemer,
    reference,
)

REVEALED = Revealed(value=CANARY)
NAMES = ("secrets.test",)
ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    "text",
    [
        f"<{CANARY}>",
        CANARY.upper(),
        CANARY[::-1],
        f"x{CANARY.encode().hex()}x",
        "eyJ2YWx1ZSI6ImNBbmFyeS03ZjNRen5wTG0vKzkifQ==",
    ],
)
def test_the_search_finds_a_canary_in_every_spelling(text: str) -> None:
    assert found_in(text, CANARY)


TORN = answer(SECRET)[:-2]
ENDINGS = {
    "revealed": answer(SECRET),
    "malformed": answer(SECRET + b"x"),
    "value twice": answer(SECRET[:-1] + b',"value":"x"}'),
    "not utf-8": answer(SECRET + b"\xff"),
    "surrogate": answer(SECRET.replace(b'"}', b'\\ud800"}')),
    "torn": TORN,
    "too large": answer(SECRET + b" " * 70_000),
    "denied": answer(SECRET, "401 " + CANARY, "WWW-Authenticate: Bearer " + CANARY),
    "redirect": answer(SECRET, "302 Found", f"Location: http://[{CANARY}"),
    "no http": b"HTTP/9 " + SECRET + b"\r\n\r\n",
    "bad field": answer(SECRET, "200 OK", f"{CANARY} \x00: {CANARY}"),
    "gone": b"",
}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("names", [(), NAMES])
async def test_no_log_repr_or_warning_of_a_redemption_contains_a_secret(
    ending: str, names: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    async with Endpoint(ENDINGS[ending], names=names) as endpoint:
        with everything_logged() as logged, warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            asyncio.get_running_loop().set_debug(True)
            logging.getLogger("anyio").info("the listener listens")
            one = redeemer(endpoint.origin)
            outcome = await one.redeem(reference(), received_s=1000)
            shown = [repr(item) for item in (outcome, one, one.preview(reference()), vars(one))]
        assert any("the listener listens" in line for line in logged)
        written = capfd.readouterr()
        said = [*logged, *shown, *map(str, warned), repr(words(outcome)), written.out, written.err]
        assert found_in("\n".join(said), CANARY, QUERY, TOKEN) == []
        assert not any("secrets/1" in line for line in logged)
        assert (outcome == REVEALED) is (ending == "revealed")


class Talkative(Names):
    async def __call__(self, host: str, port: int) -> Sequence[str]:
        raise RuntimeError(f"{host} {port} {TOKEN} {QUERY}")


async def test_an_unexpected_exception_becomes_a_failure_without_its_text() -> None:
    outcome = await redeemed("https://secrets.test/mcp", names=Talkative())
    assert outcome == Failed(cause=Cause.INTERNAL)


async def test_a_cancelled_redemption_logs_no_secret() -> None:
    async def waiting(writer: asyncio.StreamWriter) -> None:
        writer.write(answer(SECRET)[:-2])
        await asyncio.sleep(5)

    async with Endpoint(waiting) as endpoint:
        running = asyncio.ensure_future(redeemer(endpoint.origin).redeem(reference(), received_s=1000))
        while not endpoint.heads:
            await asyncio.sleep(0)
        running.cancel()
        with everything_logged() as logged, pytest.raises(asyncio.CancelledError) as cancelled:
            await running
        text = "".join(traceback.format_exception(cancelled.value)) + "".join(logged)
        assert found_in(text, CANARY, QUERY, TOKEN) == []


async def test_loggers_stay_silent_if_they_are_configured_later() -> None:
    async with Endpoint(answer(SECRET)) as endpoint:
        assert await redeemed(endpoint.origin) == REVEALED
        for name in ("httpx", "httpcore.http11"):
            logging.getLogger(name).disabled = False
        with everything_logged() as logged:
            assert await redeemed(endpoint.origin) == REVEALED
            logging.getLogger("httpx").critical("anything")
    assert not any("anything" in line or "httpcore" in line for line in logged)


PROXIES = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")


@pytest.mark.parametrize("names", [(), NAMES])
async def test_a_proxy_from_the_environment_is_not_contacted(
    names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Endpoint(answer(SECRET), names=names) as endpoint, Endpoint(answer(SECRET)) as proxy:
        for variable in PROXIES:
            monkeypatch.setenv(variable, proxy.origin)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        assert await redeemed(endpoint.origin) == REVEALED
        assert (endpoint.connections, proxy.connections) == (1, 0)


async def test_the_tls_keys_are_not_logged_to_sslkeylogfile(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    keys = tmp_path / "keys"
    monkeypatch.setenv("SSLKEYLOGFILE", str(keys))
    # As in a client that creates its context in the usual way.
    assert ssl.create_default_context().keylog_filename == str(keys)
    keys.unlink(missing_ok=True)
    assert client_context().keylog_filename is None
    async with Endpoint(answer(SECRET), names=NAMES) as endpoint:
        assert await redeemed(endpoint.origin) == REVEALED
    assert not keys.exists()


async def test_a_netrc_file_provides_no_credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    passwords = tmp_path / "netrc"
    passwords.write_text("machine 127.0.0.1 login u password p\n")
    passwords.chmod(0o600)
    monkeypatch.setenv("NETRC", str(passwords))
    async with Endpoint(answer(SECRET)) as endpoint:
        one = redeemer(endpoint.origin, authorization=None)
        assert await one.redeem(reference(), received_s=1000) == REVEALED
        assert endpoint.header("authorization") == []


def test_every_talkative_logger_of_the_libraries_is_silenced() -> None:
    script = (
        "import logging, httpx, httpcore\n"
        "print(*sorted(n for n in logging.root.manager.loggerDict if n.startswith('http')))\n"
    )
    made = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loggers = set(made.stdout.split())
    assert "httpx" in loggers
    assert loggers <= set(fetching._LOGGERS)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]


def test_no_http_library_is_loaded_before_a_redemption_runs() -> None:
    script = (
        "import sys, inspector.secrets.http, inspector.secrets.outcomes\n"
        "print(*(name for name in ('httpx', 'httpcore', 'anyio', 'idna', 'textual', 'rich') if name in sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


async def test_a_redeemer_has_no_way_to_show_its_credentials() -> None:
    one = redeemer("https://secrets.test/mcp?key=" + QUERY)
    assert isinstance(one, HttpRedeemer)
    outcomes: list[Outcome] = [await one.redeem(reference("//b.test/?" + QUERY), received_s=1000)]
    assert found_in(repr(outcomes) + repr(vars(one)), QUERY, TOKEN) == []
