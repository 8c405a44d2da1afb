"""OUT: what a tool declares of its output, and what it returns."""

from collections.abc import Iterator
from functools import partial

from inspector.boundary.bounded import Rule as Withheld
from inspector.credentials.find import sightings
from inspector.json.exact import JsonText, equal, parse
from inspector.json.pointer import child
from inspector.protocol.outcome import Failure, FailureKind
from inspector.review.finding import Confidence, Hit, Severity
from inspector.review.reviewed import Offer, ReviewedCall
from inspector.review.rule import Rule
from inspector.schema.positions import positions_of


def _not_object(offer: Offer) -> Iterator[Hit]:
    schema = offer.definition.get("outputSchema")
    if "outputSchema" not in offer.definition:
        return
    if not isinstance(schema, dict):
        yield Hit(message="The output schema is no object.", pointer="/outputSchema")
    elif "type" in schema and schema["type"] != "object" and not offer.is_of_page:
        yield Hit(
            message="The output schema does not describe an object, which structured content has to be.",
            pointer="/outputSchema/type",
        )


def _unreadable(offer: Offer) -> Iterator[Hit]:
    schema = offer.definition.get("outputSchema")
    if not isinstance(schema, dict):
        return
    positions = positions_of(schema)
    for fault, pointer in zip(positions.faults, positions.faulty, strict=False):
        yield Hit(
            message=f"A part of the output schema cannot be judged, and so counts as sensitive: {fault}.",
            pointer=f"/outputSchema{pointer or ''}",
        )


def _withheld(call: ReviewedCall, rule: Withheld, message: str) -> Iterator[Hit]:
    for pointer, withheld_by in call.withheld:
        if withheld_by == rule.value:
            yield Hit(message=message, pointer=pointer)


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
                message="The structured content has a field that the output schema does not name.",
                pointer=child("/structuredContent", key),
            )


def _empty_content(call: ReviewedCall) -> Iterator[Hit]:
    if "structuredContent" in call.result and not call.result.get("content"):
        yield Hit(
            message="The result has structured content and no content: hosts that read content alone show nothing.",
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
        if isinstance(read, JsonText) and isinstance(read.value, dict) and not equal(read.value, structured):
            yield Hit(
                message="The text is JSON, and says something else than the structured content: hosts differ in which of the two the model gets.",
                pointer=f"/content/{index}/text",
            )


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
            message="The text tells of a failure, and the result does not say `isError`.",
            pointer="/content/0/text",
        )


def _credentials(call: ReviewedCall) -> Iterator[Hit]:
    for text in call.texts():
        found = sightings(text.text)
        if found:
            yield Hit(
                message=f"What looks like a credential ({found[0].rule.title}) reaches the model: nothing marks it. It is not shown here.",
                pointer=text.pointer,
            )


def _lenient(call: ReviewedCall) -> Iterator[Hit]:
    if call.misfit and call.result and call.result.get("isError") is not True:
        yield Hit(message="Arguments that the input schema forbids were accepted.")


def _silent(call: ReviewedCall) -> Iterator[Hit]:
    # A form that waits for its submit button is as its page means it.
    if isinstance(call.outcome, Failure) and call.outcome.kind is not FailureKind.UNSUBMITTED:
        yield Hit(message=f"The call got no answer: {call.outcome.kind.value}.")


