import pytest
from msgspec.structs import replace

from inspector.json.exact import Json, dump, parse
from inspector.review.finding import Severity
from inspector.review.live.accepted import MAX_REASON, AcceptedFindings, accepted_of
from inspector.review.report import Acceptance, ReportEntry, baseline_of, fingerprint
from tests.review.live.reviews import (
    CLEAN,
    NO_KEY,
    TORN,
    catalogue_of,
    entry_of,
    gone_through,
    material_of,
)

TORN_ENTRY = entry_of(gone_through(material_of(catalogue_of([TORN]))), "SL-ANN001")


def changed(entry: ReportEntry, **changes: object) -> ReportEntry:
    finding = replace(entry.finding, **changes)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    return ReportEntry(finding=finding, fingerprint=fingerprint(finding))


def through_a_file(accepted: AcceptedFindings) -> AcceptedFindings:
    parsed = parse(dump(accepted.shape(target="t", reviewed_by="r")))
    found = accepted_of(parsed.value)  # type: ignore[union-attr] # pyright: ignore[reportAttributeAccessIssue]
    assert found is not None
    return found


def test_an_accepted_finding_does_not_count_and_keeps_its_reason() -> None:
    accepted = through_a_file(AcceptedFindings().including(TORN_ENTRY, "we own it"))
    found = accepted.with_acceptance(TORN_ENTRY)
    assert not found.counts
    assert found.acceptance == Acceptance(id="SL-ANN001", name="torn", reason="we own it")
    assert accepted.is_accepted(TORN_ENTRY)
    assert through_a_file(accepted.without(TORN_ENTRY)).with_acceptance(TORN_ENTRY).counts


def test_the_stored_acceptances_are_a_valid_baseline() -> None:
    shape = AcceptedFindings().including(TORN_ENTRY, "why").shape(target="t", reviewed_by="r")
    assert baseline_of(shape) == {TORN_ENTRY.fingerprint}


@pytest.mark.parametrize(
    "other",
    [
        {"severity": Severity.CRITICAL},
        {"message": "It says something worse now."},
        {"evidence": "something worse"},
        {"pointer": "/elsewhere"},
        {"name": "another"},
        {"id": "SL-ANN002"},
        {"target": "another server"},
    ],
)
def test_an_accepted_finding_that_changed_counts_again(other: dict[str, object]) -> None:
    accepted = AcceptedFindings().including(TORN_ENTRY, "we own it")
    assert accepted.with_acceptance(changed(TORN_ENTRY, **other)).counts


def test_an_accepted_finding_about_a_result_ignores_its_evidence() -> None:
    call: Json = {"content": [{"type": "text", "text": NO_KEY}]}
    board = gone_through(material_of(catalogue_of([CLEAN]), calls={"look_up_word": call}))
    entry = entry_of(board, "SL-OUT010")
    accepted = AcceptedFindings().including(entry, "a test key")
    assert not accepted.with_acceptance(changed(entry, evidence="another")).counts
    assert accepted.with_acceptance(changed(entry, severity=Severity.CRITICAL)).counts


def test_an_acceptance_in_the_configuration_is_not_stored() -> None:
    accepted = AcceptedFindings(rules=(Acceptance(id="SL-ANN001", name=None, reason="ours"),))
    assert not accepted.with_acceptance(TORN_ENTRY).counts
    assert not accepted.is_accepted(TORN_ENTRY)
    assert accepted.shape(target="t", reviewed_by="r")["findings"] == []


def test_two_findings_at_one_place_are_accepted_separately() -> None:
    other = changed(TORN_ENTRY, message="another thing")
    assert other.fingerprint == TORN_ENTRY.fingerprint
    both = AcceptedFindings().including(TORN_ENTRY, "one").including(other, "two")
    assert [both.with_acceptance(each).acceptance for each in (TORN_ENTRY, other)] == [
        Acceptance(id="SL-ANN001", name="torn", reason="one"),
        Acceptance(id="SL-ANN001", name="torn", reason="two"),
    ]
    assert both.without(other).with_acceptance(other).counts
    assert not both.without(other).with_acceptance(TORN_ENTRY).counts


def test_a_long_reason_is_cut() -> None:
    (item,) = AcceptedFindings().including(TORN_ENTRY, "y" * 10_000).items
    assert len(item.reason) == MAX_REASON


NO_REPORTS: list[Json] = [
    None, 7, [], {}, {"findings": 7}, {"findings": [7]}, {"findings": [{}]}, {"findings": [{"fingerprint": 7}]},
    {"findings": [{"fingerprint": "a", "accepted": {"a": 1}}]},
]  # fmt: skip


@pytest.mark.parametrize("report", NO_REPORTS)
def test_a_file_that_is_not_a_report_accepts_nothing(report: Json) -> None:
    assert accepted_of(report) is None


def test_a_report_without_reasons_accepts_nothing() -> None:
    plain = accepted_of({"findings": [{"fingerprint": TORN_ENTRY.fingerprint, "id": "SL-ANN001"}]})
    assert plain == AcceptedFindings()
