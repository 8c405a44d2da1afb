import dataclasses
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from inspector.json.exact import Json, JsonObject
from inspector.protocol.outcome import Failure, FailureKind, Result
from inspector.review.finding import Hit, SubjectKind, quoted
from inspector.review.registry import findings_of, rules
from inspector.review.report import Acceptance, baseline_of, entries_of, fingerprint
from inspector.review.reviewed import Offer, Reviewed, ReviewedCall
from tests.review.examples import review_of, reviewed_of, rule, tool

TOOLS: JsonObject = {"tools": [tool("a"), tool("b", annotations={"readOnlyHint": "maybe"}), tool("c")]}


def fails_at_b(offer: Offer) -> Iterator[Hit]:
    if offer.name == "b":
        raise ZeroDivisionError
    yield Hit(message="Seen.")


def fails_at_once(_: Reviewed) -> Iterator[tuple[Offer, Hit]]:
    raise KeyError("secret words of a server")


def test_a_rule_that_raises_is_a_finding_and_continues_with_the_next_item() -> None:
    broken = replace(rule("SL-ANN009"), each=fails_at_b)
    found = findings_of(reviewed_of(TOOLS), [broken, rule("SL-LEN001")])
    told = {(finding.id, finding.name) for finding in found if finding.subject is SubjectKind.TOOL}
    assert told == {("SL-ANN009", "a"), ("SL-PRO000", "b"), ("SL-ANN009", "c")}
    failed = next(finding for finding in found if finding.id == "SL-PRO000")
    assert "SL-ANN009" in failed.message
    assert failed.severity.value == "high"


def test_a_whole_server_rule_that_raises_is_a_finding_without_its_message() -> None:
    broken = replace(rule("SL-SHD001"), whole=fails_at_once)
    (failed,) = findings_of(reviewed_of(TOOLS), [broken])
    assert (failed.id, failed.subject) == ("SL-PRO000", SubjectKind.SERVER)
    assert "secret" not in failed.message


def test_a_call_rule_that_raises_is_a_finding() -> None:
    def fails(_: ReviewedCall) -> Iterator[Hit]:
        raise ZeroDivisionError

    broken = replace(rule("SL-OUT005"), call=fails)
    (failed,) = findings_of(reviewed_of({**TOOLS, "calls": [{"content": []}]}), [broken])
    assert (failed.id, failed.subject, failed.name) == ("SL-PRO000", SubjectKind.CALL, "a")


def test_findings_are_ordered_by_severity_and_reproducible() -> None:
    tools = (tool("s\u0435nd", description="Adds\u202e"), tool("b", annotations={"readOnlyHint": 1}))
    found = review_of(*tools)
    ranks = [finding.severity.rank for finding in found]
    assert len(set(ranks)) > 1
    assert ranks == sorted(ranks, reverse=True)
    assert found == review_of(*tools)


def test_a_quotation_is_one_safe_line_without_credentials() -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    for at in range(60):
        shown = quoted(f"{'x ' * 20}{token} \x1b[2J\n{'y' * 400}", at)
        assert "a1B2" not in shown
        assert "P6q7" not in shown
        assert shown.isprintable()
        assert len(shown) < 170


def test_a_fingerprint_depends_on_the_rule_and_the_place() -> None:
    one, other = review_of(tool("a", title="x\x1b]52;"), tool("b", title="x\x1b]52;"))
    assert fingerprint(one) != fingerprint(other)
    assert fingerprint(one) == fingerprint(replace(one, evidence="", message=""))
    assert len(fingerprint(one)) == 32


def test_known_or_accepted_findings_do_not_count() -> None:
    found = review_of(tool("a", title="x\x1b]52;"), tool("b", title="x\x1b]52;"))
    known = frozenset({fingerprint(found[0])})
    entries = entries_of(found, known=known, accepted=[Acceptance(id=found[0].id, name="b")])
    assert [(entry.known, entry.acceptance is not None, entry.counts) for entry in entries] == [
        (True, False, False),
        (False, True, False),
    ]
    assert all(
        entry.counts
        for entry in entries_of(found, known=frozenset(), accepted=[Acceptance(id="x", name=None)])
    )


NO_REPORTS: tuple[Json, ...] = (None, [], {}, {"findings": 1}, {"findings": [1]}, {"findings": [{}]})


@pytest.mark.parametrize("report", NO_REPORTS)
def test_a_file_that_is_not_a_report_is_not_a_baseline(report: Json) -> None:
    assert baseline_of(report) is None
    assert baseline_of({"findings": []}) == frozenset()


def test_the_registry_contains_every_family_of_rules() -> None:
    assert len(rules()) > 40
    families = {
        "ANN",
        "SEN",
        "OUT",
        "RDM",
        "POI",
        "INJ",
        "SHD",
        "UNI",
        "TRM",
        "OVR",
        "INT",
        "LEN",
        "PRO",
        "PIN",
        "SKL",
        "WEB",
    }
    assert {found.family for found in rules()} == families


def call(result: JsonObject, **members: object) -> ReviewedCall:
    offer = reviewed_of(TOOLS).tools[0]
    return dataclasses.replace(ReviewedCall(offer=offer, outcome=Result(value=result)), **members)  # pyright: ignore[reportArgumentType]


def ids(made: ReviewedCall) -> set[str]:
    found = reviewed_of(TOOLS)
    return {finding.id for finding in findings_of(Reviewed(offers=found.offers, calls=(made,))) if finding.subject is SubjectKind.CALL}  # fmt: skip


def test_forbidden_arguments_that_are_accepted_are_found() -> None:
    said: JsonObject = {"content": [{"type": "text", "text": "Fine."}]}
    assert ids(call(said, misfit=True)) == {"SL-OUT012"}
    assert ids(call({**said, "isError": True}, misfit=True)) == set()


def test_a_call_without_an_answer_is_found() -> None:
    silent = Failure(kind=FailureKind.TIMEOUT, detail="no answer")
    assert ids(call({}, outcome=silent)) == {"SL-OUT013"}


def test_a_reference_of_another_origin_is_found() -> None:
    reference: JsonObject = {
        "type": "secret_reference",
        "id": "1",
        "label": "x",
        "redeemUrl": "https://b.example/1",
        "ttl": 9,
    }
    said: JsonObject = {"content": [reference]}
    assert ids(call(said, origin="https://a.example/mcp")) == {"SL-RDM002"}
    assert ids(call(said, origin="https://b.example/mcp")) == set()
    assert ids(call(said)) == set()
