"""The review of a session as a report, to be handed over."""

from collections.abc import Iterable

from inspector.review.covering import COVERED
from inspector.review.live.accepted import AcceptedFindings
from inspector.review.live.board import Board
from inspector.review.live.material import Material
from inspector.review.registry import rules
from inspector.review.report import Entry, Report


def ranked(entries: Iterable[Entry]) -> list[Entry]:
    """The worst first, then by rule, then in the order given."""
    return sorted(entries, key=lambda entry: (-entry.finding.severity.rank, entry.finding.id))


def report_of(
    board: Board,
    material: Material,
    accepted: AcceptedFindings,
    *,
    target: str,
    protocol: str,
    reviewed_by: str,
) -> Report:
    """A report of all that was found so far. `target`: as it may be shown."""
    server = material.server
    return Report(
        target=target,
        server=_text(server.get("name")),
        version=_text(server.get("version")),
        protocol=protocol,
        tools=tuple(
            COVERED if tool.name in board.unshown else tool.name for tool in material.catalogue.tools
        ),
        entries=tuple(accepted.standing(entry) for entry in ranked(board.all)),
        not_checked=board.not_checked,
        called=len(material.calls),
        rules=rules(),
        reviewed_by=reviewed_by,
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
