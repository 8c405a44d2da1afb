"""The mutation script itself: it finds every guard, and reports those whose removal no test notices."""

import json
from pathlib import Path
from types import ModuleType

import pytest

from tests.mutation.applying import apply
from tests.mutation.mutate import main
from tests.mutation.operators import Mutant, mutants

TOY = """
LIMIT = 3
WORDS = frozenset({"a", "b"})


def allowed(word, count):
    if word not in WORDS:
        return False
    while count > 10:
        count -= 10
    return count < LIMIT


def unused(word):
    return word == "c"
"""
TOY_TESTS = """
from toy.guards import allowed


def test_allowed():
    assert allowed("a", 12) is True
    for word, count, expected in (("a", 2, True), ("b", 1, True), ("c", 1, False), ("a", 3, False), ("a", 10, False)):
        assert allowed(word, count) is expected
"""
# A single test: the script orders tests by their times, and with two tests the endless mutants would depend on that order.


def changes(source: str) -> list[str]:
    return [mutant.change for mutant in mutants("module.py", source)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = 1 if a else 2", ["condition negated", "condition true", "condition false"]),
        ("x = f(a == b)", ["Eq became NotEq"]),
        ("x = f(a < b)", ["Lt became LtE", "Lt became GtE"]),
        ("x = f(a in b is c)", ["In became NotIn", "Is became IsNot"]),
        ("x = f(a and b)", ["And became Or", "operand a dropped", "operand b dropped"]),
        ("x = f(not a)", ["`not` dropped"]),
        ("x, y = 1, 2", []),
        ("if TYPE_CHECKING:\n    import x", []),
        ("x = (a, b)", ["member a removed", "member b removed"]),
        ("x = {'a': 1}", ["entry 'a' removed"]),
        ("def f():\n    return x in {1}", ["In became NotIn", "member 1 removed"]),
        ("def f():\n    return (1, 2)", []),
        ("def f():\n    for a in b:\n        continue", ["statement continue left out"]),
        (
            "def f(x):\n    x = g(x)\n    h()\n    return x",
            ["statement x = g(x) left out", "statement h() left out"],
        ),
        (
            "match x:\n    case 1 | 2:\n        a = 1\n    case _:\n        a = 2",
            ["case 1 | 2 removed", "pattern 1 removed", "pattern 2 removed"],
        ),
    ],
)
def test_every_guard_is_found(source: str, expected: list[str]) -> None:
    assert changes(source) == expected


def test_the_key_of_a_mutant_does_not_depend_on_its_line_number() -> None:
    (one,) = mutants("m.py", "def f():\n    return a == b")
    (moved,) = mutants("m.py", "\n\ndef f():\n    return a == b")
    assert (one.within, one.text, one.line, moved.line) == ("f", "return a == b", 2, 4)
    assert one.key == moved.key


def test_all_mutants_differ_from_each_other_and_from_the_source() -> None:
    found: list[Mutant] = list(mutants("m.py", TOY))
    assert len({mutant.source for mutant in found}) == len({mutant.key for mutant in found}) == len(found)


def run(folder: Path, equivalents: str, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    package = folder / "toy"
    package.mkdir(exist_ok=True)
    (package / "__init__.py").write_text("")
    (package / "guards.py").write_text(TOY)
    (folder / "test_toy.py").write_text(TOY_TESTS)
    (folder / "pytest.ini").write_text("[pytest]\npythonpath = .\naddopts = --import-mode=importlib\n")
    (folder / "equivalents.toml").write_text(equivalents)
    listed = str(folder / "equivalents.toml")
    line = ["--root", str(folder), "--package", "toy", "--equivalents", listed, "--limit", "1"]
    return main([*line, *options, "test_toy.py"]), capsys.readouterr().out


UNUSED = """
[[equivalent]]
module = "toy/guards.py"
within = "unused"
text = 'return word == "c"'
change = "Eq became NotEq"
reason = "nobody calls it"
"""
STALE = UNUSED.replace("Eq became NotEq", "Eq became Lt")


def test_an_endless_mutant_and_a_listed_equivalent_are_accepted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = run(tmp_path, UNUSED, capsys)
    assert (code, "survived: " in said) == (0, False)
    told = [part.split("\n    ") for part in said.split("endless: ")[1:]]
    assert [(where, line, change.splitlines()[0]) for where, line, change in told] == [
        ("toy/guards.py:9 allowed [0]", "while count > 10:", "statement count -= 10 left out"),
        ("toy/guards.py:9 allowed [0]", "while count > 10:", "condition true"),
    ]


def test_tests_that_fail_without_a_mutant_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.mutation.test_mutation.TOY_TESTS", TOY_TESTS.replace('"a", 2', '"a", 7'))
    code, said = run(tmp_path, "", capsys)
    assert code == 2
    assert "test_toy.py::test_allowed" in said


def test_a_stale_entry_in_the_list_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # No mutant of this one is endless: each takes a second.
    monkeypatch.setattr("tests.mutation.test_mutation.TOY", TOY.replace("while count", "if count"))
    code, said = run(tmp_path, UNUSED + STALE, capsys)
    assert (code, "stale in the list" in said) == (1, True)


def test_a_surviving_mutant_fails_the_run_and_a_resumed_one_tries_again_only_what_no_test_had_noticed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log.jsonl"
    code, said = run(tmp_path, "", capsys, "--resume", str(log))
    records = [json.loads(line) for line in log.read_text().splitlines()]
    told = [line for line in said.splitlines() if line.startswith("survived: ")]
    assert (code, told) == (1, ["survived: toy/guards.py:15 unused [0]"])
    assert (tmp_path / "toy" / "guards.py").read_text() == TOY
    first, last = (
        TOY.splitlines().index(line) + 1 for line in ("def allowed(word, count):", "    return count < LIMIT")
    )
    recorded = [record["lines"] for record in records if "lines" in record]
    assert recorded == [{"toy/guards.py": list(range(first, last + 1))}]
    assert len([record for record in records if "verdict" in record]) == len(list(mutants("", TOY)))

    more = TOY_TESTS.replace("allowed\n", "allowed, unused\n", 1) + "    assert unused('c')\n"
    monkeypatch.setattr("tests.mutation.test_mutation.TOY_TESTS", more)
    code, said = run(tmp_path, "", capsys, "--resume", str(log))
    added = [json.loads(line) for line in log.read_text().splitlines()[len(records) :]]
    assert (code, "survived: " in said) == (0, False)
    assert [record["verdict"]["outcome"] for record in added if "verdict" in record] == ["killed"]


DECORATED = """
from functools import wraps


def once(work):
    @wraps(work)
    def ask(word):
        return work(word)
    return ask


@once
def allowed(word):
    return word == "a"
"""


def test_a_change_reaches_a_decorated_function() -> None:
    module = ModuleType("decorated")
    module.__file__ = "decorated.py"
    exec(compile(DECORATED, "decorated.py", "exec"), vars(module))  # noqa: S102 - written above
    held = module.allowed
    assert held("a")
    changed = next(found for found in mutants("decorated.py", DECORATED) if found.change == "Eq became NotEq")
    apply(module, changed.source, changed.statement)
    assert not held("a")
