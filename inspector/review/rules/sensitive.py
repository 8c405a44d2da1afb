"""Rules SEN: missing and malformed sensitivity marks."""

from collections.abc import Iterator

from inspector.asks.private import asks_for_secret
from inspector.boundary.bound import bound
from inspector.boundary.bounded import Level
from inspector.boundary.bounded import Rule as Withheld
from inspector.claims.contradictions import ContradictionKind
from inspector.credentials.find import sightings
from inspector.credentials.names import names_secret, words_of
from inspector.json.exact import dump_text
from inspector.json.pointer import child
from inspector.protocol.outcome import Result
from inspector.review.finding import Confidence, Hit, Severity, SubjectKind, quoted
from inspector.review.properties import Property
from inspector.review.reviewed import Offer, Reviewed
from inspector.review.rule import DEFINITIONS, ReviewRule
from inspector.review.seen import SharedAnswer
from inspector.review.texts import texts_of, word_set
from inspector.safe_text import safe_line
from inspector.schema.fields import form_of

_ISSUE_110 = "WebMCP issue 110"
_MARK = "x-sensitive"


def _unmarked_output(offer: Offer) -> Iterator[Hit]:
    named = [field for field in offer.outputs if names_secret(field.words) and field.may_be_text]
    if not named or offer.traits.sensitive.value is True:
        return
    marked = tuple(
        claim.pointer.rpartition("/")[0]
        for claim in offer.claims
        if claim.key == _MARK and _is_decided(claim.value)
    )
    for field in named:
        if not _is_covered(field.pointer, marked):
            yield Hit(
                message=f"The output schema names `{safe_line(field.name)[:80]}`, which looks like a credential but is not marked.",
                pointer=field.pointer,
            )


def _is_decided(value: object) -> bool:
    """True unless the mark is null. `false` is a decision by the author too."""
    return value is not None


def _is_covered(pointer: str, marked: tuple[str, ...]) -> bool:
    return any(pointer == place or pointer.startswith(f"{place}/") for place in marked)


def _misspelt(offer: Offer) -> Iterator[Hit]:
    for found in offer.contradictions:
        if found.kind is ContradictionKind.MARK_MISSPELT:
            for claim in found.claims:
                yield Hit(
                    message=found.message,
                    pointer=claim.pointer,
                    evidence=quoted(f"{claim.pointer.rpartition('/')[2]}: {dump_text(claim.value)}"),
                )


def _open_schema(offer: Offer) -> Iterator[Hit]:
    schema = offer.definition.get("outputSchema")
    if not isinstance(schema, dict) or offer.claimed("webmcp-110", "sensitiveHint") is not True:
        return
    closed = schema.get("additionalProperties", schema.get("unevaluatedProperties"))
    if "properties" in schema and closed is not False:
        yield Hit(
            message="The output is declared sensitive, but its schema allows undeclared fields, which cannot be marked.",
            pointer="/outputSchema",
        )


_RETURNS = word_set(
    "get fetch read create generate rotate issue mint list show reveal export retrieve return returns dump print"
)


def _no_output_schema(offer: Offer) -> Iterator[Hit]:
    if "outputSchema" in offer.definition:
        return
    words = words_of(offer.name)
    verb = not _RETURNS.isdisjoint(words[:3])
    whole = words[-1:] in {("env",), ("environment",)}
    if verb and (names_secret(words) or whole) and offer.traits.sensitive.value is not True:
        yield Hit(
            message="The tool's name suggests that it returns a credential or environment variables. It has no output schema and no mark, so nothing can be withheld from the model.",
            pointer="/name",
            evidence=quoted(offer.name),
        )


_HEADERS = word_set("authorization cookie proxy-authorization x-api-key")


def _mirrored(offer: Offer) -> Iterator[Hit]:
    for field in offer.inputs:
        if "x-mcp-header" in field.schema and _is_sensitive_parameter(field):
            yield Hit(
                message=f"The parameter `{safe_line(field.name)[:80]}` is repeated in an HTTP header, which proxies and logs may store.",
                pointer=f"{field.pointer}/x-mcp-header",
            )


