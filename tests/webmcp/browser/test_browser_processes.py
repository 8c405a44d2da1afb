"""Browsers that Sightline starts: started, missing, crashed, and always ended with Sightline."""

import asyncio
import contextlib
import os
import signal
import sys
import tempfile
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest
import pytest_asyncio

from inspector.errors import UnreachableError, UsageError
from inspector.protocol.frames import Channel
from inspector.protocol.outcome import Failure, FailureKind
from inspector.protocol.targets import PageTarget
from inspector.session.events import SessionState
from inspector.session.live import Session
from inspector.session.options import Options
from inspector.webmcp.browser.chromium import create_profile, profiles_folder, remove_profile, temporary_of
from tests.webmcp.browser.browsing import visiting
from tests.webmcp.browser.site import Site, page, tool

WAIT = page(tool("wait", "() => new Promise(() => {})"), tool("a"))


@pytest_asyncio.fixture
async def site() -> AsyncGenerator[Site]:
    async with Site() as listening:
        yield listening


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Profiles in a folder of the test, so that no profiles of other tests are counted."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


def browsers(under: Path) -> list[int]:
    """The processes with a folder in their command line."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and entry.name != str(os.getpid()):
            with contextlib.suppress(OSError):
                if f"--user-data-dir={under}".encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
    return found


def left(under: Path) -> list[str]:
    folder = profiles_folder()
    assert folder.is_relative_to(under)
    return [entry.name for entry in folder.iterdir()] if folder.exists() else []


def beside_profiles(under: Path) -> list[str]:
    return [entry.name for entry in under.iterdir() if entry != profiles_folder()]


async def until_gone(under: Path) -> None:
    async with asyncio.timeout(30):
        while browsers(under):
            await asyncio.sleep(0.02)


@pytest.fixture(params=["short", "long"])
def placed(
    request: pytest.FixtureRequest, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> Generator[Path]:
    """A folder of temporary files in which the path of the browser's socket fits, and one in which it is too long."""
    if request.param == "long":
        yield temporary
        return
    with tempfile.TemporaryDirectory(prefix="s-", dir="/tmp") as short:
        monkeypatch.setattr("tempfile.tempdir", short)
        yield Path(short)


async def test_closing_leaves_no_process_no_profile_and_no_temporary_file(
    site: Site, placed: Path, temporary: Path
) -> None:
    async with visiting(site.put("/page", WAIT)) as visit:
        assert visit.names() == ["wait", "a"]
        assert browsers(placed)
        (name,) = left(placed)
        profile = profiles_folder() / name
        assert profile.stat().st_mode & 0o777 == 0o700
        beside = (profile / "SingletonSocket").readlink().parent
        assert beside.name.startswith("org.chromium.")
        assert beside.exists()
        assert beside.parent == temporary_of(profile)
        assert beside.parent.stat().st_mode & 0o777 == 0o700
        assert beside.is_relative_to(profile) is (placed != temporary)
    await until_gone(placed)
    assert left(placed) == []
    assert beside_profiles(placed) == []
    assert not beside.parent.exists()


def test_no_folder_is_removed_that_sightline_did_not_make(tmp_path: Path) -> None:
    profile, other = create_profile(), tmp_path / "sightline-temporary-other"
    other.mkdir()
    made = temporary_of(profile)
    (profile / "temporary").unlink()
    (profile / "temporary").symlink_to(other)
    remove_profile(profile)
    assert other.exists()
    made.rmdir()


async def test_a_browser_crash_during_a_call_is_reported_and_reconnecting_works(
    site: Site, temporary: Path
) -> None:
    url = site.put("/page", WAIT)
    async with visiting(url) as visit:
        calling = asyncio.ensure_future(visit.call("wait"))
        await visit.until(lambda: any(b"toolInvoked" in frame.raw for frame in visit.frames), listing=False)
        first = min(browsers(temporary))
        os.kill(first, signal.SIGKILL)
        record = await calling
        assert isinstance(record.outcome, Failure)
        assert record.outcome.kind is FailureKind.CONNECTION_LOST
        assert "SIGKILL" in record.outcome.detail
        assert "\n" not in record.outcome.detail
        # The path of the debugging address is what keeps other clients out.
        notes = [frame.raw for frame in visit.frames if frame.channel is Channel.NOTE]
        assert any(b"its stderr:" in note for note in notes)
        assert all(b"DevTools listening" not in note for note in notes)
        assert visit.session.state is SessionState.FAILED
    await until_gone(temporary)
    assert left(temporary) == []
    async with visiting(url) as again:
        assert await again.result("a") == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_command_that_ends_closes_its_browser(
    site: Site, temporary: Path, number: signal.Signals
) -> None:
    process = await calling_command(site, temporary)
    process.send_signal(number)
    await process.wait()
    await until_gone(temporary)
    assert left(temporary) == []


