"""One row for each key of each vocabulary: its place, the values that it accepts and values that it does not."""

from dataclasses import dataclass

import pytest

from inspector.claims.claim import Claim, Standing, Subject
from inspector.claims.registry import (
    claims_of_item,
    claims_of_request,
    claims_of_resolution,
    claims_of_result,
    claims_of_tool,
    vocabularies,
)
from inspector.json import pointer
from inspector.json.exact import DuplicateKeys, Json, JsonObject, Number
from inspector.protocol.catalogue import Item, Kind, Tool

TRUST = "/_meta/io.modelcontextprotocol~1trust-annotations"
ACTION = "/annotations/io.modelcontextprotocol~1action-metadata"
ACTION_IN_META = "/_meta/io.modelcontextprotocol~1action-metadata"
RESOLUTION = "/_meta/io.modelcontextprotocol~1tool-resolution"

NO_BOOLEAN: tuple[Json, ...] = (None, 0, 1, "true", "", [], [True], {}, DuplicateKeys((("a", 1), ("a", 2))))
NO_TEXT: tuple[Json, ...] = (None, True, 1, ["a"], {})
NO_TEXTS: tuple[Json, ...] = (None, "a", ["a", 1], {}, [["a"]])
DATA_CLASS: tuple[Json, ...] = (
    "none",
    "user",
    "credentials",
    ["pii", "financial"],
    {"regulated": {"scopes": ["GDPR", "own"]}},
    [{"regulated": {"scopes": []}}, "user"],
)
NO_DATA_CLASS: tuple[Json, ...] = (
    "PII",
    [],
    ["pii", "secret"],
    None,
    True,
    {},
    {"regulated": ["GDPR"]},
    {"regulated": {"scopes": "GDPR"}},
    {"regulated": {"scopes": [1]}},
    {"regulated": {"scopes": [], "more": 1}},
    {"regulated": {"scopes": []}, "more": 1},
    [{"regulated": DuplicateKeys((("scopes", []), ("scopes", [])))}],
)
DESTINATION: tuple[Json, ...] = ("ephemeral", "public", ["system", "user", "internal"])
SOURCE: tuple[Json, ...] = ("untrustedPublic", ["trustedPublic", "internal"])
OUTCOME: tuple[Json, ...] = ("benign", ["consequential", "irreversible"])
NO_WORD: tuple[Json, ...] = ("other", "Public", "", [], ["public", "other"], None, True, 1, {}, [["public"]])


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    vocabulary: str
    at: str
    key: str
    well_formed: tuple[Json, ...]
    malformed: tuple[Json, ...]
    subject: Subject = Subject.TOOL
    standing: Standing | None = None


def boolean(
    vocabulary: str, at: str, key: str, subject: Subject = Subject.TOOL, standing: Standing | None = None
) -> Row:
    return Row(
        vocabulary=vocabulary,
        at=at,
        key=key,
        well_formed=(True, False),
        malformed=NO_BOOLEAN,
        subject=subject,
        standing=standing,
    )


def row(
    vocabulary: str,
    at: str,
    takes: tuple[tuple[Json, ...], tuple[Json, ...]],
    *,
    key: str = "",
    subject: Subject = Subject.TOOL,
) -> Row:
    return Row(
        vocabulary=vocabulary,
        at=at,
        key=key or pointer.split(at)[-1],
        well_formed=takes[0],
        malformed=takes[1],
        subject=subject,
    )


def data_flow(vocabulary: str, at: str, subject: Subject = Subject.TOOL) -> tuple[Row, ...]:
    takes = {
        "inputMetadata.destination": (DESTINATION, NO_WORD),
        "inputMetadata.sensitivity": (DATA_CLASS, NO_DATA_CLASS),
        "returnMetadata.source": (SOURCE, NO_WORD),
        "returnMetadata.sensitivity": (DATA_CLASS, NO_DATA_CLASS),
    }
    return tuple(
        row(vocabulary, f"{at}/{key.replace('.', '/')}", each, key=key, subject=subject)
        for key, each in takes.items()
    )


TEXT: tuple[tuple[Json, ...], tuple[Json, ...]] = (("", "x"), NO_TEXT)
TEXTS: tuple[tuple[Json, ...], tuple[Json, ...]] = (([], ["x", "y"]), NO_TEXTS)
HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")

