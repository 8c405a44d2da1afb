"""Rules OUT: invalid output schemas, and results that violate an output schema."""

from collections.abc import Iterator
from functools import partial

from inspector.boundary.bounded import Rule as Withheld
from inspector.boundary.output_check import is_of_protocol
from inspector.boundary.same_content import is_part_of_result
from inspector.credentials.find import sightings
from inspector.json.exact import Json, JsonText, dump_text, equal, parse
from inspector.json.pointer import child
from inspector.pins.withheld import WithheldValues
from inspector.protocol.outcome import Failure, FailureKind
from inspector.review.finding import Confidence, Hit, Severity, quoted
from inspector.review.reviewed import Offer, ReviewedCall
from inspector.review.rule import ReviewRule
from inspector.schema.positions import positions_of


def _not_object(offer: Offer) -> Iterator[Hit]:
    schema = offer.definition.get("outputSchema")
    if "outputSchema" not in offer.definition:
        return
    if not isinstance(schema, dict):
        yield Hit(message="The output schema is not an object.", pointer="/outputSchema")
    elif "type" in schema and schema["type"] != "object" and not offer.is_of_page:
        yield Hit(
            message="The output schema does not describe an object, but structured content must be one.",
            pointer="/outputSchema/type",
        )


def _unreadable(offer: Offer) -> Iterator[Hit]:
    schema = offer.definition.get("outputSchema")
    if not isinstance(schema, dict):
        return
    positions = positions_of(schema)
    for fault, pointer in zip(positions.faults, positions.faulty, strict=False):
        yield Hit(
            message=f"A part of the output schema cannot be checked, so it counts as sensitive: {fault}.",
            pointer=f"/outputSchema{pointer or ''}",
        )


def _withheld(call: ReviewedCall, rule: Withheld, message: str) -> Iterator[Hit]:
    for pointer, withheld_by in call.withheld:
        if withheld_by == rule.value:
            yield Hit(message=message, pointer=pointer)


def _on_stderr(call: ReviewedCall) -> Iterator[Hit]:
    if not call.stderr:
        return
    withheld = WithheldValues()
    withheld.learn(call.offer.tool, call.outcome, call.bounded.removals)
    if withheld.repeats("\n".join(call.stderr)):
        yield Hit(
            message="During the call, the server wrote a value to stderr that its result marks sensitive."
        )


def _misfit(call: ReviewedCall) -> Iterator[Hit]:
    withheld = (pointer for pointer, rule in call.withheld if rule == Withheld.INVALID_OUTPUT.value)
    broken: dict[str, list[str]] = {pointer: [] for pointer in withheld}
    for each in call.violations:
        if not is_of_protocol(each.message):
            broken.setdefault(each.pointer, []).append(each.message)
    for pointer, messages in broken.items():
        said = f": it {quoted('; it '.join(messages))}" if messages else ""
        yield Hit(
            message=f"The structured content does not fit the output schema here{said}.", pointer=pointer
        )


def _malformed(call: ReviewedCall) -> Iterator[Hit]:
    for each in call.violations:
        if is_of_protocol(each.message):
            yield Hit(message=f"The result {each.message}.", pointer=each.pointer)


def _unknown_type(call: ReviewedCall) -> Iterator[Hit]:
    malformed = tuple(each.pointer for each in call.violations if is_of_protocol(each.message))
    for hit in _withheld(
        call, Withheld.UNKNOWN_CONTENT, "A content block has a type that the protocol does not define."
    ):
        if not any(pointer == hit.pointer or pointer.startswith(f"{hit.pointer}/") for pointer in malformed):
            yield hit


def _unnamed(call: ReviewedCall) -> Iterator[Hit]:
    structured, schema = call.result.get("structuredContent"), call.offer.definition.get("outputSchema")
    if not isinstance(structured, dict) or not isinstance(schema, dict):
        return
    properties = schema.get("properties")
    if not isinstance(properties, dict) or "patternProperties" in schema:
        return
    for key in structured:
        if key not in properties:
            yield Hit(
                message="The structured content has a field that is not in the output schema.",
                pointer=child("/structuredContent", key),
            )


def _empty_content(call: ReviewedCall) -> Iterator[Hit]:
    if "structuredContent" in call.result and not call.result.get("content"):
        yield Hit(
            message="The result has structured content but no content; hosts that read only content show nothing.",
            pointer="/content",
        )


