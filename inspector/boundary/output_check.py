"""Checks whether a result fits the output schema of its tool.

Source: MCP 2025-11-25, Tools, "Output Schema": servers must provide structured results that conform to it.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.boundary.bounded import Removal
from inspector.boundary.contract import Contract, is_result
from inspector.boundary.error_code import is_failed_result
from inspector.boundary.notice import MEMBER, notice_in, notice_in_block
from inspector.json.exact import DuplicateKeys, Json, JsonObject
from inspector.json.pointer import child
from inspector.protocol.outcome import Outcome, Result, unfinished
from inspector.schema.validation import SchemaCheck, Violation, schema_check

MAX_VIOLATIONS = 20
"""The maximum number of violations listed for one result; more are counted."""
_STRUCTURED = "/structuredContent"
NO_OBJECT = "is not an object, and MCP requires one"
_EARLIER = "cannot be checked: an earlier boundary has taken something from it"


class OutputViolation(Struct, frozen=True, kw_only=True):
    """One way in which a result breaks the output schema."""

    pointer: str
    """Pointer into the result. For a missing member, the place where it should be."""
    keyword: str
    """The violated keyword of the schema; `required` also for members that MCP requires."""
    message: str
    """The violation in plain words, safe to show. Quotes nothing that is withheld."""

    def as_json(self) -> JsonObject:
        return {"pointer": self.pointer, "keyword": self.keyword, "message": self.message}


class OutputCheck(Struct, frozen=True, kw_only=True):
    """The outcome of checking a result against the output schema of its tool."""

    violations: tuple[OutputViolation, ...] = ()
    more: int = 0
    """The number of violations that are not listed."""
    unchecked: tuple[str, ...] = ()
    """The reasons why all or part of the result could not be checked, in sentences that quote nothing of it."""
    is_asked: bool = True
    """False if there was nothing to check: no schema is declared, or the call did not succeed."""

    @property
    def lead(self) -> str:
        """What the result breaks: its output schema, or the protocol, which always requires an object."""
        is_object = all(each.message != NO_OBJECT for each in self.violations)
        return "output breaks its schema" if is_object else "result breaks the protocol"

    @property
    def sentence(self) -> str:
        """All violations in one line; empty if there are none."""
        if not self.violations:
            return ""
        listed = " · ".join(
            f"{each.pointer or '(the whole result)'} {each.message}" for each in self.violations
        )
        return f"{self.lead}: {listed}{f' · {self.more:,} more' if self.more else ''}"

    @property
    def sentences(self) -> tuple[str, ...]:
        """The lines to show: the violations, and the reasons why parts could not be checked."""
        first = (self.sentence,) if self.violations else ()
        return (*first, *(f"output schema: {reason}" for reason in self.unchecked))


NOT_ASKED = OutputCheck(is_asked=False)


def checked_output(outcome: Outcome, contract: Contract) -> SchemaCheck | None:
    """The violations of the output schema in a result; None if there is nothing to check.

    If a server returns something other than an object, this is a violation even without an output schema.

    Pointers lead into the result. Messages may quote the result. Takes seconds at most. Never raises.
    """
    if not isinstance(outcome, Result) or unfinished(outcome):
        return None
    raw = outcome.value
    if contract.is_listed and not contract.is_of_page and not isinstance(raw, (dict, DuplicateKeys)):
        whole = Violation(pointer="", message=NO_OBJECT, plain=NO_OBJECT, keyword="type")
        return SchemaCheck(violations=(whole,))
    if contract.schema is None:
        return None
    if not is_result(raw, contract):
        if contract.is_of_page:
            return schema_check(raw, contract.schema, limit=MAX_VIOLATIONS)
        members = raw if isinstance(raw, dict) else {}
        return (
            None if members.get("isError", False) is not False else SchemaCheck(violations=_lacking(members))
        )
    if is_failed_result(raw):
        return None
    if _is_bounded(raw, contract):
        return SchemaCheck(unchecked=(_EARLIER,))
    lacking = () if contract.is_of_page else _lacking(raw)
    if "structuredContent" not in raw:
        return SchemaCheck(violations=lacking)
    found = schema_check(raw["structuredContent"], contract.schema, limit=MAX_VIOLATIONS)
    placed = tuple(replace(one, pointer=_STRUCTURED + one.pointer) for one in found.violations)
    return replace(found, violations=(*lacking, *placed))


def safe_output(
    found: SchemaCheck, secrets: Sequence[Removal], withheld: Sequence[Removal], *, quote: bool = True
) -> OutputCheck:
    """The outcome of a check, in which no withheld value or key is quoted.

    `secrets`: the removals that mask the raw result; not even keys inside these values are named. `withheld`:
    the removals that keep parts from the model; values in these parts are not quoted. `quote`: false to quote
    no value at all.
    """
    hidden = {removal.pointer for removal in secrets}
    silent = {*hidden, *(removal.pointer for removal in withheld)}
    violations: dict[OutputViolation, None] = {}
    for one in found.violations:
        above = _above(one.pointer)
        cut = next((pointer for pointer in above if pointer in hidden), None)
        if cut is not None:
            words = "does not fit the schema" if cut != one.pointer else one.plain
            violations[OutputViolation(pointer=cut, keyword=one.keyword, message=words)] = None
            continue
        quotes = (
            quote
            and not any(pointer in silent for pointer in above)
            and not any(pointer.startswith(f"{one.pointer}/") for pointer in silent)
        )
        message = one.message if quotes else one.plain
        violations[OutputViolation(pointer=one.pointer, keyword=one.keyword, message=message)] = None
    return OutputCheck(violations=tuple(violations), more=found.more, unchecked=found.unchecked)


def _above(pointer: str) -> list[str]:
    """The pointers to the containers of a place, outermost first, and to the place itself."""
    found = [""]
    for token in pointer.split("/")[1:]:
        found.append(f"{found[-1]}/{token}")
    return found


def _lacking(raw: JsonObject) -> tuple[Violation, ...]:
    """A violation for each member that a successful result must have but lacks."""
    return tuple(
        Violation(pointer=child("", key), message=words, plain=words, keyword="required")
        for key, words in _REQUIRED
        if key not in raw
    )


_REQUIRED = (
    ("content", "is missing, and MCP requires it in every result"),
    ("structuredContent", "is missing, and the tool declares an output schema"),
)


def _is_bounded(raw: JsonObject, contract: Contract) -> bool:
    """True if a result contains the notice of an earlier boundary."""
    structured, content = raw.get("structuredContent"), raw.get("content")
    noticed: Json = structured.get(MEMBER) if isinstance(structured, dict) else None
    last: Json = content[-1] if isinstance(content, list) and content else None
    return notice_in(noticed, contract.names) is not None or (
        notice_in_block(last, contract.names) is not None
    )