def _is_sensitive_parameter(field: Property) -> bool:
    """True if a parameter that is repeated in an HTTP header seems to be sensitive.

    Its name, a mark, `writeOnly`, its format or the name of the header may indicate it.
    """
    schema = field.schema
    # A misspelt mark counts as a mark.
    marks = {key: value for key, value in schema.items() if key.lower().replace("_", "-") in _MARKS}
    is_marked = any(value is not False for value in marks.values())
    header = str(schema["x-mcp-header"]).lower()
    return (
        names_secret(field.words)
        or is_marked
        or schema.get("writeOnly") is True
        or schema.get("format") == "password"
        or header in _HEADERS
        or names_secret(words_of(header.title()))
    )


_MARKS = frozenset({_MARK, "xsensitive", "sensitive"})


def _unmarked_input(offer: Offer) -> Iterator[Hit]:
    for field in offer.inputs:
        if _is_unmarked_secret(field):
            yield Hit(
                message=f"The parameter `{safe_line(field.name)[:80]}` looks like a credential but is not marked, and the model needs the credential to call the tool.",
                pointer=field.pointer,
            )


def _is_unmarked_secret(field: Property) -> bool:
    schema = field.schema
    is_marked = (_MARK in schema) or schema.get("writeOnly") is True or schema.get("format") == "password"
    return names_secret(field.words) and field.may_be_text and not is_marked


def _in_definition(offer: Offer) -> Iterator[Hit]:
    # Search all texts at once first, because most definitions contain no credential.
    if not sightings("\n".join(text.text for text in offer.texts)):
        return
    for text in offer.texts:
        found = sightings(text.text)
        if found:
            yield Hit(
                message=f"The definition contains text that looks like a credential ({found[0].rule.title}). It is not shown here.",
                pointer=text.pointer,
            )


_SENSITIVE = frozenset({Withheld.X_SENSITIVE.value, Withheld.SENSITIVE_HINT.value})


def _shared(reviewed: Reviewed) -> Iterator[tuple[Offer, Hit]]:
    tools = {offer.name: offer for offer in reviewed.tools}
    for answer in reviewed.traffic.shared:
        offer = tools.get(answer.name) if answer.method == "tools/call" else None
        why = _why_private(answer, offer)
        if why:
            hit = Hit(
                message=f"The answer to `{safe_line(answer.method)[:80]}` allows shared caching, but {why}.",
                pointer="/cacheScope",
                evidence=quoted(answer.name),
                subject=SubjectKind.CALL if offer else None,
            )
            yield offer or reviewed.offers[0], hit


def _why_private(answer: SharedAnswer, offer: Offer | None) -> str:
    """The reason why an answer must not be shared between users; empty if there is none."""
    if any(sightings(text.text) for text in texts_of(answer.result)):
        return "it contains text that looks like a credential"
    if answer.method not in {"tools/call", "resources/read"}:
        return ""
    if offer is not None and offer.traits.sensitive.value is True:
        return "the tool declares its results sensitive"
    found = bound(Result(value=answer.result), offer.tool if offer else None, Level.DECLARED)
    if any(removal.rule in _SENSITIVE for removal in found.removals):
        return "it contains values that are marked sensitive"
    return ""


def _asked(reviewed: Reviewed) -> Iterator[tuple[Offer, Hit]]:
    names = (
        field.name
        for form in reviewed.traffic.forms
        for field in form_of(form).fields
        if asks_for_secret(field)
    )
    for name in dict.fromkeys(names):
        shown = safe_line(name)[:80]
        message = (
            f"A form of the server asks the user for `{shown}`, which is marked or looks like a credential."
        )
        yield (
            reviewed.offers[0],
            Hit(message=message, pointer=child("/elicitation/requestedSchema/properties", name[:80])),
        )


