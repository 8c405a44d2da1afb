"""Validation: what of a value does not fit its schema, in plain words."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from inspector.json.exact import Json, JsonObject, JsonText, dump, parse
from inspector.json.pointer import join
from inspector.safe_text import safe_line
from inspector.schema.faults import scan

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_REMEMBERED_BYTES = 100_000
"""Schemas up to this size are checked once and not with every value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One thing that does not fit, or that cannot be checked."""

    pointer: str
    """Into the value. A missing member is told of the object that lacks it."""
    message: str
    """In plain words, safe to show. Quotes at most 60 characters of the value, none where the schema marks any."""
    schema_pointer: str = ""
    """Into the schema, to the keyword; empty where there is none."""
    keyword: str = ""
    """Empty where none is behind it: a broken schema, a repeated key, a check that was given up."""


def violations(value: Json, schema: Json, *, limit: int = 50, quote: bool = True) -> tuple[Violation, ...]:
    """What in `value` does not fit `schema`, the first `limit` of it; a schema of None allows everything.

    The dialect is that of `$schema`, else 2020-12. Nothing is fetched. What cannot be checked is a violation too:
    a broken schema, a dialect or reference that is not known, repeated keys, too many levels, too much work.
    `quote`: whether messages may quote the value at all. `format` is checked for CHECKED_FORMATS, as a keyword.
    Never raises. Takes seconds at most, and should not run on the event loop.
    """
    if schema is None:
        return ()
    limit = max(1, limit)
    examined = _examined(schema)
    if examined.broken:
        return (examined.broken,)
    found = scan(value, limit)
    faults = tuple(
        Violation(pointer=fault.pointer, message=_shown(fault.message if quote else "is no JSON"))
        for fault in found.faults
    )
    quotes = quote and not examined.marks
    judged = _judged(
        value, schema, examined.draft, found.nodes + examined.nodes, limit - len(faults), quotes=quotes
    )
    return (*faults, *judged)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Examined:
    """What is known of a schema before any value is."""

    broken: Violation | None = None
    draft: str = ""
    nodes: int = 0
    marks: bool = True
    """Whether it marks anything as sensitive, or could."""


def _examined(schema: Json) -> _Examined:
    raw = dump(schema)
    return _remembered(raw) if len(raw) <= _REMEMBERED_BYTES else _examine(schema)


@lru_cache(maxsize=32)
def _remembered(raw: bytes) -> _Examined:
    parsed = parse(raw)
    return _examine(parsed.value if isinstance(parsed, JsonText) else None)


def _examine(schema: Json) -> _Examined:
    # The engines take a tenth of a second to import: only for those who validate.
    from inspector.schema.judging import draft_name, metaschema_of  # noqa: PLC0415
    from inspector.schema.positions import positions_of  # noqa: PLC0415

    if isinstance(schema, bool):
        return _Examined(draft=draft_name(_DIALECT) or "", marks=False)
    found = scan(schema, 1)
    for fault in found.faults:
        return _broken(fault.pointer, fault.message)
    if not isinstance(schema, dict):
        return _broken("", "it is neither an object nor a boolean")
    dialect = schema.get("$schema", _DIALECT)
    draft = draft_name(dialect) if isinstance(dialect, str) else None
    if draft is None:
        shown = dialect if isinstance(dialect, str) else "something that is no text"
        return _broken("/$schema", f"its dialect is not known: {shown}")
    for error in _judged(schema, metaschema_of(draft), draft, found.nodes, 1, quotes=True):
        return _broken(error.pointer, error.message)
    marks = positions_of(schema).marks_any or _is_private(schema)
    return _Examined(draft=draft, nodes=found.nodes, marks=marks)


def _broken(pointer: str, reason: str) -> _Examined:
    where = f" at {pointer}" if pointer else ""
    return _Examined(broken=Violation(pointer="", message=_shown(f"the schema is broken{where}: {reason}")))


def _is_private(schema: JsonObject) -> bool:
    """Whether anything in the schema is write-only or a password."""
    stack: list[Json] = [schema]
    while stack:
        item = stack.pop()
        match item:
            case dict():
                if item.get("writeOnly") is True or item.get("format") == "password":
                    return True
                stack += item.values()
            case list():
                stack += item
            case _:
                pass
    return False


def _judged(
    value: Json, schema: Json, draft: str, nodes: int, limit: int, *, quotes: bool
) -> Iterator[Violation]:
    from inspector.schema.effort import Effort, ExhaustedError  # noqa: PLC0415 - as in `_examine`
    from inspector.schema.judging import judge_of, schema_pointer  # noqa: PLC0415

    try:
        judge = judge_of(draft, schema, Effort(schema, nodes, quotes=quotes))
        for error in islice(judge.iter_errors(value), limit):
            yield _violation(error, schema_pointer(error))
    except ExhaustedError:
        yield _given_up("it takes too many steps")
    except RecursionError:
        yield _given_up("the value or the schema nests too deeply, or the schema leads back to itself")
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # noqa: BLE001 - what a stranger's schema does to the engines has no closed list; a panic is no Exception
        yield _given_up(f"the schema cannot be followed ({type(error).__name__})")


def _given_up(reason: str) -> Violation:
    return Violation(pointer="", message=f"cannot be checked to the end: {reason}")


def _violation(error: "ValidationError", schema_pointer: str) -> Violation:
    keyword = error.validator if isinstance(error.validator, str) else ""
    return Violation(
        pointer=join(error.absolute_path),
        message=_shown(_WORDS.get(keyword, error.message)),
        schema_pointer=schema_pointer,
        keyword=keyword,
    )


def _shown(message: str) -> str:
    """A message as it may be shown: the one place where what it quotes is made safe."""
    return safe_line(message if len(message) <= _LONGEST else f"{message[:_LONGEST]}…")


_LONGEST = 400
_WORDS = {
    "": "is not allowed here",
    "contains": "has no item of the kind that it must contain",
    "minContains": "has too few items of the kind that it must contain",
    "maxContains": "has too many items of the kind that it may contain",
    "items": "has more items than are allowed",
    "additionalItems": "has more items than are allowed",
}
"""For keywords that jsonschema applies itself: its own messages hold whole values."""
