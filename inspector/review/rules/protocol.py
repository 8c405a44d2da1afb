"""Rules PRO: malformed listings, violations of the protocol, and credentials in logs."""

from collections.abc import Iterator

from inspector.review.finding import Confidence, Hit, Severity, SubjectKind, quoted
from inspector.review.reviewed import NAME_TAKEN, Offer, Reviewed
from inspector.review.rule import ReviewRule
from inspector.review.seen import FaultKind
from inspector.safe_text import safe_line


def _malformed(offer: Offer) -> Iterator[Hit]:
    problem = offer.problem
    if problem is not None and problem.reason != NAME_TAKEN:
        what = (
            "An item of a list cannot be used"
            if problem.value is not None
            else "A list cannot be used in full"
        )
        yield Hit(message=f"{what}: {safe_line(problem.reason)[:200]}.", pointer=problem.pointer)


def _wire(reviewed: Reviewed) -> Iterator[tuple[Offer, Hit]]:
    for fault in reviewed.traffic.faults:
        often = "once" if fault.count == 1 else f"{fault.count:,} times"
        where = (
            f" {'It is' if fault.count == 1 else 'The first is'} {safe_line(fault.where)}."
            if fault.where
            else ""
        )
        hit = Hit(
            message=f"The server {fault.kind.value}: {often} in this session.{where} {_TO_DO[fault.kind]}",
            pointer=_pointer(fault.kind),
            evidence=quoted(fault.example),
            severity=_SEVERITIES.get(fault.kind),
            tools=fault.tools,
        )
        yield reviewed.offers[0], hit


def _logged(reviewed: Reviewed) -> Iterator[tuple[Offer, Hit]]:
    for each in reviewed.traffic.logged:
        during = f" during a call of {safe_line(each.tool)[:100]}" if each.tool else ""
        hit = Hit(
            message=f"The server wrote a text to {each.where}{during} that looks like a credential ({each.title}). It is not shown here.",
            pointer=f"/{each.where.replace(' ', '_')}/{each.title.replace(' ', '_')}",
            tools=(each.tool,) if each.tool else (),
        )
        yield reviewed.offers[0], hit


_TO_DO = {
    FaultKind.STRAY_OUTPUT: "Send only JSON-RPC messages, and write logs to stderr.",
    FaultKind.UNASKED: "Answer each request once, with the `id` that it has; send all else as notifications.",
    FaultKind.MISSHAPEN: 'Send `"jsonrpc": "2.0"`, the `id` of the request, and either `result` or `error`.',
    FaultKind.ENCODING: "Send JSON as UTF-8 without a byte order mark.",
    FaultKind.NOT_OFFERED: "Request only what the client announces in its `capabilities`.",
}
_TITLES = {
    FaultKind.STRAY_OUTPUT: "Prints to stdout",
    FaultKind.UNASKED: "Answers a request that was not sent",
    FaultKind.MISSHAPEN: "Malformed messages",
    FaultKind.ENCODING: "JSON that is not plain UTF-8",
    FaultKind.NOT_OFFERED: "Requests what the client does not offer",
}


def _pointer(kind: FaultKind) -> str:
    return f"/{kind.name.lower()}"


_SEVERITIES = {FaultKind.UNASKED: Severity.LOW, FaultKind.ENCODING: Severity.LOW}

RULES = (
    ReviewRule(
        id="SL-PRO001",
        title="Malformed item or list",
        severity=Severity.MEDIUM,
        confidence=Confidence.HIGH,
        consequence="Strict clients reject the whole list; others handle it in different ways.",
        fix="Follow the protocol.",
        references=("CWE-1286", "MCP 2025-11-25, Tools"),
        subjects=frozenset({SubjectKind.LISTING}),
        each=_malformed,
    ),
    ReviewRule(
        id="SL-PRO002",
        title="Protocol fault on the wire",
        titles={_pointer(kind): title for kind, title in _TITLES.items()},
        severity=Severity.MEDIUM,
        confidence=Confidence.HIGH,
        consequence="Strict clients close the connection; others handle it in different ways.",
        fix="Send only JSON-RPC messages, write logs to stderr, and use only features that the client announces.",
        references=("CWE-1286", "MCP 2025-11-25, Base Protocol"),
        whole=_wire,
    ),
    ReviewRule(
        id="SL-PRO003",
        title="Credential in a log",
        severity=Severity.MEDIUM,
        confidence=Confidence.MEDIUM,
        consequence="Hosts keep stderr and log messages. People who must not have the credential can read it there, and CI logs publish it.",
        fix="Leave it out of logs, or log an id in its place.",
        references=("CWE-532", "OWASP MCP01:2025"),
        whole=_logged,
    ),
)
