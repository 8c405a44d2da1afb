"""The file with what a run has found, from which an interrupted run goes on."""

import ast
import hashlib
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TypeAlias, TypedDict

from tests.mutation.executing import Lines
from tests.mutation.operators import Mutant

KILLED, ENDLESS, SURVIVED, BROKEN = "killed", "endless", "survived", "broken"
"""`ENDLESS`: no test ended it, but the limit did; `BROKEN`: the run itself failed."""
LEFT = "left"
"""None of the first tests failed; not all have run yet."""
_NOT_OF_TESTS = "tests/mutation/"


class Verdict(TypedDict):
    """The outcome of one mutant."""

    index: int
    outcome: str
    by: str
    """The first test that failed; empty if none did."""
    seconds: float


Key: TypeAlias = str
"""A name of a mutant or a test, with a digest of the files on which its result depends."""


class Log:
    """What is known of mutants and tests. Everything new is written at once."""

    def __init__(self, file: Path, root: Path, tests: list[str]) -> None:
        self._file = file
        self._root = root
        sources = sorted(path for path in root.rglob("*.py") if "__pycache__" not in path.parts)
        names = {str(path.relative_to(root)): path for path in sources}
        self._digests = {name: _digest(path) for name, path in names.items()}
        mine = [name for name in names if not name.startswith(_NOT_OF_TESTS)]
        self._all = _joined([*tests, *(self._digests[name] for name in mine)])
        self._shared = _joined(
            self._digests[name] for name in mine if not Path(name).name.startswith("test_")
        )
        self._verdicts: dict[Key, Verdict] = {}
        self._lines: dict[Key, Lines] = {}
        self._durations: dict[Key, dict[str, float]] = {}
        for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
            record = json.loads(line)
            if "lines" in record:
                self._lines[record["key"]] = record["lines"]
            elif "durations" in record:
                self._durations[record["key"]] = record["durations"]
            else:
                self._verdicts[record["key"]] = record["verdict"]

    def verdict(self, index: int, mutant: Mutant) -> Verdict | None:
        """An earlier verdict that holds: a kill while its module is the same, another one while everything is."""
        for key in self._keys(mutant):
            found = self._verdicts.get(key)
            if found:
                return Verdict(
                    index=index, outcome=found["outcome"], by=found["by"], seconds=found["seconds"]
                )
        return None

    def add_verdict(self, mutant: Mutant, verdict: Verdict) -> None:
        of_module, of_all = self._keys(mutant)
        key = of_module if verdict["outcome"] in {KILLED, ENDLESS} else of_all
        self._verdicts[key] = verdict
        self._write({"key": key, "verdict": verdict})

    def durations(self) -> dict[str, float]:
        """The seconds that each test takes without a mutant; empty if they have not passed since a change."""
        return self._durations.get(self._all, {})

    def add_durations(self, durations: dict[str, float]) -> None:
        self._durations[self._all] = durations
        self._write({"key": self._all, "durations": durations})

    def lines(self, test: str) -> Lines | None:
        """The lines that a test executed, if neither its file nor the code has changed since."""
        return self._lines.get(self._test_key(test))

    def add_lines(self, test: str, lines: Lines) -> None:
        key = self._test_key(test)
        self._lines[key] = lines
        self._write({"key": key, "lines": lines})

    def _keys(self, mutant: Mutant) -> tuple[Key, Key]:
        name = json.dumps(mutant.key)
        return f"{name} {_code_digest(self._root / mutant.module)}", f"{name} {self._all}"

    def _test_key(self, test: str) -> Key:
        return f"{test} {self._digests.get(test.split('::', maxsplit=1)[0], '')} {self._shared}"

    def _write(self, record: dict[str, object]) -> None:
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16]


@cache
def _code_digest(file: Path) -> str:
    """The digest of a file without its comments and docstrings."""
    tree = ast.parse(file.read_bytes())
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            node.body = [one for one in node.body if not _is_text(one)] or [ast.Pass()]
    return hashlib.sha256(ast.unparse(tree).encode()).hexdigest()[:16]


def _is_text(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(value=ast.Constant(value=str())):
            return True
        case _:
            return False


def _joined(digests: Iterable[str]) -> str:
    return hashlib.sha256("".join(digests).encode()).hexdigest()[:16]
