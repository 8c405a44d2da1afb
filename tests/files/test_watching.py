import asyncio
import subprocess
from collections.abc import AsyncGenerator
from contextlib import aclosing
from itertools import count
from pathlib import Path

import pytest

from inspector.errors import UsageError
from inspector.files import private, watching
from inspector.files.watching import Watching, saves, watching_of
from inspector.protocol.targets import HttpTarget, StdioTarget


def test_the_script_and_folder_of_a_command_are_watched(tmp_path: Path) -> None:
    server, elsewhere = tmp_path / "server", tmp_path / "elsewhere"
    for folder in (server, elsewhere / "src"):
        folder.mkdir(parents=True)
    (elsewhere / "main.py").touch()
    (elsewhere / "settings.json").touch()

    def found(*command: str) -> Watching:
        return watching_of(StdioTarget(command=command, cwd=str(server)), ())

    assert found("python", "-m", "server") == Watching(folders=(str(server),))
    assert found("/usr/bin/python3.12", "server.py") == Watching(folders=(str(server),))
    script, settings = elsewhere / "main.py", elsewhere / "settings.json"
    assert found("python", str(script), "--settings", str(settings)) == Watching(
        folders=(str(server), str(elsewhere)), files=frozenset({str(script), str(settings)})
    )
    assert found("uv", "run", "--directory", str(elsewhere), "main.py").folders == (
        str(server),
        str(elsewhere),
    )
    assert found("./target/debug/server").files == {str(server / "target/debug/server")}
    assert not watching_of(HttpTarget(url="http://127.0.0.1/mcp"), ())
    assert watching_of(HttpTarget(url="http://127.0.0.1/mcp"), (str(script),)).files == {str(script)}
    with pytest.raises(UsageError, match="no such file or folder"):
        watching_of(StdioTarget(command=("python",)), (str(tmp_path / "missing"),))


async def seen(saved: AsyncGenerator[tuple[str, ...]], name: str) -> set[str]:
    """The names of the saved files, up to this one."""
    names: set[str] = set()
    async with asyncio.timeout(60):
        while name not in names:
            names.update(Path(path).name for path in await anext(saved))
    return names


@pytest.mark.parametrize("has_git", [True, False])
async def test_only_saves_of_the_server_files_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_git: bool
) -> None:
    monkeypatch.setenv("SIGHTLINE_DATA_DIR", str(tmp_path / "data"))
    (tmp_path / "data").mkdir()
    if has_git:
        await asyncio.to_thread(subprocess.run, ["git", "init", "-q", str(tmp_path)], check=True)
        (tmp_path / ".gitignore").write_text("built/\n*.sqlite\n")
    ignored = tmp_path / ("built" if has_git else "node_modules")
    ignored.mkdir()
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").touch()
    environment = tmp_path / "env" / "lib"
    environment.mkdir(parents=True)
    (tmp_path / "env" / "pyvenv.cfg").touch()
    async with aclosing(
        saves(Watching(folders=(str(tmp_path),), files=frozenset({str(ignored / "own.js")})))
    ) as saved:
        first, numbers = asyncio.ensure_future(seen(saved, "a.py")), count()
        while not first.done():
            for name in (
                "x.pyc",
                "y.py~",
                ".z.swp",
                "w.log",
                "w.log.1",
                "d.db",
                "sightline-1.html",
                "r.jsonl",
                "report.md",
                "SHOT.PNG",
                *(["d.sqlite"] if has_git else []),
            ):
                (tmp_path / "src" / name).write_text("1")
            (ignored / "b.js").write_text("1")
            (environment / "e.py").write_text("1")
            (tmp_path / "data" / "recent.json").write_text("1")
            private.write_new(tmp_path / "src" / f"saved-{next(numbers)}.json", [b"{", b"}"])
            (tmp_path / "src" / "a.py").write_text("1")
            await asyncio.sleep(0.2)
        assert await first == {"a.py"}
        # A file that Sightline wrote and that was changed since.
        (tmp_path / "src" / "saved-0.json").write_text("{}")
        await seen(saved, "saved-0.json")
        # In a folder that did not exist before, including files written before the folder was noticed.
        new = tmp_path / "new" / "deep"
        new.mkdir(parents=True)
        (new / "c.py").touch()
        await seen(saved, "c.py")
        (new / "c.py").write_text("2")
        await seen(saved, "c.py")
        (ignored / "own.js").write_text("1")
        await seen(saved, "own.js")
        (tmp_path / "src" / "a.py").unlink()
        await seen(saved, "a.py")


async def test_notes_in_a_folder_that_the_user_named_are_reported(tmp_path: Path) -> None:
    watched = watching_of(StdioTarget(command=("python",)), (str(tmp_path),))
    async with aclosing(saves(watched)) as saved:
        first = asyncio.ensure_future(seen(saved, "prompt.md"))
        while not first.done():
            for name in ("w.log", "prompt.md"):
                (tmp_path / name).write_text("1")
            await asyncio.sleep(0.2)
        assert await first == {"prompt.md"}


async def test_too_many_folders_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "MAX_FOLDERS", 5)
    for number in range(6):
        (tmp_path / str(number)).mkdir()
    with pytest.raises(UsageError, match="more than 5 folders"):
        await anext(saves(Watching(folders=(str(tmp_path),))))


async def test_a_save_while_the_folders_are_being_collected_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collect = watching._folders_of  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]

    def slowly(watched: Watching) -> frozenset[str]:
        found = collect(watched)
        (tmp_path / "saved.py").write_text("saved")
        return found

    (tmp_path / "before.py").write_text("older")
    await asyncio.sleep(0.05)
    monkeypatch.setattr(watching, "_folders_of", slowly)
    async with aclosing(saves(Watching(folders=(str(tmp_path),)))) as saved:
        assert await seen(saved, "saved.py") == {"saved.py"}
