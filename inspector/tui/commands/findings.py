"""Keys of findings: in a list of them, and on the screen that shows all of a server."""

from functools import partial

from inspector.tui.commands.row import Command, Place, row

_findings = partial(row, Place.FINDINGS)
_review = partial(row, Place.REVIEW)

FINDINGS: tuple[Command, ...] = (
    _findings(
        "findings.accept",
        "a",
        "accept",
        "accept",
        "Accepts the finding under the cursor, with a reason that is asked for; or takes that back.",
    ),
    _review("review.back", "escape,f", "back", "back", "Back to the main screen.", shown="Esc f"),
    _review("review.filter", "slash", "filter", "filter", "Filters the findings as you type.", shown="/"),
    _review(
        "review.export",
        "e",
        "export",
        "export",
        "Writes the review to a file: text, JSON, SARIF, JUnit, Markdown or one page of HTML.",
    ),
)
