"""A definition that repeats a value withheld from a result is judged, and quoted in no report."""

import dataclasses
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from inspector.json.exact import Json, JsonObject
from inspector.pins.pins import definitions_of
from inspector.protocol.catalogue import Catalogue, Kind, Listing, Tool
from inspector.protocol.outcome import Result
from inspector.review.covering import COVERED, Covering, covered
from inspector.review.formats.formats import FORMATS, report_lines
from inspector.review.live.accepted import AcceptedFindings
from inspector.review.live.ongoing import OngoingReview, report_of
from inspector.review.registry import findings_of, rules
from inspector.review.report import Report, entries_of
from inspector.review.reviewed import Reviewed, ReviewedCall, reviewed
from inspector.review.seen import ListingKind, OtherListing
from tests.peers.leaking_server import FIRST, SECRET, leaking
from tests.review.live.reviews import gone_through, material_of

RESULT: Json = {"content": [], "structuredContent": {"secret": SECRET}}
LONG = SECRET + "x" * 400


def catalogue(tools: Sequence[JsonObject]) -> Catalogue:
    listing = Listing(Kind.TOOL)
    listing.take({"tools": list(tools)})
    return Catalogue(entries={Kind.TOOL: tuple(listing.entries)})


def leaked(secret: str, *, calls: bool = True) -> Reviewed:
    found = reviewed(
        catalogue(FIRST),
        listings=(
            OtherListing(
                kind=ListingKind.AGAIN, definitions=definitions_of(catalogue(leaking(secret)), None)
            ),
        ),
    )
    result = Result(value={"content": [], "structuredContent": {"secret": secret}})
    return dataclasses.replace(
        found, calls=(ReviewedCall(offer=found.tools[0], outcome=result),) if calls else ()
    )


def is_quoted(text: str, secret: str) -> bool:
    plain = text.replace("⟨U+0600⟩", "").replace("\u0600", "").replace("\\u0600", "")
    return secret[:12] in plain


@pytest.mark.parametrize("secret", [SECRET, LONG], ids=["short", "cut where it is quoted"])
def test_no_report_quotes_a_withheld_value_that_a_later_listing_repeats(secret: str) -> None:
    everything = leaked(secret)
    raw = findings_of(everything)
    found = covered(raw, everything)
    assert [each.id for each in found] == [each.id for each in raw]
    assert {"SL-POI001", "SL-INT001", "SL-PIN002"} <= {each.id for each in found}
    assert COVERED in {each.name for each in found}
    for findings, is_bad in ((raw, True), (found, False)):
        report = Report(
            target="t",
            server="s",
            version="1",
            protocol="p",
            tools=(),
            entries=entries_of(findings, known=frozenset(), accepted=()),
            not_checked=(),
            rules=rules(),
        )
        for kind in FORMATS:
            assert is_quoted("\n".join(report_lines(report, kind)), secret) is is_bad, kind


def test_findings_are_unchanged_if_no_value_is_withheld() -> None:
    everything = leaked(SECRET, calls=False)
    found = findings_of(everything)
    assert covered(found, everything) == found
    # A name that was listed before a result repeats it is not a secret.
    tool = Tool(name="get_secret", definition=FIRST[0])
    plain = dataclasses.replace(leaked("get_secret"), listings=())
    assert Covering(plain.calls).text(tool.name) == tool.name
    assert covered(findings_of(plain), plain) == findings_of(plain)


def test_the_review_of_a_session_quotes_no_withheld_value() -> None:
    before = material_of(catalogue(FIRST), calls={"get_secret": RESULT})
    review = OngoingReview()
    gone_through(before, review=review)
    after = replace(before, catalogue=catalogue(leaking(SECRET)))
    board = gone_through(after, review=review)
    report = report_of(board, after, AcceptedFindings(), target="t", protocol="p", reviewed_by="r")
    assert {"SL-POI001", "SL-INT001"} <= {entry.finding.id for entry in report.entries}
    assert report.tools == ("get_secret", COVERED, "read")
    for kind in FORMATS:
        assert not is_quoted("\n".join(report_lines(report, kind)), SECRET), kind
