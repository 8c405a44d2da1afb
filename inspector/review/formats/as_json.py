"""A review as JSON, in ASCII, so nothing in it acts on a terminal."""

import json

from inspector.review.report import Report, report_shape


def lines(report: Report) -> list[str]:
    """The report as one document; see docs/review.md."""
    return json.dumps(report_shape(report), indent=1).split("\n")
