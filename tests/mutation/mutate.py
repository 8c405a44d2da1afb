"""Does a test notice when a guard of the boundary is removed? Run by `make mutate`; see docs/proof.md.

Each guard is removed or inverted, one at a time, in a private copy of the project; the exit code is 0 if every one of
these mutants is killed by a test or runs endlessly, or is named in the list of those that change nothing.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutation.log import BROKEN, ENDLESS, KILLED, SURVIVED, Verdict
from tests.mutation.operators import Mutant
from tests.mutation.running import BASELINE, Request, all_mutants

PACKAGE = "inspector/boundary"
TESTS = (
    "tests/boundary",
    "tests/hosts/test_projection_guards.py",
    "tests/proof",
    "tests/recording/test_live_and_recorded.py",
    "tests/secrets/test_secret_references.py",
)
EQUIVALENTS = Path(__file__).with_name("equivalents.toml")

Key = tuple[str, str, str, str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """The command line."""

    root: Path
    package: str
    tests: tuple[str, ...]
    equivalents: Path
    only: str
    """A part of the names of the wanted modules."""
    jobs: int
    limit_s: int
    log: Path | None
    """The file with the verdicts of earlier runs."""


def main(line: Sequence[str] | None = None) -> int:
    """Mutate and report; the exit code shows whether all mutants are accounted for."""
    arguments = _arguments(line)
    started = time.monotonic()
    accepted = _accepted(arguments.equivalents)
    with tempfile.TemporaryDirectory(prefix="sightline-mutation-") as folder:
        copied = Path(folder) / "project"
        shutil.copytree(
            arguments.root, copied, ignore=shutil.ignore_patterns(".*", "__pycache__", "benchmarks")
        )
        modules = [name for name in _modules(copied, arguments.package) if arguments.only in name]
        verdicts = _verdicts(copied, Path(folder), modules, accepted, arguments)
        found = all_mutants(copied, modules)
    if verdicts is None:
        print("the tests fail without any change; see above")  # noqa: T201
        return 2
    code = _report(found, verdicts, accepted, modules)
    print(f"{time.monotonic() - started:.0f} s")  # noqa: T201
    return code


def _arguments(line: Sequence[str] | None) -> Arguments:
    parser = argparse.ArgumentParser(
        description="Removes each guard, one at a time, and sees whether a test fails."
    )
    parser.add_argument("--root", type=Path, default=Path.cwd())
    parser.add_argument("--package", default=PACKAGE)
    parser.add_argument("--equivalents", type=Path, default=EQUIVALENTS)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--limit",
        type=int,
        default=15,
        help="seconds of processor time for one test, beyond ten times what it takes",
    )
    parser.add_argument(
        "--resume",
        type=Path,
        help="a file to which verdicts are written, and whose verdicts are not found again",
    )
    parser.add_argument("tests", nargs="*", default=TESTS)
    given = parser.parse_args(line)
    return Arguments(
        root=given.root.resolve(),
        package=given.package,
        tests=tuple(given.tests),
        equivalents=given.equivalents,
        only=given.only,
        jobs=given.jobs,
        limit_s=given.limit,
        log=given.resume.resolve() if given.resume else None,
    )


def _modules(root: Path, package: str) -> list[str]:
    return [str(file.relative_to(root)) for file in sorted((root / package).rglob("*.py"))]


def _verdicts(
    root: Path, folder: Path, modules: list[str], accepted: dict[Key, str], arguments: Arguments
) -> list[Verdict] | None:
    """The outcome of each mutant; None if the tests fail without any mutant."""
    request = Request(
        modules=modules,
        package=_modules(root, arguments.package),
        tests=list(arguments.tests),
        jobs=arguments.jobs,
        limit_s=arguments.limit_s,
        listed=[list(key) for key in accepted],
        log=str(arguments.log or folder / "log.jsonl"),
    )
    asked, answer = folder / "request.json", folder / "answer.json"
    asked.write_text(json.dumps(request), encoding="utf-8")
    tool = Path(__file__).parents[2]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(root), str(tool))),
        "PYTHONHASHSEED": "0",
        "PROOF_SHRINK": "0",
        "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / "hypothesis"),
    }
    command = [sys.executable, "-m", "tests.mutation.running", str(asked), str(answer)]
    subprocess.run(command, cwd=root, env=environment, check=False)
    verdicts: list[Verdict] | None = (
        json.loads(answer.read_text(encoding="utf-8")) if answer.exists() else None
    )
    failed = next((verdict for verdict in verdicts or () if verdict["index"] == BASELINE), None)
    if verdicts is None or failed:
        print(failed["by"] if failed else "no test could be run")  # noqa: T201
        return None
    return verdicts


def _accepted(file: Path) -> dict[Key, str]:
    """The mutants that change nothing, with the reason for each."""
    if not file.exists():
        return {}
    listed = tomllib.loads(file.read_text(encoding="utf-8")).get("equivalent", [])
    return {
        (each["module"], each["within"], each["text"], each["change"], each.get("index", 0)): each["reason"]
        for each in listed
    }


def _report(
    found: list[Mutant], verdicts: list[Verdict], accepted: dict[Key, str], modules: list[str]
) -> int:
    outcomes = {found[verdict["index"]].key: verdict for verdict in verdicts}
    counts: Counter[tuple[str, str]] = Counter()
    told: list[Mutant] = []
    fails = False
    for mutant in found:
        outcome = outcomes[mutant.key]["outcome"]
        if outcome == SURVIVED and mutant.key in accepted:
            outcome = "equivalent"
        elif outcome != KILLED:
            told.append(mutant)
            fails = fails or outcome != ENDLESS
        counts[mutant.module, outcome] += 1
    columns = (KILLED, ENDLESS, SURVIVED, BROKEN, "equivalent")
    print(f"{'module':60}" + "".join(f"{column:>12}" for column in columns))  # noqa: T201
    for module in (*modules, "all"):
        chosen = [
            sum(
                count
                for (name, outcome), count in counts.items()
                if outcome == column and module in {name, "all"}
            )
            for column in columns
        ]
        if any(chosen):
            print(f"{module:60}" + "".join(f"{count:12}" for count in chosen))  # noqa: T201
    for mutant in told:
        where = f"{mutant.module}:{mutant.line} {mutant.within} [{mutant.index}]"
        print(f"{outcomes[mutant.key]['outcome']}: {where}\n    {mutant.text}\n    {mutant.change}")  # noqa: T201
    stale = [
        key
        for key in accepted
        if key[0] in modules and (key not in outcomes or outcomes[key]["outcome"] in {KILLED, ENDLESS})
    ]
    for key in stale:
        print(f"stale in the list of equivalents: {key}")  # noqa: T201
    return 1 if fails or stale else 0


if __name__ == "__main__":
    sys.exit(main())