ROWS = (
    row("mcp", "/annotations/title", TEXT),
    *(boolean("mcp", f"/annotations/{hint}", hint) for hint in HINTS),
    *(
        each
        for subject in (Subject.BLOCK, Subject.RESOURCE)
        for each in (
            row(
                "mcp-content",
                "/annotations/audience",
                (
                    (["user"], ["assistant", "user"]),
                    ([], ["system"], "user", None, ["user", 1], {"user": True}),
                ),
                subject=subject,
            ),
            row(
                "mcp-content",
                "/annotations/priority",
                (
                    (0, 1, 0.5, Number("0.50")),
                    (-1, 7, True, "1", None, Number("NaN"), Number("1e400"), 10**400),
                ),
                subject=subject,
            ),
            row(
                "mcp-content",
                "/annotations/lastModified",
                (
                    ("2025-01-12T15:00:58Z", "2025-01-12", "2025-01-12T15:00:58.5+02:00"),
                    ("yesterday", "2025-13-01", 1_736_694_058, None, "\ud800"),
                ),
                subject=subject,
            ),
        )
    ),
    row("mcp-apps", "/_meta/ui/resourceUri", TEXT),
    row("mcp-apps", "/_meta/ui/visibility", ((["app"], ["model", "app"]), ([], ["user"], "app", None))),
    *(
        each
        for subject in (Subject.BLOCK, Subject.RESOURCE)
        for each in (
            *(
                row("mcp-apps", f"/_meta/ui/csp/{name}", TEXTS, key=f"csp.{name}", subject=subject)
                for name in ("connectDomains", "resourceDomains", "frameDomains", "baseUriDomains")
            ),
            *(
                row(
                    "mcp-apps",
                    f"/_meta/ui/permissions/{name}",
                    (({}, {"a": 1}), (True, None, [], "x")),
                    key=f"permissions.{name}",
                    subject=subject,
                )
                for name in ("camera", "microphone", "geolocation", "clipboardWrite")
            ),
            row("mcp-apps", "/_meta/ui/domain", TEXT, subject=subject),
            boolean("mcp-apps", "/_meta/ui/prefersBorder", "prefersBorder", subject=subject),
        )
    ),
    *(
        boolean("webmcp", f"/annotations/{name}", name)
        for name in (
            "readOnly",
            "untrustedContent",
            "untrustedContentHint",
            "consequential",
            "consequentialHint",
            "debugging",
            "autosubmit",
        )
    ),
    row("webmcp", "/exposedTo", TEXTS),
    *(row("webmcp", f"/{name}", TEXT) for name in ("origin", "frame", "frameId")),
    boolean("webmcp-110", "/annotations/sensitiveHint", "sensitiveHint"),
    boolean("webmcp-110", "/annotations/sensitiveHint", "sensitiveHint", Subject.BLOCK),
    boolean("webmcp-110", "/_meta/annotations/sensitiveHint", "sensitiveHint", Subject.RESULT),
    *(
        each
        for subject, at in (
            (Subject.TOOL, "/annotations"),
            (Subject.RESOLUTION, "/annotations"),
            (Subject.RESOLUTION, "/tool/annotations"),
            (Subject.RESULT, "/_meta/annotations"),
            (Subject.REQUEST, "/_meta/annotations"),
        )
        for each in (
            *data_flow("sep-1913", at, subject),
            row(
                "sep-1913",
                f"{at}/inputMetadata/outcomes",
                (OUTCOME, NO_WORD),
                key="inputMetadata.outcomes",
                subject=subject,
            ),
            row("sep-1913", f"{at}/attribution", TEXTS, subject=subject),
            boolean(
                "sep-1913",
                f"{at}/maliciousActivityHint",
                "maliciousActivityHint",
                subject,
                Standing.WITHDRAWN,
            ),
        )
    ),
    boolean("sep-1913", "/_meta/annotations/openWorldHint", "openWorldHint", Subject.RESULT),
    boolean("sep-1913", "/_meta/annotations/openWorldHint", "openWorldHint", Subject.REQUEST),
    *(
        boolean("trust-annotations", f"{TRUST}/{name}", name, subject)
        for subject in (Subject.RESULT, Subject.BLOCK)
        for name in ("sensitive", "untrusted")
    ),
    *(
        each
        for at in (ACTION, ACTION_IN_META)
        for each in (
            *data_flow("action-metadata", at),
            row("action-metadata", f"{at}/outcome", (OUTCOME, NO_WORD)),
            boolean("action-metadata", f"{at}/requiresReview", "requiresReview"),
        )
    ),
    boolean("tool-resolution", f"{RESOLUTION}/resolvable", "resolvable"),
    *(boolean("tool-resolution", f"/annotations/{hint}", hint, Subject.RESOLUTION) for hint in HINTS),
    *(boolean("tool-resolution", f"/tool/annotations/{hint}", hint, Subject.RESOLUTION) for hint in HINTS),
    row("tool-resolution", "/resultType", (("complete",), ("partial", None)), subject=Subject.RESOLUTION),
    row("tool-resolution", "/name", TEXT, subject=Subject.RESOLUTION),
    row(
        "policy-hints",
        "/_meta/mcp.dev~1effect",
        (("read", "write", "delete", "external"), ("destroy", ["read"], None, True)),
    ),
    boolean("policy-hints", "/_meta/mcp.dev~1idempotent", "mcp.dev/idempotent"),
    boolean("policy-hints", "/_meta/mcp.dev~1requiresConfirmation", "mcp.dev/requiresConfirmation"),
    row(
        "policy-hints",
        "/_meta/mcp.dev~1resultSensitivity",
        (("public", "internal", "confidential", "restricted"), ("secret", 3, None, ["public"])),
    ),
    *(
        each
        for subject in (Subject.TOOL, Subject.RESULT, Subject.BLOCK)
        for each in (
            row(
                "ifc",
                "/_meta/ifc/integrity",
                (("trusted", "untrusted"), ("public", None, True)),
                subject=subject,
            ),
            row(
                "ifc",
                "/_meta/ifc/confidentiality",
                (("public", "private"), ("trusted", ["public"], None)),
                subject=subject,
            ),
        )
    ),
    *(
        boolean("related", f"/annotations/{name}", name)
        for name in ("secretHint", "unsafeOutputHint", "trustedHint")
    ),
)


