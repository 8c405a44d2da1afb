"""The words for each rule in a count of removals: `2 withheld: 1 marked sensitive, 1 metadata`."""

from inspector.boundary.bounded import Rule

COUNTED: dict[Rule, str] = {
    Rule.X_SENSITIVE: "marked sensitive",
    Rule.SENSITIVE_HINT: "of a sensitive tool",
    Rule.SECRET_REFERENCE: "secret reference",
    Rule.AUDIENCE: "for the user only",
    Rule.LABELLED: "labelled sensitive",
    Rule.MIRROR: "copy of structured content",
    Rule.ECHO: "copy of a withheld value",
    Rule.INVALID_OUTPUT: "breaking the output schema",
    Rule.UNKNOWN_CONTENT: "of an unknown kind",
    Rule.META: "metadata",
    Rule.UNTRUSTED: "untrusted",
    Rule.DETECT: "like a credential",
    Rule.UNDECLARED: "not in the output schema",
    Rule.NO_CONTRACT: "without an output schema",
    Rule.ERROR: "error text",
    Rule.POLICY: "by policy",
    Rule.UNVERIFIED: "not verified",
    Rule.UNFINISHED: "of an unfinished call",
    Rule.INTERNAL: "not judged",
}