RULES = (
    Rule(
        id="SL-OUT001",
        title="Output schema that describes no object",
        severity=Severity.LOW,
        confidence=Confidence.HIGH,
        meaning="Strict clients reject the tool or every result of it.",
        fix='Write an output schema of `"type": "object"`.',
        references=("CWE-1286", "MCP 2025-11-25, Output Schema"),
        each=_not_object,
    ),
    Rule(
        id="SL-OUT002",
        title="Output schema that cannot be judged",
        severity=Severity.MEDIUM,
        confidence=Confidence.HIGH,
        meaning="Nobody can say which marks of sensitivity hold: hosts that fail open show everything.",
        fix="Mend the schema: references that lead somewhere, keywords of the right type.",
        references=("CWE-1286", "JSON Schema 2020-12"),
        each=_unreadable,
    ),
    Rule(
        id="SL-OUT003",
        title="Output that violates its schema",
        severity=Severity.MEDIUM,
        confidence=Confidence.HIGH,
        meaning="Strict clients reject the whole result; others pass on what nobody declared.",
        fix="Return what the output schema says, or change the schema.",
        references=("CWE-1286", "MCP 2025-11-25, Output Schema"),
        call=partial(
            _withheld,
            rule=Withheld.INVALID_OUTPUT,
            message="The structured content does not fit the output schema here.",
        ),
    ),
    Rule(
        id="SL-OUT004",
        title="Withheld value repeated elsewhere",
        severity=Severity.HIGH,
        confidence=Confidence.HIGH,
        meaning="The field is marked, and the same value reaches the model through a text, an error, `_meta` or an address.",
        fix="Leave the value out of everything but the marked field, or return a secret reference.",
        references=("CWE-200", "CWE-212", "OWASP MCP01:2025"),
        call=partial(
            _withheld,
            rule=Withheld.ECHO,
            message="A value that is marked sensitive stands here too, unmarked.",
        ),
    ),
    Rule(
        id="SL-OUT005",
        title="Unknown content",
        severity=Severity.LOW,
        confidence=Confidence.HIGH,
        meaning="Strict clients reject the whole result over a block that they do not know; others pass it on unread.",
        fix="Use the content types of the protocol.",
        references=("CWE-1286",),
        call=partial(
            _withheld,
            rule=Withheld.UNKNOWN_CONTENT,
            message="A content block is of a type that nobody has defined.",
        ),
    ),
    Rule(
        id="SL-OUT006",
        title="Audience relied on for secrecy",
        severity=Severity.LOW,
        confidence=Confidence.MEDIUM,
        meaning="Most hosts ignore `audience` and give the block to the model.",
        fix="Where the block is secret, return a secret reference in its place.",
        references=("CWE-200", "MCP 2025-11-25, Annotations"),
        call=partial(
            _withheld,
            rule=Withheld.AUDIENCE,
            message="A content block is meant for the user alone, by its audience.",
        ),
    ),
    Rule(
        id="SL-OUT007",
        title="Structured content without content",
        severity=Severity.LOW,
        confidence=Confidence.HIGH,
        meaning="What the model sees depends on the host: the structure, or nothing.",
        fix="Repeat the structured content as text, as the specification asks.",
        references=("MCP 2025-11-25, Structured Content",),
        call=_empty_content,
    ),
    Rule(
        id="SL-OUT008",
        title="Text and structure disagree",
        severity=Severity.MEDIUM,
        confidence=Confidence.MEDIUM,
        meaning="One host's model reads the one, another's the other; who reviews one of them has not reviewed the tool.",
        fix="Make the text the JSON of the structured content.",
        references=("CWE-436", "MCP 2025-11-25, Structured Content"),
        call=_disagrees,
    ),
    Rule(
        id="SL-OUT009",
        title="Failure reported as success",
        severity=Severity.LOW,
        confidence=Confidence.MEDIUM,
        meaning="A model may take the message for the answer, and a host shows no error.",
        fix="Set `isError` to true.",
        references=("CWE-394", "MCP 2025-11-25, Error Handling"),
        call=_hidden_failure,
    ),
    Rule(
        id="SL-OUT010",
        title="Credential in a result, without a mark",
        severity=Severity.HIGH,
        confidence=Confidence.MEDIUM,
        meaning="The model gets it, and from there logs, traces and other tools.",
        fix="Mark the field with `x-sensitive: true`, or return a secret reference.",
        references=("CWE-200", "CWE-522", "OWASP MCP01:2025"),
        call=_credentials,
    ),
    Rule(
        id="SL-OUT011",
        title="Field that the output schema does not name",
        severity=Severity.LOW,
        confidence=Confidence.HIGH,
        meaning="What nobody declared cannot be marked, and reaches the model wherever the boundary fails open.",
        fix="Name the field in the output schema, or leave it out.",
        references=("CWE-1286",),
        call=_unnamed,
    ),
    Rule(
        id="SL-OUT012",
        title="Forbidden arguments are accepted",
        severity=Severity.LOW,
        confidence=Confidence.HIGH,
        meaning="The schema is not what the server checks, so that other arguments may get through too.",
        fix="Validate arguments against the input schema.",
        references=("CWE-20",),
        call=_lenient,
    ),
    Rule(
        id="SL-OUT013",
        title="No answer to a call",
        severity=Severity.MEDIUM,
        confidence=Confidence.HIGH,
        meaning="A host waits, or takes the server for dead.",
        fix="Answer every request, with a result or an error.",
        references=("CWE-755",),
        call=_silent,
    ),
)