def placed(at: str, value: Json) -> JsonObject:
    """An object that has `value` at a pointer, and nothing else."""
    for token in reversed(pointer.split(at)):
        value = {token: value}
    assert isinstance(value, dict)
    return value


def claims_of(subject: Subject, root: JsonObject) -> tuple[Claim, ...]:
    match subject:
        case Subject.TOOL:
            return claims_of_tool(Tool(name="a", definition=root))
        case Subject.RESOURCE:
            return claims_of_item(Item(kind=Kind.RESOURCE, name="a", definition=root))
        case Subject.RESULT:
            return claims_of_result(root)
        case Subject.BLOCK:
            return claims_of_result({"content": [root]})
        case Subject.REQUEST:
            return claims_of_request(root)
        case Subject.RESOLUTION:
            return claims_of_resolution(root)


def only(claims: tuple[Claim, ...], row: Row) -> Claim:
    """The claim of that key, apart from the one that says a resolution has the older shape."""
    found = [claim for claim in claims if (claim.vocabulary, claim.key) != ("tool-resolution", "tool")]
    assert len(found) == 1, found
    assert (found[0].vocabulary, found[0].key, found[0].subject) == (row.vocabulary, row.key, row.subject)
    return found[0]


def id_of(row: Row) -> str:
    return f"{row.vocabulary} {row.subject} {row.at}"


def test_each_key_makes_one_claim_of_each_valid_value(subtests: pytest.Subtests) -> None:
    for row in ROWS:
        with subtests.test(id_of(row)):
            standing = {vocabulary.name: vocabulary.standing for vocabulary in vocabularies()}[row.vocabulary]
            for value in row.well_formed:
                claim = only(claims_of(row.subject, placed(row.at, value)), row)
                assert claim.well_formed, value
                assert not claim.problem
                assert claim.value is value
                assert claim.pointer == ("/content/0" if row.subject is Subject.BLOCK else "") + row.at
                assert claim.standing is (row.standing or standing)


def test_each_key_keeps_an_invalid_value_as_a_malformed_claim(subtests: pytest.Subtests) -> None:
    for row in ROWS:
        with subtests.test(id_of(row)):
            for value in row.malformed:
                claim = only(claims_of(row.subject, placed(row.at, value)), row)
                assert not claim.well_formed, value
                assert claim.problem
                assert claim.value is value


def test_an_absent_key_makes_no_claim(subtests: pytest.Subtests) -> None:
    for row in ROWS:
        with subtests.test(id_of(row)):
            parent = row.at.rpartition("/")[0]
            if parent:
                claims = claims_of(row.subject, placed(parent, {}))
                found = [claim for claim in claims if claim.key != "tool"]
                assert all(claim.container for claim in found), found
                # An object that other vocabularies share is not a claim if it is empty.
                assert len(found) == (0 if parent in {"/annotations", "/_meta", "/tool/annotations"} else 1)


def test_a_duplicate_key_is_malformed_both_times(subtests: pytest.Subtests) -> None:
    for row in ROWS:
        with subtests.test(id_of(row)):
            parent, _, name = row.at.rpartition("/")
            value = row.well_formed[0]
            name = name.replace("~1", "/")
            if parent:
                twice = DuplicateKeys(((name, value), (name, value)))
                claims = [
                    claim
                    for claim in claims_of(row.subject, placed(parent, twice))
                    if claim.pointer.endswith(row.at)
                ]
                assert [(claim.key, claim.well_formed) for claim in claims] == [(row.key, False)] * 2


def test_every_key_of_every_vocabulary_has_a_row() -> None:
    elsewhere = {"title", "secret_reference", "x-sensitive"}
    tested = {(row.vocabulary, row.key) for row in ROWS}
    for vocabulary in vocabularies():
        for key in vocabulary.keys:
            known = (vocabulary.name, key.name) in tested or key.name.startswith("evidenceRef.")
            assert known or key.name in elsewhere, key


def test_vocabularies_are_ordered_by_standing_and_then_by_name() -> None:
    assert [vocabulary.name for vocabulary in vocabularies()] == [
        "mcp",
        "mcp-content",
        "action-metadata",
        "mcp-apps",
        "tool-resolution",
        "trust-annotations",
        "policy-hints",
        "related",
        "sep-1913",
        "webmcp",
        "webmcp-110",
        "ifc",
        "unrecognised",
    ]
    assert vocabularies() is vocabularies()