def _disagrees(call: ReviewedCall) -> Iterator[Hit]:
    content, structured = call.result.get("content"), call.result.get("structuredContent")
    if structured is None or not isinstance(content, list):
        return
    for index, block in enumerate(content):
        text = block.get("text") if isinstance(block, dict) and block.get("type") == "text" else None
        if not isinstance(text, str) or text.lstrip()[:1] not in {"{", "["}:
            continue
        read = parse(text)
        if not isinstance(read, JsonText) or not isinstance(read.value, dict):
            continue
        if equal(read.value, structured) or is_part_of_result(text, index, structured):
            continue
        # Many serializers leave null members out, which loses no information.
        try:
            found, expected = _without_nulls(read.value), _without_nulls(structured)
        except RecursionError:
            found, expected = read.value, structured
        if not equal(found, expected) and not is_part_of_result(dump_text(found), index, expected):
            yield Hit(
                message="The text is JSON but differs from the structured content; it depends on the host which of the two the model gets.",
                pointer=f"/content/{index}/text",
            )


def _without_nulls(value: Json) -> Json:
    """A copy of `value` in which objects have no members with the value null."""
    match value:
        case dict():
            return {key: _without_nulls(item) for key, item in value.items() if item is not None}
        case list():
            return [_without_nulls(item) for item in value]
        case _:
            return value


_FAILURES = (
    "error:",
    "error ",
    "exception",
    "traceback (most",
    "failed to ",
    "failed:",
    "fatal:",
    "unauthorized",
)


def _hidden_failure(call: ReviewedCall) -> Iterator[Hit]:
    content = call.result.get("content")
    if call.result.get("isError") is True or not isinstance(content, list) or len(content) != 1:
        return
    text = content[0].get("text") if isinstance(content[0], dict) else None
    if isinstance(text, str) and text.lstrip()[:20].lower().startswith(_FAILURES):
        yield Hit(
            message="The text reports a failure, but the result does not set `isError`.",
            pointer="/content/0/text",
        )


def _credentials(call: ReviewedCall) -> Iterator[Hit]:
    for text in call.texts():
        found = sightings(text.text)
        if found:
            yield Hit(
                message=f"A text looks like a credential ({found[0].rule.title}) and has no mark. It is not shown here.",
                pointer=text.pointer,
            )


def _lenient(call: ReviewedCall) -> Iterator[Hit]:
    if call.misfit and call.result and call.result.get("isError") is not True:
        yield Hit(message="The server accepted arguments that the input schema forbids.")


_NO_FAULT = frozenset({FailureKind.UNSUBMITTED, FailureKind.CANCELLED, FailureKind.NOT_RECORDED})
"""Ends of calls that are no fault of the server, because the user caused them or they are unknown.

`UNSUBMITTED` is one of them, because a form may intentionally wait for its submit button.
"""


def _silent(call: ReviewedCall) -> Iterator[Hit]:
    if isinstance(call.outcome, Failure) and call.outcome.kind not in _NO_FAULT:
        yield Hit(message=f"The call got no answer: {call.outcome.kind.value}.")


