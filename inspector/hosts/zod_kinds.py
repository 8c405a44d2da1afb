"""The types of zod that the schemas of MCP's TypeScript client are made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """`z.string()`."""

    base64: bool = False
    """Whether `atob` has to take it."""
    moment: bool = False
    """Whether it has to be an ISO date and time with an offset."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """`z.number()`."""

    least: int | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """`z.boolean()`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOf:
    """`z.literal()` and `z.enum()`."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """`z.record(z.string(), z.unknown())`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """`z.array()`."""

    of: "Kind"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """`z.object()`, `z.looseObject()`."""

    members: Mapping[str, "Kind"]
    optional: frozenset[str] = frozenset()
    loose: bool = False
    """Whether members that the shape does not name are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Union:
    """`z.union()`: the first that fits."""

    among: "tuple[Kind, ...]"


Kind: TypeAlias = Text | Amount | Truth | OneOf | Record | Items | Shape | Union
