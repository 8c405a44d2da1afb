"""What the walks over structured content share: where they are, and what none of them lets through."""

from dataclasses import dataclass

from inspector.boundary.bounded import Rule
from inspector.boundary.ledger import Ledger
from inspector.claims.claim import Claim
from inspector.json.exact import DuplicateKeys, Json, JsonObject
from inspector.json.pointer import child
from inspector.schema.nodes import SCALARS
from inspector.schema.positions import Position, Source

WITHHELD = "[withheld]"
"""Stands for a withheld item of an array, where leaving it out would move the items behind it."""
REFERENCE = "secret_reference"
FROM_REFERENCE = "of a secret reference a model sees the label alone"

NAMED_TWICE = "an object names a key twice, so that readers differ about what it says"
_NO_JSON = "it is no JSON value"


@dataclass(frozen=True, slots=True, kw_only=True)
class Walked:
    """What a walk leaves of a structured value."""

    value: Json
    """The raw value itself where nothing was withheld; parts of it may be shared in any case."""
    gone: bool = False
    """Whether nothing is left."""


GONE = Walked(value=None, gone=True)


class Step:
    """A container that a walk has entered: an object or an array."""

    __slots__ = (
        "above",
        "dropped",
        "items",
        "left",
        "made_pointer",
        "members",
        "name",
        "position",
        "raw",
        "token",
    )

    def __init__(
        self,
        above: "Step | None",
        token: str | int,
        position: Position,
        raw: JsonObject | list[Json],
        left: JsonObject | list[Json],
    ) -> None:
        self.above = above
        self.token = token
        """Under which it stands in the one above."""
        self.position = position
        self.raw = raw
        self.left = left
        """What passes of it: built by the walk, or `raw` itself until something is withheld."""
        self.members = iter(raw.items() if isinstance(raw, dict) else ())
        """Of an object: those not yet judged."""
        self.items = enumerate(raw if isinstance(raw, list) else ())
        """Of an array: those not yet judged."""
        self.dropped: list[int] = []
        """Of an array: the items withheld so far."""
        self.name: str | None = above.name_of(token) if above else None
        """The nearest property above that the schema names."""
        self.made_pointer: str | None = None
        """Into the raw result, once something asked for it."""

    def name_of(self, token: str | int) -> str | None:
        """What the schema calls the place under `token`. An item goes by its array's name."""
        if isinstance(token, int):
            return self.name
        return token if token in self.position.names else None

    def pointer(self, ledger: Ledger) -> str:
        """Into the raw result."""
        missing: list[Step] = []
        step = self
        while step.above and step.made_pointer is None:
            missing.append(step)
            step = step.above
        pointer = step.made_pointer
        if pointer is None:
            pointer = step.made_pointer = ledger.spend(ledger.root)
        for below in reversed(missing):
            pointer = below.made_pointer = ledger.spend(child(pointer, below.token))
        return pointer

    def pointer_to(self, token: str | int, ledger: Ledger) -> str:
        """Into the raw result, to the value under `token`."""
        return child(self.pointer(ledger), token)

    def put(self, token: str | int, value: Json) -> None:
        """Let `value` stand under `token`. Changes `left`, which must not be `raw`."""
        if isinstance(self.left, dict):
            self.left[str(token)] = value
        else:
            self.left[int(token)] = value

    def finish(self) -> None:
        """Leave out the withheld items at the end of an array, where nothing moves for it."""
        while self.dropped and self.dropped[-1] == len(self.left) - 1:
            self.dropped.pop()
            if isinstance(self.left, list):
                self.left.pop()


def note_mark(
    ledger: Ledger,
    above: Step | None,
    token: str | int,
    position: Position,
    source: Source,
    value: Json,
) -> None:
    """Note that `value`, under `token`, is sensitive."""
    if above is None:
        ledger.mark(ledger.root, None, source, None, value)
    elif position.hides_key:
        # A pointer to the value would tell the key.
        ledger.mark(above.pointer(ledger), None, source, None, [str(token), value])
    else:
        ledger.mark(above.pointer(ledger), token, source, above.name_of(token), value)


def note_other(
    ledger: Ledger,
    above: Step | None,
    token: str | int,
    rule: Rule,
    detail: str,
    value: Json,
    claim: Claim | None = None,
) -> None:
    """Note that `value`, under `token`, is withheld for another reason."""
    pointer = above.pointer_to(token, ledger) if above else ledger.root
    ledger.note(pointer, rule, detail, value, name=above.name_of(token) if above else None, claim=claim)


def fault_of(value: Json) -> str:
    """Why a value that is neither scalar, list nor dict cannot be judged."""
    return NAMED_TWICE if isinstance(value, DuplicateKeys) else _NO_JSON


def is_reference(value: JsonObject) -> bool:
    """Whether an object is a secret reference, well formed or not."""
    return value.get("type") == REFERENCE


def secret_of(key: str, value: Json) -> Json:
    """What of a secret reference's member must not be said elsewhere; null where it is no secret."""
    return None if key in {"type", "label", "ttl"} else value


def is_plain(value: Json) -> bool:
    """Whether `value` is JSON without a key named twice and without a secret reference, all the way down."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            if item.get("type") == REFERENCE:
                return False
            inner = item.values()
        elif isinstance(item, list):
            inner = item
        elif type(item) in SCALARS:
            continue
        else:
            return False
        for below in inner:
            if type(below) not in SCALARS:
                stack.append(below)  # noqa: PERF401 - a comprehension is slower where most are scalars
    return True
