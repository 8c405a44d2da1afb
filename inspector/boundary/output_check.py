"""Checks whether a result fits the protocol, and the output schema of its tool.

Source: MCP 2025-11-25, Tools, "Tool Result", and "Output Schema": servers must provide structured results that
conform to it.
"""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.boundary.bounded import Removal
from inspector.boundary.contract import Contract, is_result
from inspector.boundary.error_code import is_failed_result
from inspector.boundary.notice import MEMBER, notice_in, notice_in_block
from inspector.boundary.rules.unknown_content import TEXT_MEMBERS
from inspector.json.exact import DuplicateKeys, Json, JsonObject
from inspector.json.pointer import child
from inspector.protocol.outcome import Outcome, Result, unfinished
from inspector.schema.validation import SchemaCheck, Violation, schema_check

MAX_VIOLATIONS = 20
"""The maximum number of violations listed for one result; further violations are only counted."""
_STRUCTURED = "/structuredContent"
_MCP = ", and MCP requires "
_EARLIER = "the result cannot be checked, because an earlier boundary has withheld parts of it"


class OutputViolation(Struct, frozen=True, kw_only=True):
    """One way in which a result breaks the protocol or the output schema."""

    pointer: str
    """Pointer into the result. For a missing member, the place where it should be."""
    keyword: str
    """The violated keyword of the output schema; for a violation of the protocol, `required` or `type`."""
    message: str
    """The violation in plain words, safe to show. Quotes nothing that is withheld."""

    def as_json(self) -> JsonObject:
        return {"pointer": self.pointer, "keyword": self.keyword, "message": self.message}


class OutputCheck(Struct, frozen=True, kw_only=True):
    """The outcome of checking a result against the protocol and the output schema of its tool."""

    violations: tuple[OutputViolation, ...] = ()
    more: int = 0
    """The number of violations that are not listed."""
    unchecked: tuple[str, ...] = ()
    """The reasons why all or part of the result could not be checked, in sentences that quote nothing of it."""
    is_asked: bool = True
    """False if no output schema applies to the result and no violation of the protocol was found.

    No output schema applies if the tool has none, or if the call did not succeed.
    """

    def masked(self, mask: Callable[[str], str]) -> "OutputCheck":
        """A copy with `mask` applied to the pointer and the message of each violation, which may quote the result."""
        found = tuple(
            replace(each, pointer=mask(each.pointer), message=mask(each.message)) for each in self.violations
        )
        return replace(self, violations=found)

    @property
    def lead(self) -> str:
        """A clause that says what the result breaks, which is the protocol or only its output schema."""
        breaks_protocol = any(is_of_protocol(each.message) for each in self.violations)
        return "result breaks the protocol" if breaks_protocol else "output breaks its schema"

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


def is_of_protocol(message: str) -> bool:
    """True for the message of a violation of the protocol, as opposed to the output schema."""
    return _MCP in message


def checked_output(outcome: Outcome, contract: Contract) -> SchemaCheck | None:
    """The violations of the protocol and of the output schema in a result.

    None if the result keeps the protocol and no output schema applies, or if the call has no result yet.

    The protocol is checked even without an output schema, because hosts refuse a whole result if a block in
    it is malformed.

    Pointers lead into the result. Messages may quote the result. Takes seconds at most. Never raises.
    """
    if not isinstance(outcome, Result) or unfinished(outcome):
        return None
    raw = outcome.value
    found = _checked_schema(raw, contract)
    malformed = _malformed(raw) if contract.is_listed and not contract.is_of_page else ()
    if not malformed:
        return found
    found = found or SchemaCheck()
    listed = (*malformed, *found.violations)
    return replace(
        found, violations=listed[:MAX_VIOLATIONS], more=found.more + max(0, len(listed) - MAX_VIOLATIONS)
    )


def _checked_schema(raw: Json, contract: Contract) -> SchemaCheck | None:
    if contract.schema is None or not (contract.is_of_page or isinstance(raw, (dict, DuplicateKeys))):
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

    `secrets`: the removals with which the raw result is masked; not even keys inside masked values are named.
    `withheld`: the removals that keep parts from the model; values in these parts are not quoted.
    `quote`: false to quote no value at all.
    """
    hidden = {removal.pointer for removal in secrets}
    silent = {*hidden, *(removal.pointer for removal in withheld)}
    violations: dict[OutputViolation, None] = {}
    for one in found.violations:
        above = _above(one.pointer)
        cut = next((pointer for pointer in above if pointer in hidden), None)
        # A message about a malformed block quotes nothing of the block.
        if cut is not None and not (cut and is_of_protocol(one.message)):
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


def _malformed(raw: Json) -> tuple[Violation, ...]:
    """The violations of the protocol in a tool result.

    A block of an unknown type is no violation, because extensions define further types.
    """
    if isinstance(raw, DuplicateKeys):
        return ()
    if not isinstance(raw, dict):
        return (_broken("", "is not an object", "one"),)
    found: list[Violation] = []
    content = raw.get("content")
    if "content" in raw and not isinstance(content, list):
        found.append(_broken("/content", "is not an array", "one"))
    for index, block in enumerate(content if isinstance(content, list) else ()):
        found += _malformed_block(f"/content/{index}", block)
    if not isinstance(raw.get("isError", False), bool):
        found.append(_broken("/isError", "is not a boolean", "one"))
    return tuple(found)


def _malformed_block(pointer: str, block: Json) -> Iterator[Violation]:
    if isinstance(block, DuplicateKeys):
        return
    if not isinstance(block, dict):
        yield _broken(pointer, "is not an object", "one")
        return
    named = block.get("type")
    kind = named if isinstance(named, str) else "content"
    keys = ("type", *TEXT_MEMBERS.get(kind, ()))
    for key in keys:
        if not isinstance(block.get(key), str):
            words = "is not a string" if key in block else "is missing"
            yield _broken(child(pointer, key), words, f"a string in each {kind} block")
    if kind == "resource" and not isinstance(block.get("resource"), dict):
        words = "is not an object" if "resource" in block else "is missing"
        yield _broken(child(pointer, "resource"), words, "an object in each resource block")


def _broken(pointer: str, fault: str, required: str) -> Violation:
    message = f"{fault}{_MCP}{required}"
    return Violation(
        pointer=pointer,
        message=message,
        plain=message,
        keyword="required" if fault == "is missing" else "type",
    )


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
