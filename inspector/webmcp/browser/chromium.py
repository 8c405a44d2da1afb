"""Starts Chromium with a fresh profile, and removes the profile when the browser ends."""

import asyncio
import contextlib
import os
import shutil
import signal
import stat
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from inspector.connect import processes
from inspector.connect.tap import Tap
from inspector.errors import UnreachableError, UsageError
from inspector.protocol.frames import Channel, Direction
from inspector.protocol.targets import PageTarget

_OWNER = "sightline-owner"
_PREFIX = "profile-"
_TEMPORARY = "temporary"
_SHORT = Path("/tmp")  # noqa: S108 - the folder made there has a random name and is private
_OUTSIDE = "sightline-temporary-"
_LONGEST_SOCKET = 103
"""The maximum number of bytes in the path of a socket on macOS. On Linux, the maximum is 107."""
_LONGEST_NAME = len("/org.chromium.Chromium.XXXXXX/SingletonSocket")


def create_profile() -> Path:
    """Create an empty profile folder that says which process owns it.

    Raises UnreachableError, and leaves nothing behind.
    """
    folder = profiles_folder()
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
    except OSError as error:
        raise UnreachableError(f"cannot make {folder}: {error.strerror}", "Check TMPDIR.") from error
    is_ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
    if not is_ours or stat.S_IMODE(status.st_mode) & 0o077:
        raise UnreachableError(f"other users can access {folder}", "Remove it, or set TMPDIR.")
    try:
        profile = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=folder))
        try:
            (profile / _OWNER).write_text(_mark(os.getpid()), encoding="ascii")
            _create_temporary(profile)
        except BaseException:
            remove_profile(profile)
            raise
    except OSError as error:
        raise UnreachableError(
            f"cannot make a profile in {folder}: {error.strerror}", "Check TMPDIR."
        ) from error
    return profile


def remove_profile(profile: Path) -> None:
    """Remove a profile and the browser's temporary files. The browser may still be writing to them."""
    folders = (profile, *_temporary_outside(profile))
    for _ in range(20):
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
        if not any(folder.exists() for folder in folders):
            return


def _create_temporary(profile: Path) -> None:
    """Create the folder for the browser's temporary files. Raises OSError.

    It is in the profile, or in /tmp with a link in the profile if the path of the browser's socket would be too
    long.
    """
    folder = profile / _TEMPORARY
    if len(os.fsencode(folder)) + _LONGEST_NAME <= _LONGEST_SOCKET:
        folder.mkdir(mode=0o700)
    else:
        folder.symlink_to(tempfile.mkdtemp(prefix=_OUTSIDE, dir=_SHORT))


def temporary_of(profile: Path) -> Path:
    """The folder for the browser's temporary files, such as its socket. It is removed with the profile."""
    return next(_temporary_outside(profile), profile / _TEMPORARY)


def _temporary_outside(profile: Path) -> Iterator[Path]:
    """The folder for temporary files if it is outside of the profile; nothing for a link that Sightline did not make."""
    with contextlib.suppress(OSError):
        folder = (profile / _TEMPORARY).readlink()
        is_own = folder.parent == _SHORT and folder.name.startswith(_OUTSIDE)
        if is_own and folder.lstat().st_uid == os.geteuid():
            yield folder


def sweep_profiles() -> None:
    """Remove profiles of this user that are left because a Sightline process was killed."""
    with contextlib.suppress(OSError):
        for profile in profiles_folder().iterdir():
            if profile.name.startswith(_PREFIX) and not _may_be_in_use(profile):
                remove_profile(profile)


def profiles_folder() -> Path:
    """The folder of all profiles of this user."""
    return Path(tempfile.gettempdir()) / f"sightline-{os.geteuid()}"


def _may_be_in_use(profile: Path) -> bool:
    """True if the process that owns the profile still runs.

    Also true for a folder without an owner, because a process may not have finished creating it.
    """
    try:
        written = (profile / _OWNER).read_text("ascii")
        pid = int(written.partition(" ")[0])
    except (OSError, ValueError):
        return True
    return written == _mark(pid)


