"""Whether a result fits the output schema of its tool.

Source: MCP 2025-11-25, Tools, "Output Schema": servers must provide structured results that conform to it.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.boundary.bounded import Removal
from inspector.boundary.contract import Contract, is_result
from inspector.boundary.error_code import is_failed_result
from inspector.boundary.notice import MEMBER, notice_in, notice_in_block
from inspector.json.exact import Json, JsonObject
from inspector.json.pointer import child
from inspector.protocol.outcome import Outcome, Result, unfinished
from inspector.schema.validation import SchemaCheck, Violation, schema_check

MAX_VIOLATIONS = 20
"""Of one result; more are counted."""
_STRUCTURED = "/structuredContent"
_EARLIER = "cannot be checked: an earlier boundary has taken something from it"


class OutputViolation(Struct, frozen=True, kw_only=True):
    """One way in which a result breaks the output schema."""

    pointer: str
    """Into the result; of a missing member, where it should be."""
    keyword: str
    """Of the schema; `required` also for members that MCP requires."""
    message: str
    """In plain words, safe to show. Quotes nothing that is withheld."""

    def as_json(self) -> JsonObject:
        return {"pointer": self.pointer, "keyword": self.keyword, "message": self.message}


class OutputCheck(Struct, frozen=True, kw_only=True):
    """A result compared with the output schema of its tool."""

    violations: tuple[OutputViolation, ...] = ()
    more: int = 0
    """Violations beyond those."""
    unchecked: tuple[str, ...] = ()
    """Why it, or a part of it, could not be checked, in sentences that quote nothing of it."""
    is_asked: bool = True
    """False where nothing is declared, or the call did not end with a result that says it succeeded."""

    @property
    def sentence(self) -> str:
        """All violations in one line; empty where there are none."""
        if not self.violations:
            return ""
        listed = " · ".join(f"{each.pointer or '(the whole)'} {each.message}" for each in self.violations)
        return f"output breaks its schema: {listed}{f' · {self.more:,} more' if self.more else ''}"

    @property
    def sentences(self) -> tuple[str, ...]:
        """What there is to say of it: the violations, and what could not be checked."""
        first = (self.sentence,) if self.violations else ()
        return (*first, *(f"output schema: {reason}" for reason in self.unchecked))


NOT_ASKED = OutputCheck(is_asked=False)


def checked_output(outcome: Outcome, contract: Contract) -> SchemaCheck | None:
    """What in a result breaks the output schema, by pointers into the result; None where nothing is to be checked.

    Messages may quote the result. Takes seconds at most. Never raises.
    """
    if contract.schema is None or not isinstance(outcome, Result) or unfinished(outcome):
        return None
    raw = outcome.value
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
    """The same, with nothing in it of what is withheld.

    `secrets`: by these the raw result is masked, so that not even keys below them are named. `withheld`: of what a model
    does not see no value is quoted, nor where `quote` is false.
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
    """A pointer and those to what is around it, the whole first."""
    found = [""]
    for token in pointer.split("/")[1:]:
        found.append(f"{found[-1]}/{token}")
    return found


def _lacking(raw: JsonObject) -> tuple[Violation, ...]:
    """The members that a successful result must have and has not."""
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
    """Whether an earlier boundary left its notice."""
    structured, content = raw.get("structuredContent"), raw.get("content")
    noticed: Json = structured.get(MEMBER) if isinstance(structured, dict) else None
    last: Json = content[-1] if isinstance(content, list) and content else None
    return notice_in(noticed, contract.names) is not None or (
        notice_in_block(last, contract.names) is not None
    )