RULES = (
    ReviewRule(
        id="SL-SEN001",
        title="Unmarked credential in the output schema",
        severity=Severity.MEDIUM,
        confidence=Confidence.MEDIUM,
        consequence="Hosts cannot know that the value is secret, so it may get to models, and from them to logs and other tools.",
        fix="Mark the field with `x-sensitive: true`, or return a secret reference instead. If it is not a credential, set `x-sensitive: false`.",
        references=("CWE-200", "CWE-522", "OWASP MCP01:2025", _ISSUE_110),
        each=_unmarked_output,
    ),
    ReviewRule(
        id="SL-SEN002",
        title="Misspelt sensitivity mark",
        severity=Severity.MEDIUM,
        confidence=Confidence.HIGH,
        consequence="Hosts that expect the right spelling find no mark and show the value to the model.",
        fix='Write it exactly as `"x-sensitive": true` in a schema, or `"sensitiveHint": true` in `annotations`.',
        references=("CWE-1286", _ISSUE_110),
        each=_misspelt,
    ),
    ReviewRule(
        id="SL-SEN003",
        title="Sensitive output with an open schema",
        severity=Severity.LOW,
        confidence=Confidence.HIGH,
        consequence="An undeclared field cannot be marked, so hosts that withhold only marked fields let it pass.",
        fix="Set `additionalProperties` to false, or declare and mark every field.",
        references=("CWE-200", _ISSUE_110),
        each=_open_schema,
    ),
    ReviewRule(
        id="SL-SEN004",
        title="Returns secrets without an output schema",
        severity=Severity.MEDIUM,
        confidence=Confidence.MEDIUM,
        consequence="The whole result goes to the model as text, because nothing declares which part is secret.",
        fix="Declare an output schema with `x-sensitive` marks, set `sensitiveHint`, or return a secret reference.",
        references=("CWE-200", "CWE-526", "OWASP MCP01:2025", _ISSUE_110),
        each=_no_output_schema,
    ),
    ReviewRule(
        id="SL-SEN005",
        title="Sensitive parameter repeated in a header",
        severity=Severity.HIGH,
        confidence=Confidence.HIGH,
        consequence="Proxies, gateways and access logs store headers.",
        fix="Remove `x-mcp-header` from the parameter.",
        references=("CWE-532", "MCP 2026-07-28, Streamable HTTP"),
        each=_mirrored,
    ),
    ReviewRule(
        id="SL-SEN006",
        title="Unmarked credential parameter",
        severity=Severity.LOW,
        confidence=Confidence.MEDIUM,
        consequence="The model needs the credential to call the tool, so the credential is in the context and in logs of calls.",
        fix="Take the credential from the server's own configuration. If it must be a parameter, mark it with `x-sensitive: true`.",
        references=("CWE-522", "OWASP MCP01:2025"),
        each=_unmarked_input,
    ),
    ReviewRule(
        id="SL-SEN007",
        title="Credential in a definition",
        severity=Severity.HIGH,
        confidence=Confidence.MEDIUM,
        consequence="Everyone who can list the tools gets the credential, and so does every model.",
        fix="Revoke it, and remove it from the definition.",
        references=("CWE-798", "OWASP MCP01:2025"),
        subjects=DEFINITIONS,
        each=_in_definition,
    ),
    ReviewRule(
        id="SL-SEN008",
        title="Sensitive answer with shared caching",
        severity=Severity.HIGH,
        confidence=Confidence.HIGH,
        consequence="With `cacheScope` public, a cache may return the answer to another user.",
        fix="Send `cacheScope` private with user-specific answers.",
        references=("CWE-524", "CWE-525", "MCP 2026-07-28, Caching"),
        whole=_shared,
    ),
    ReviewRule(
        id="SL-SEN009",
        title="Form that asks for a credential",
        severity=Severity.HIGH,
        confidence=Confidence.MEDIUM,
        consequence="What the user fills in goes through the client to the server, and may be logged on the way.",
        fix="Use URL mode, in which the credential goes directly to a page of the server, not through the client.",
        references=("CWE-522", "OWASP MCP01:2025", "MCP 2025-11-25, Elicitation, Security Considerations"),
        whole=_asked,
    ),
)
