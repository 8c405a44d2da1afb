"""Snapshots of model views: one text file for each, which a person can read and review."""

import difflib
import re
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from inspector.json.pointer import resolve
from inspector.json.texts import forms_of
from inspector.safe_text import safe, safe_line
from inspector.testing.result import ToolResult

FOLDER = "mcp_snapshots"
_UNUSUAL = re.compile(r"[^A-Za-z0-9_.=,\[\]-]+")
_LONGEST = 120
"""The maximum number of characters of a test's name in a file name."""
_NONCE = "NONCE"


class McpSnapshots:
    """The snapshots of one test: the value of the fixture `mcp_snapshot`."""

    def __init__(self, folder: Path, test: str, *, update: bool) -> None:
        """`folder`: the folder of snapshots for the test's file. `test`: the name of the test.

        `update`: true to write snapshots instead of comparing them.
        """
        self._folder = folder
        self._test = _file_name(test)
        self._update = update
        self._taken: set[str] = set()

    def __repr__(self) -> str:
        return f"<McpSnapshots of {self._test}>"

    def __call__(self, result: ToolResult, host: str = "spec", *, ignore: Iterable[str] = ()) -> None:
        """Compare a host's model view with its snapshot.

        `ignore`: pointers to values that change, such as times and ids. Everywhere in the view, the pointer
        replaces the value. Raises AssertionError if the view differs, or if there is no snapshot;
        `--mcp-update` writes it.
        """
        __tracebackhide__ = True
        path = self._path(host)
        now = _written(result, host, tuple(ignore))
        if self._update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(now, encoding="utf-8", newline="\n")
            return
        problem = _difference(path, now, host)
        if problem:
            raise AssertionError("\n".join([*problem, "", *result.described(host)]))

    def _path(self, host: str) -> Path:
        name, number = f"{self._test}.{host}", 1
        while name in self._taken:
            number += 1
            name = f"{self._test}.{host}.{number}"
        self._taken.add(name)
        return self._folder / f"{name}.txt"


def _file_name(test: str) -> str:
    """A file name that is unique for each test."""
    name = _UNUSUAL.sub("_", test)[:_LONGEST]
    return name if name == test else f"{name}-{sha256(test.encode('utf-8', 'surrogatepass')).hexdigest()[:6]}"


def _difference(path: Path, now: str, host: str) -> list[str]:
    try:
        before = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return [f"no snapshot {path.name} of what {host}'s model sees: pytest --mcp-update writes it"]
    if before == now:
        return []
    lines = difflib.unified_diff(before.splitlines(), now.splitlines(), "snapshot", "now", lineterm="", n=2)
    words = f"what {host}'s model sees differs from {path.name} (pytest --mcp-update replaces it):"
    return [words, *map(safe_line, lines)]


def _written(result: ToolResult, host: str, ignored: tuple[str, ...]) -> str:
    """The content of a snapshot: the model's view, then the withheld places with reasons.

    It contains no withheld value.
    """
    lines = [
        f"# {safe_line(result.tool)}: what the model of {host} sees at the boundary {result.boundary}",
        "",
    ]
    view = result.model(host).masked.replace(result.nonce, _NONCE)
    for pointer, text in _ignored(result, ignored):
        view = view.replace(text, f"<{pointer}>")
    lines += safe(view).split("\n")
    lines += ["", "# withheld"]
    lines += [
        f"{safe_line(pointer) or '(the whole)'} {safe_line(why)}" for pointer, why in result.withheld.items()
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _ignored(result: ToolResult, pointers: tuple[str, ...]) -> list[tuple[str, str]]:
    """The pointers to values that change, each with a text that it replaces. The longest text comes first."""
    found: list[tuple[str, str]] = []
    for written in pointers:
        for root in ("/structuredContent", ""):
            try:
                value = resolve(result.raw, f"{root}{written}")
            except (LookupError, ValueError):
                continue
            found += [(written, text) for text in forms_of(value)]
            break
        else:
            raise ValueError(f"the result has no value at {written}")
    return sorted(found, key=lambda pair: -len(pair[1]))
