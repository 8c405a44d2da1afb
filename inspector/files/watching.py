"""Decides which files of a server are watched, and reports when one is saved. Imported only with `--watch`."""

import asyncio
import os
import re
import subprocess
import time
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from inspector.errors import UsageError
from inspector.files import paths as own_paths
from inspector.files import private
from inspector.protocol.targets import HttpTarget, StdioTarget, Target

_STEP_MS = 20
"""The milliseconds without another change after which a save is reported, because editors save in several steps."""
_DEBOUNCE_MS = 400
"""The maximum number of milliseconds in which changes are collected."""
_GIT_S = 10.0
MAX_FOLDERS = 5_000
"""The maximum number of watched folders. The operating system watches them, and may not allow many more."""

_IGNORED_FOLDERS = frozenset({"__pycache__", "node_modules", "venv"})
"""Names of folders that are always ignored.

Outside of git repositories, folders whose names begin with a dot are ignored too.
"""
_IGNORED_FILES = re.compile(
    r"~$|\.(?:py[cod]|sw.|log(?:\.\d+)?|jsonl|pid|tmp|lock|db3?|sqlite3?|duckdb)$|-(?:journal|wal|shm)$|^\.#|^4913$"
    r"|^\.DS_Store$|^sightline-"
)
"""Names of files that editors, interpreters, servers and Sightline write for themselves."""
_NOTES = frozenset(
    {
        *(".md", ".markdown", ".rst", ".adoc", ".org", ".pdf", ".docx", ".odt", ".sealed", ".cast"),
        *(".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp", ".tiff", ".avif", ".heic", ".ico"),
        *(".mp3", ".mp4", ".mov", ".webm", ".wav", ".ogg", ".patch", ".diff", ".orig", ".rej"),
    }
)
"""Suffixes of notes, pictures and recordings, which do not change what a server does.

`.txt`, `.html`, `.csv` and `.yaml` are not among them, because files that a server reads may have them.
"""
_PROGRAMS = frozenset(
    {
        *(".py", ".pyi", ".pyx", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"),
        *(".vue", ".svelte", ".go", ".rs", ".c", ".h", ".cc", ".cpp", ".hpp", ".zig", ".nim"),
        *(".swift", ".dart", ".hs", ".ml", ".lua", ".java", ".kt", ".kts", ".scala", ".groovy"),
        *(".clj", ".cs", ".fs", ".vb", ".rb", ".php", ".pl", ".r", ".jl", ".ex", ".exs", ".erl"),
        *(".sh", ".so", ".dll", ".jar", ".class", ".wasm"),
    }
)
"""Suffixes of programs. A server seldom writes such a file during a call."""
_CLOCK_S = 0.05
"""The seconds by which a file's time may be too early, because the clocks of file systems are coarse."""
_AFTER_CALL_S = 0.5
"""The seconds after a call in which a server may still write a file as part of the call."""
_INTERPRETER = re.compile(r"(?:python|node|deno|bun|ruby|java|php|perl|uvx?|np[mx]|(?:ba)?sh)[\d.]*$")
"""Names of interpreters and launchers, which are not files of the server."""
_FOLDER_OPTIONS = frozenset({"--directory", "--project", "--prefix"})
"""Options of launchers, such as uv and npm, whose value is the folder of the server."""


class Watching(Struct, frozen=True, kw_only=True):
    """The watched folders and files, as absolute paths."""

    folders: tuple[str, ...] = ()
    """The folders, watched with everything below them that git does not ignore."""
    files: frozenset[str] = frozenset()
    """The single files, watched even if git ignores them."""
    is_named: bool = False
    """True if the user has named the paths. Changes of notes and pictures are then reported too."""

    def __bool__(self) -> bool:
        return bool(self.folders or self.files)


def watching_of(target: Target, named: Sequence[str]) -> Watching:
    """The paths to watch for a target.

    They are the paths in `named`, or, if there are none, the working folder and the files that the target's command
    names. A URL without `named` has no paths. Raises UsageError for a named path that does not exist.
    """
    if named:
        missing = [word for word in named if not Path(word).exists()]
        if missing:
            raise UsageError(
                f"--watch {missing[0]}: no such file or folder", "Name a file or folder that exists."
            )
        return replace(_watching(Path(word).absolute() for word in named), is_named=True)
    if isinstance(target, HttpTarget):
        return Watching()
    if isinstance(target, StdioTarget):
        cwd = Path(target.cwd or ".").absolute()
        return _watching([cwd, *_own_files(target.command, cwd)])
    return _watching([Path.cwd()])


def _watching(paths: Iterable[Path]) -> Watching:
    # The system reports changes by real paths. Both a link and its destination may be replaced.
    found = list(paths)
    folders = dict.fromkeys(os.path.realpath(path) for path in found if path.is_dir())
    files = [path for path in found if not path.is_dir()]
    names = {str(Path(os.path.realpath(path.parent)) / path.name) for path in files}
    return Watching(
        folders=tuple(folders), files=frozenset(names | {os.path.realpath(path) for path in files})
    )


def _own_files(command: Sequence[str], cwd: Path) -> Iterator[Path]:
    """The files that a command names, and the folder of the first file among its arguments.

    Also the folders that are values of `_FOLDER_OPTIONS`.
    """
    program, *words = command
    if "/" in program and not _INTERPRETER.match(program.rpartition("/")[2]):
        yield cwd / program
    has_script = False
    for before, word in zip(command, words, strict=False):
        option, _, value = word.partition("=")
        if before in _FOLDER_OPTIONS and (cwd / word).is_dir():
            yield cwd / word
        elif option in _FOLDER_OPTIONS and value and (cwd / value).is_dir():
            yield cwd / value
        elif not word.startswith("-") and (cwd / word).is_file():
            yield cwd / word
            if not has_script:
                yield (cwd / word).parent
            has_script = True


def is_written_by(path: str, calls: Iterable[tuple[float, float | None]]) -> bool:
    """True if a server probably wrote a file itself.

    The server probably wrote a file that is no program, and that changed during a call or a start of the
    server, or just after it. `calls`: the times at which each call or start began and ended, by `time.time`;
    the second is None if it has not ended.
    """
    if Path(path).suffix.lower() in _PROGRAMS:
        return False
    try:
        # A program that was built may have no suffix.
        if os.access(path, os.X_OK):
            return False
        changed_s = os.stat(path).st_mtime  # noqa: PTH116 - faster for many paths
    except OSError:
        changed_s = time.time()
    return any(
        began_s - _CLOCK_S <= changed_s and (ended_s is None or changed_s <= ended_s + _AFTER_CALL_S)
        for began_s, ended_s in calls
    )


async def saves(watching: Watching) -> AsyncGenerator[tuple[str, ...]]:
    """Yield the paths that were saved; paths that are saved at the same time are yielded together.

    Raises UsageError if nothing can be watched.
    """
    since_ns = time.time_ns()
    from watchfiles import awatch  # noqa: PLC0415 # pyright: ignore[reportUnknownVariableType] - loads a compiled library

    before: frozenset[str] | None = None
    while True:
        folders = await asyncio.to_thread(_folders_of, watching)
        new = folders - before if before is not None else frozenset[str]()
        stop = asyncio.Event()
        try:
            changes = awatch(
                *folders,
                watch_filter=None,
                step=_STEP_MS,
                debounce=_DEBOUNCE_MS,
                recursive=False,
                stop_event=stop,
                ignore_permission_denied=True,
            )
            first = asyncio.ensure_future(anext(changes))
            try:
                # No watch reports saves before the first watch, between two watches, or together with a new
                # folder. These are looked up here, after the new watch has begun, so that none is missed.
                await asyncio.sleep(0)
                missed = await asyncio.to_thread(_missed, watching, folders, new, since_ns)
                before = folders
                if missed:
                    yield missed
                found = await first
                while True:
                    # 50 ms are subtracted, because the clocks of file systems are coarse.
                    since_ns = time.time_ns() - 50_000_000
                    paths = {path for _, path in found}
                    saved = await asyncio.to_thread(_counting, watching, paths)
                    if saved:
                        yield saved
                    if any(os.path.isdir(path) and path not in folders for path in paths):  # noqa: ASYNC240, PTH112 - the fastest check
                        break
                    found = await anext(changes)
            finally:
                stop.set()
                first.cancel()
                await asyncio.gather(first, return_exceptions=True)
                await changes.aclose()
        except FileNotFoundError:
            # A folder was removed while the watch began.
            await asyncio.sleep(0.05)
        except OSError as error:
            reason = error.strerror or str(error)
            raise UsageError(
                f"{len(folders):,} folders cannot be watched: {reason}",
                "Name fewer folders with --watch=PATH.",
            ) from error


def _folders_of(watching: Watching) -> frozenset[str]:
    """The folders to watch, subfolders included, because each is watched without its subfolders.

    Raises UsageError if there are too many.
    """
    found = {os.path.dirname(file) for file in watching.files}  # noqa: PTH120 - faster for many paths
    for root in watching.folders:
        for folder in _below(root):
            found.add(folder)
            if len(found) > MAX_FOLDERS:
                raise UsageError(
                    f"--watch: more than {MAX_FOLDERS:,} folders in {root}",
                    "Name what to watch, as in --watch=src.",
                )
    return frozenset(folder for folder in found if os.path.isdir(folder))  # noqa: PTH112 - as above


def _below(root: str) -> Iterator[str]:
    yield root
    listed = _git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if listed is not None and not _ignored(root, [root]):
        known = {root}
        for name in listed.split("\0"):
            folder = os.path.dirname(os.path.join(root, name))  # noqa: PTH118, PTH120 - as above
            while name and folder not in known:
                known.add(folder)
                yield folder
                folder = os.path.dirname(folder)  # noqa: PTH120 - as above
        return
    for parent, names, _ in os.walk(root):
        names[:] = [
            name
            for name in names
            if not (name.startswith(".") or name in _IGNORED_FOLDERS or _is_environment(f"{parent}/{name}"))
        ]
        yield from (os.path.join(parent, name) for name in names)  # noqa: PTH118 - as above


def _is_environment(folder: str) -> bool:
    """True for a virtual environment of Python, whatever its name is."""
    return os.path.isfile(f"{folder}/pyvenv.cfg")  # noqa: PTH113 - as above


def _missed(
    watching: Watching, folders: Iterable[str], new: frozenset[str], since_ns: int
) -> tuple[str, ...]:
    """The files that may have been saved while nothing was watched.

    These are all files in the folders of `new`, and files in other folders that changed after `since_ns`.
    """
    found: set[str] = set()
    for folder in folders:
        least_ns = 0 if folder in new else since_ns
        try:
            with os.scandir(folder) as entries:
                found.update(
                    entry.path for entry in entries if entry.is_file() and entry.stat().st_mtime_ns > least_ns
                )
        except OSError:
            continue
    return _counting(watching, found)


def _counting(watching: Watching, paths: Iterable[str]) -> tuple[str, ...]:
    """The changed paths to report. Folders, ignored files and files of Sightline are left out."""
    own = [path for path in paths if path in watching.files]
    kept = _kept_by_sightline()
    others = [
        path
        for path in paths
        if path not in watching.files
        and not path.startswith(kept)
        and not os.path.isdir(path)  # noqa: PTH112 - as above
        and not private.is_unchanged(path)
    ]
    for root in watching.folders:
        inside = [
            path
            for path in others
            if path.startswith(f"{root}{os.sep}")
            and _may_count(path, root)
            and (watching.is_named or Path(path).suffix.lower() not in _NOTES)
        ]
        ignored = _ignored(root, [root, *inside]) if inside else frozenset[str]()
        # If git ignores a watched folder itself, its files are reported all the same.
        own += [path for path in inside if root in ignored or path not in ignored]
    return tuple(sorted(set(own)))


def _kept_by_sightline() -> tuple[str, ...]:
    """Sightline's own data and configuration folders, each with a slash at the end."""
    with suppress(UsageError):
        folders = own_paths.data(), own_paths.configuration()
        return tuple(f"{os.path.realpath(folder)}{os.sep}" for folder in folders)
    return ()


def _may_count(path: str, root: str) -> bool:
    *folders, name = Path(path).relative_to(root).parts
    in_ignored = any(
        folder == ".git"
        or folder in _IGNORED_FOLDERS
        or _is_environment(f"{root}/{'/'.join(folders[: depth + 1])}")
        for depth, folder in enumerate(folders)
    )
    return not in_ignored and not _IGNORED_FILES.search(name)


def _ignored(folder: str, paths: Iterable[str]) -> frozenset[str]:
    """The given paths that git ignores; empty outside of a repository."""
    answer = _git(folder, "check-ignore", "-z", "--stdin", asked="\0".join(paths))
    return frozenset(answer.split("\0")) if answer else frozenset()


def _git(folder: str, *words: str, asked: str = "") -> str | None:
    """The output of git, which gets `asked` on stdin.

    None if git is missing, takes too long, or exits with a status above 1.
    """
    try:
        done = subprocess.run(  # noqa: S603 - fixed words
            ["git", "-c", "core.fsmonitor=false", "-C", folder, *words],  # noqa: S607 - as the user's shell finds it
            input=asked.encode("utf-8", "surrogateescape"),
            capture_output=True,
            check=False,
            timeout=_GIT_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "surrogateescape") if done.returncode in {0, 1} else None
