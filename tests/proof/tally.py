"""The number of cases on which each invariant was tried, and of those that really tested it."""

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

_VARIABLE = "PROOF_CASES"
"""The environment variable with the number of cases of each invariant; read for each test."""
SEED = int(os.environ.get("PROOF_SEED", "0"))
_PHASES = (Phase.generate, Phase.shrink) if os.environ.get("PROOF_SHRINK", "1") == "1" else (Phase.generate,)
_MOST_IN_A_PART = 2_500
_LEAST_SHARE = 0.5
_LEAST_TO_JUDGE = 500
"""The number of cases from which a share is meaningful."""


def _cases() -> int:
    return int(os.environ.get(_VARIABLE, "2000"))


PARTS = range(max(2, -(-_cases() // _MOST_IN_A_PART)))
"""The parts of each invariant, which processes can share; no two parts have the same cases."""

TALLY: Counter[tuple[str, str]] = Counter()
"""The counts by invariant and column."""
COLUMNS = ("cases", "removal", "canary", "echo", "changed")

Example = TypeVar("Example")


@dataclass(frozen=True, slots=True, kw_only=True)
class Invariant(Generic[Example]):
    """A statement about each case."""

    name: str
    check: Callable[[Example], set[str]]
    """Returns which of COLUMNS apply to a case."""
    mostly: tuple[str, ...] = ("removal",)
    """The columns that must apply to most cases."""


def prove(
    name: str,
    part: int,
    strategy: st.SearchStrategy[Example],
    check: Callable[[Example], set[str]],
    *,
    mostly: tuple[str, ...] = ("removal",),
) -> None:
    """Try `check` on this part's cases. It returns which of COLUMNS apply to a case; most cases must have `mostly`."""
    prove_all(part, strategy, Invariant(name=name, check=check, mostly=mostly))


def prove_all(part: int, strategy: st.SearchStrategy[Example], *invariants: Invariant[Example]) -> None:
    """Try some invariants on the same cases, those of this part: half of the time goes into making and bounding a case."""
    seen: dict[str, Counter[str]] = {invariant.name: Counter() for invariant in invariants}

    @seed(SEED * 1_000_003 + part)
    @settings(
        max_examples=-(-_cases() // len(PARTS)),
        database=None,
        deadline=None,
        phases=_PHASES,
        suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large),
    )
    @given(strategy)
    def run(case: Example) -> None:
        for invariant in invariants:
            had = invariant.check(case)
            seen[invariant.name].update({"cases", *had})

    run()
    for name, counts in seen.items():
        TALLY.update({(name, column): count for column, count in counts.items()})
    for invariant in invariants:
        counts = seen[invariant.name]
        if counts["cases"] >= _LEAST_TO_JUDGE:
            assert all(counts[column] > _LEAST_SHARE * counts["cases"] for column in invariant.mostly), seen


def summary(tally: Counter[tuple[str, str]]) -> list[str]:
    """The counts as lines, and the meaning of their columns."""
    names = list(dict.fromkeys(name for name, _ in tally))
    lines = [f"{'invariant':56}" + "".join(f"{column:>10}" for column in COLUMNS)]
    for name in names:
        counts = [tally[name, column] for column in COLUMNS]
        lines.append(f"{name:56}" + "".join(f"{count:10}" for count in counts))
    return [*lines, f"seed {SEED} (PROOF_SEED)"]
