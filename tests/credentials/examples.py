"""The examples of the rules, assembled from parts.

They are kept in parts so that no tool that searches files for credentials takes them for real ones.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict, cast

_FOLDER = Path(__file__).parent


class _Find(TypedDict):
    before: list[str]
    secret: list[str]
    after: list[str]


class _Examples(TypedDict):
    finds: list[_Find]
    leaves: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Find:
    """A text in which one rule finds one secret, and nothing else is found."""

    rule: str
    before: str
    secret: str
    after: str

    @property
    def text(self) -> str:
        return self.before + self.secret + self.after


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMiss:
    """A text that resembles a match of the rule, but in which nothing is found."""

    rule: str
    text: str


def _read() -> dict[str, _Examples]:
    return cast("dict[str, _Examples]", json.loads((_FOLDER / "examples.json").read_bytes()))


FINDS = tuple(
    Find(
        rule=rule,
        before="".join(find["before"]),
        secret="".join(find["secret"]),
        after="".join(find["after"]),
    )
    for rule, examples in _read().items()
    for find in examples["finds"]
)
NEAR_MISSES = tuple(
    NearMiss(rule=rule, text="".join(parts))
    for rule, examples in _read().items()
    for parts in examples["leaves"]
)
FLOODS = {
    name: "".join(parts)
    for name, parts in cast(
        "dict[str, list[str]]", json.loads((_FOLDER / "floods.json").read_bytes())
    ).items()
}
"""Units whose repetition gives every rule as many candidates as possible."""