async def test_a_killed_command_closes_its_browser_and_the_next_start_cleans_up(
    site: Site, temporary: Path
) -> None:
    process = await calling_command(site, temporary)
    process.kill()
    await process.wait()
    await until_gone(temporary)
    assert len(left(temporary)) == 1
    async with visiting(site.put("/page", WAIT)):
        assert len(left(temporary)) == 1
    assert left(temporary) == []


async def calling_command(site: Site, temporary: Path) -> asyncio.subprocess.Process:
    """A `sightline call` that waits for a tool that never answers; returns once the tool was called."""
    called = asyncio.Event()

    async def tell(asked: object, writer: asyncio.StreamWriter) -> None:
        _ = asked
        called.set()
        writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")

    site.pages["/called"] = tell
    url = site.put(
        "/page", page(tool("wait", "async () => { await fetch('/called'); await new Promise(() => {}) }"))
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "inspector",
        "call",
        "wait",
        f"web+{url}",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    async with asyncio.timeout(30):
        await called.wait()
    return process


async def test_the_profile_of_a_running_session_is_not_removed(site: Site, temporary: Path) -> None:
    url = site.put("/page", WAIT)
    async with visiting(url) as first:
        (profile,) = left(temporary)
        before = sorted(entry.name for entry in (profiles_folder() / profile).iterdir())
        async with visiting(url):
            assert len(left(temporary)) == 2
            after = {entry.name for entry in (profiles_folder() / profile).iterdir()}
            assert after.issuperset(before)
        assert len(left(temporary)) == 1
        assert await first.result("a") == 1


async def test_the_error_about_a_missing_browser_names_the_package_and_the_flag(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(UnreachableError) as raised:
        await Session(PageTarget(url="http://localhost:1/"), Options()).connect()
    assert "--chromium" in raised.value.hint
    assert "apt-get install chromium" in raised.value.hint


async def test_a_named_browser_that_does_not_exist_is_a_usage_error() -> None:
    target = PageTarget(url="http://localhost:1/", chromium="/nonexistent/chromium")
    with pytest.raises(UsageError, match="/nonexistent/chromium"):
        await Session(target, Options()).connect()


async def test_a_program_that_is_not_a_browser_is_reported_with_its_stderr(temporary: Path) -> None:
    program = temporary / "pretender"
    program.write_text("#!/bin/sh\necho 'no display' >&2\nexit 3\n")
    program.chmod(0o755)
    with pytest.raises(UnreachableError) as raised:
        await Session(PageTarget(url="http://localhost:1/", chromium=str(program)), Options()).connect()
    assert "code 3" in raised.value.message
    assert "no display" in raised.value.message
    assert left(temporary) == []


async def test_a_browser_that_does_not_open_its_port_times_out(temporary: Path) -> None:
    program = temporary / "silent"
    program.write_text("#!/bin/sh\nexec sleep 1000\n")
    program.chmod(0o755)
    session = Session(
        PageTarget(url="http://localhost:1/", chromium=str(program)), Options(connect_timeout_s=0.3)
    )
    with pytest.raises(UnreachableError, match="did not open its debugging port"):
        await session.connect()
    assert left(temporary) == []


async def test_a_missing_sandbox_is_noted(site: Site) -> None:
    async with visiting(site.put("/page", WAIT)) as visit:
        said = (
            any("--no-sandbox" in note for note in visit.session.server.notes)
            if visit.session.server
            else None
        )
        assert said is (os.geteuid() == 0)