def _mark(pid: int) -> str:
    """A text that identifies a process: its id and start time, or only its id if the start time is unknown.

    Empty if the process does not exist.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        return f"{pid} {fields[19]}"
    except (OSError, IndexError):
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return ""
    except PermissionError:
        pass
    return str(pid)


NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
NO_SANDBOX = "Chromium runs without its sandbox (--no-sandbox), because Sightline runs as root."
PATIENCE_S = 2.0
"""Time limit for a browser to end."""
POLL_S = 0.02
"""The interval between two checks of a starting browser."""

_PORT_FILE = "DevToolsActivePort"
_LISTENING = b"DevTools listening on "
_INSTALL = (
    "Install the package chromium (Debian: apt-get install chromium), or name one with --chromium PATH."
)
_DISPLAYED = ("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")
PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy")
_UNWANTED = "MediaRouter,OptimizationHints,Translate"
_FLAGS = (
    "--remote-debugging-address=127.0.0.1",
    "--remote-debugging-port=0",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-service-autorun",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-dev-shm-usage",
    "--disable-background-timer-throttling",
    "--disable-renderer-backgrounding",
    "--metrics-recording-only",
    "--password-store=basic",
    "--use-mock-keychain",
    "--hide-scrollbars",
    "--mute-audio",
)


class Chromium:
    """A browser process with its profile and stderr."""

    def __init__(
        self, target: PageTarget, tap: Tap, *, flags: Sequence[str] = (), has_proxies: bool = True
    ) -> None:
        """`flags`: further command-line flags.

        `has_proxies`: whether the browser uses the proxies of the environment.
        """
        self._target = target
        self._more_flags = flags
        self._proxies = PROXIES if has_proxies else ()
        self._tap = tap
        self._process: processes.Program | None = None
        self._profile: Path | None = None
        self._reader: asyncio.Task[None] | None = None
        self._stderr = processes.ErrorLines()

    @property
    def pid(self) -> int | None:
        """The process id of the browser's main process; None if none runs."""
        return self._process.pid if self._process else None

    @property
    def is_without_sandbox(self) -> bool:
        return runs_without_sandbox()

    async def start(self, timeout_s: float) -> str:
        """Start the browser and return the address of its debugging port.

        Raises UsageError or UnreachableError, and then leaves no process and no profile behind.
        """
        program = chromium_path(self._target.chromium)
        await asyncio.to_thread(sweep_profiles)
        # Not in a thread: if the task were cancelled meanwhile, the thread would leave a profile behind.
        self._profile = create_profile()
        try:
            return await self._started(program, self._profile, timeout_s)
        except BaseException:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.shield(self.close())
            raise

    async def _started(self, program: str, profile: Path, timeout_s: float) -> str:
        flags = [*_FLAGS, *self._more_flags, f"--user-data-dir={profile}"]
        environment = processes.environment(*self._proxies, *(_DISPLAYED if self._target.is_headed else ()))
        if not self._proxies:
            # Without this flag, the browser would use a proxy of the system's settings.
            flags.append("--no-proxy-server")
        if self._target.polyfill:
            flags.append(f"--disable-features={_UNWANTED},WebMCP")
        else:
            flags += ["--enable-features=WebMCP", f"--disable-features={_UNWANTED}"]
        if not self._target.is_headed:
            flags.append("--headless=new")
        if self.is_without_sandbox:
            flags.append("--no-sandbox")
            self._tap.note(NO_SANDBOX)
        try:
            self._process = await processes.start(
                (program, *flags, "about:blank"),
                environment={**environment, "TMPDIR": str(temporary_of(profile))},
                cwd=profile,
                pipes=("stderr",),
            )
        except OSError as error:
            raise UnreachableError(f"cannot start {program}: {error.strerror or error}", _INSTALL) from error
        self._tap.note(f"started process {self._process.pid}: {program} {' '.join(flags)}")
        if self._process.stderr:
            self._reader = asyncio.ensure_future(self._read_stderr(self._process.stderr))
        try:
            async with asyncio.timeout(timeout_s):
                return await self._port_opened(self._process, profile)
        except TimeoutError as error:
            raise UnreachableError(
                self.describe(f"Chromium did not open its debugging port within {timeout_s:g} s"),
                "--timeout SECONDS waits longer; --chromium PATH names another browser.",
            ) from error

    async def _port_opened(self, process: processes.Program, profile: Path) -> str:
        while True:
            # The second line is the end of the path, a secret that keeps other processes out.
            with contextlib.suppress(OSError):
                port, _, path = (profile / _PORT_FILE).read_text("ascii").partition("\n")
                if path:
                    return f"ws://127.0.0.1:{port}{path.strip()}"
            if await process.has_ended(POLL_S):
                raise UnreachableError(
                    await self.how_it_ended(), "Run it in a shell to see its error. --headed needs a display."
                )

    async def how_it_ended(self) -> str:
        """A text about how the browser ended, with its stderr, for use after the connection was lost."""
        process = self._process
        if process is None:
            return "Chromium is not running"
        if not await process.has_ended(PATIENCE_S):
            return "Chromium closed its debugging port"
        if self._reader:
            # The last lines of stderr are the most helpful ones, and may arrive after the process has ended.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(self._reader), PATIENCE_S)
        code = process.returncode or 0
        how = f"Chromium exited with code {code}"
        if code < 0:
            with contextlib.suppress(ValueError):
                how = f"Chromium was ended by {signal.Signals(-code).name}"
        return self.describe(how)

    def describe(self, what: str) -> str:
        return "\n".join([what, *self._stderr.quoted()])

    async def close(self) -> None:
        """End the browser and its descendants, and remove its profile."""
        process, profile = self._process, self._profile
        try:
            if process is not None:
                await process.end(PATIENCE_S)
        finally:
            if self._reader:
                self._reader.cancel()
                await asyncio.gather(self._reader, return_exceptions=True)
            if profile is not None:
                await asyncio.to_thread(remove_profile, profile)
            self._process = self._profile = None

    async def _read_stderr(self, stream: asyncio.StreamReader) -> None:
        rest = b""
        while chunk := await stream.read(1 << 16):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                await self._take(line)
            if len(rest) > 1 << 16:
                await self._take(rest)
                rest = b""
        if rest:
            await self._take(rest)

    async def _take(self, line: bytes) -> None:
        # This line holds the path of the debugging port, which keeps other processes out.
        if not line.startswith(_LISTENING):
            self._stderr.add(line)
        await self._tap.take(Direction.RECEIVED, Channel.STDERR, line)


def runs_without_sandbox() -> bool:
    """True if Chromium must run without its sandbox, because Sightline runs as root."""
    return os.geteuid() == 0


def chromium_path(named: str | None) -> str:
    """The path of the browser to start.

    Raises UsageError if `named` does not exist, UnreachableError if no browser is found.
    """
    if named is not None:
        path = shutil.which(named)
        if path is None:
            raise UsageError(f"there is no program {named}", "Check --chromium PATH.")
        return path
    for name in NAMES:
        path = shutil.which(name)
        if path is not None:
            return path
    raise UnreachableError("no Chromium was found on PATH", _INSTALL)