RULES = (
    ReviewRule(
        id="SL-OUT001",
        title="Output schema does not describe an object",
        severity=Severity.LOW,
        confidence=Confidence.HIGH,
        consequence="Strict clients reject the tool or all its results.",
        fix='Use an output schema with `"type": "object"`.',
        references=("CWE-1286", "MCP 2025-11-25, Output Schema"),
        each=_not_object,
    ),
    ReviewRule(
        id="SL-OUT002",
        title="Output schema cannot be checked",
        severity=Severity.MEDIUM,
        confidence=Confidence.HIGH,
        consequence="It is unclear which sensitivity marks apply, so hosts that fail open show everything.",
        fix="Fix the schema: references need existing targets, and keywords need the right types.",
        references=("CWE-1286", "JSON Schema 2020-12"),
        each=_unreadable,
    ),
    ReviewRule(
        id="SL-OUT003",
        title="Output violates its schema",
        severity=Severity.MEDIUM,
        confidence=Confidence.HIGH,
        consequence="Strict clients reject the whole result; others pass on undeclared data.",
        fix="Return data that fits the output schema, or change the schema.",
        references=("CWE-1286", "MCP 2025-11-25, Output Schema"),
        call=_misfit,
    ),
    ReviewRule(
        id="SL-OUT004",
        title="Withheld value repeated elsewhere",
        severity=Severity.HIGH,
        confidence=Confidence.HIGH,
        consequence="A host that withholds only the marked field may still give its model the same value, from a text, an error, "
        "`_meta` or a URL. Sightline withholds such copies at `declared` and `closed`, but not at `open`.",
        fix="Return the value only in the marked field, or return a secret reference.",
        references=("CWE-200", "CWE-212", "OWASP MCP01:2025"),
        call=partial(
            _withheld,
            rule=Withheld.ECHO,
            message="A value that is marked sensitive is also here, without a mark.",
        ),
    ),
    ReviewRule(
        id="SL-OUT005",
        title="Unknown content",
        severity=Severity.LOW,
        confidence=Confidence.HIGH,
        consequence="Strict clients reject the whole result because of an unknown block; others pass it on unchecked.",
        fix="Use the content types of the protocol.",
        references=("CWE-1286",),
        call=_unknown_type,
    ),
    ReviewRule(
        id="SL-OUT006",
        title="Audience used for secrecy",
        severity=Severity.LOW,
        confidence=Confidence.MEDIUM,
        consequence="Most hosts ignore `audience` and give the block to the model.",
        fix="If the block is secret, return a secret reference instead.",
        references=("CWE-200", "MCP 2025-11-25, Annotations"),
        call=partial(
            _withheld,
            rule=Withheld.AUDIENCE,
            message="The audience of a content block is the user only.",
        ),
    ),
    ReviewRule(
        id="SL-OUT007",
        title="Structured content without content",
        severity=Severity.LOW,
        confidence=Confidence.HIGH,
        consequence="Depending on the host, the model sees the structured content or nothing.",
        fix="Repeat the structured content as text, as the specification recommends.",
        references=("MCP 2025-11-25, Structured Content",),
        call=_empty_content,
    ),
    ReviewRule(
        id="SL-OUT008",
        title="Text and structured content differ",
        severity=Severity.MEDIUM,
        confidence=Confidence.MEDIUM,
        consequence="Models in different hosts get different data, so a review of one does not cover the other.",
        fix="Make the text the JSON of the structured content.",
        references=("CWE-436", "MCP 2025-11-25, Structured Content"),
        call=_disagrees,
    ),
    ReviewRule(
        id="SL-OUT009",
        title="Failure reported as success",
        severity=Severity.LOW,
        confidence=Confidence.MEDIUM,
        consequence="A model may mistake the message for the answer, and a host shows no error.",
        fix="Set `isError` to true.",
        references=("CWE-394", "MCP 2025-11-25, Error Handling"),
        call=_hidden_failure,
    ),
    ReviewRule(
        id="SL-OUT010",
        title="Unmarked credential in a result",
        severity=Severity.HIGH,
        confidence=Confidence.MEDIUM,
        consequence="Hosts cannot know that the value is secret, so it may get to models, and from them to logs, traces and other tools. "
        "Sightline withholds it at `closed` unless the output schema describes it, and at `declared` and `closed` with `--withhold-credentials`.",
        fix="Mark the field with `x-sensitive: true`, or return a secret reference.",
        references=("CWE-200", "CWE-522", "OWASP MCP01:2025"),
        call=_credentials,
    ),
    ReviewRule(
        id="SL-OUT011",
        title="Field not in the output schema",
        severity=Severity.LOW,
        confidence=Confidence.HIGH,
        consequence="An undeclared field has no mark of its own, so hosts may give it to their models. Sightline withholds it at `closed`.",
        fix="Add the field to the output schema, or omit it.",
        references=("CWE-1286",),
        call=_unnamed,
    ),
    ReviewRule(
        id="SL-OUT012",
        title="Forbidden arguments accepted",
        severity=Severity.LOW,
        confidence=Confidence.HIGH,
        consequence="The server does not validate against its schema, so other invalid arguments may pass too.",
        fix="Validate arguments against the input schema.",
        references=("CWE-20",),
        call=_lenient,
    ),
    ReviewRule(
        id="SL-OUT013",
        title="No answer to a call",
        severity=Severity.MEDIUM,
        confidence=Confidence.HIGH,
        consequence="Hosts wait, or treat the server as dead.",
        fix="Answer every request with a result or an error.",
        references=("CWE-755",),
        call=_silent,
    ),
    ReviewRule(
        id="SL-OUT014",
        title="Withheld value on stderr",
        severity=Severity.MEDIUM,
        confidence=Confidence.HIGH,
        consequence="Hosts keep stderr in logs. People who must not see the value can read it there, and CI logs publish it.",
        fix="Leave the value out of logs, or log an id in its place.",
        references=("CWE-532", "OWASP MCP01:2025"),
        call=_on_stderr,
    ),
    ReviewRule(
        id="SL-OUT015",
        title="Result violates the protocol",
        severity=Severity.MEDIUM,
        confidence=Confidence.HIGH,
        consequence="The libraries of most hosts reject the whole result, and the model gets an error in its place.",
        fix="Return a list of content blocks, each with the members of its type, and a boolean `isError` or none.",
        references=("CWE-1286", "MCP 2025-11-25, Tool Result"),
        call=_malformed,
    ),
)
