"""A review as JSON in ASCII, so that no terminal interprets any part of it."""

import json

from inspector.review.report import Report, report_shape


def lines(report: Report) -> list[str]:
    """The report as one JSON document, which docs/review.md describes."""
    return json.dumps(report_shape(report), indent=1).split("\n")
