"""The counts of the proof, printed at the end of a run, from all processes together."""

from collections import Counter

import pytest

from tests.proof.tally import TALLY, summary


def pytest_sessionfinish(session: pytest.Session) -> None:
    output: dict[str, object] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["proof"] = [[*key, count] for key, count in TALLY.items()]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    output: dict[str, list[list[str | int]]] = getattr(node, "workeroutput", {})
    for name, column, count in output.get("proof", []):
        TALLY.update({(str(name), str(column)): int(count)})


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if TALLY:
        terminalreporter.section("proof")
        for line in summary(Counter(dict(sorted(TALLY.items())))):
            terminalreporter.line(line)
