"""What worker threads do for the review. What it needs is imported here, behind the first paint."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from inspector import __version__
from inspector.errors import UsageError
from inspector.files import paths, private, settings
from inspector.pins.files import identified
from inspector.protocol.targets import Target
from inspector.review import files as accepted
from inspector.review.formats.formats import FORMATS, report_bytes
from inspector.review.live.accepted import AcceptedFindings
from inspector.review.live.ongoing import OngoingReview, report_of
from inspector.review.report import Acceptance, without_credentials
from inspector.secrets.own_credentials import own_credentials
from inspector.tui.findings.lists import all_findings, item_findings

if TYPE_CHECKING:
    from inspector.pins.identity import Identity
    from inspector.review.live.board import Board, Material
    from inspector.review.report import Entry
    from inspector.tui.findings.lists import AllFindings, ItemFindings
    from inspector.tui.findings.rows import FindingsView


class ReviewWork:
    """The review of one session, step by step. One thread at a time."""

    def __init__(self) -> None:
        self._review: OngoingReview | None = None

    def step(self, material: "Material") -> "Board":
        """A part of the review; the board says whether it was the last."""
        if self._review is None:
            self._review = OngoingReview()
        return self._review.step(material)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepAsked:
    """One more step of a review."""

    work: ReviewWork
    material: "Material"


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """A review to be written down."""

    path: str
    """As the user wrote it; its ending says the format."""
    target: Target
    protocol: str
    """The revision that is spoken: foreign text."""
    board: "Board"
    material: "Material"
    accepted: "AcceptedFindings"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepMade:
    """What a step came to."""

    work: ReviewWork
    board: "Board"


def step(asked: StepAsked) -> StepMade:
    """One step."""
    return StepMade(work=asked.work, board=asked.work.step(asked.material))


def item_view(asked: "ItemFindings") -> "FindingsView":
    """What the Findings tab shows."""
    return item_findings(asked)


def all_view(asked: "AllFindings") -> "FindingsView":
    """What the screen of all findings shows."""
    return all_findings(asked)


def read_accepted(target: Target) -> "AcceptedFindings":
    """What the user has accepted of this server. Raises UsageError."""
    identity = _identity(target)
    rules = _configured()
    return accepted.read_accepted(identity, rules) if identity else AcceptedFindings(rules=rules)


def nothing_accepted() -> "AcceptedFindings":
    """Where what was accepted cannot be read."""
    return AcceptedFindings()


def accept(target: Target, entry: "Entry", reason: str) -> "AcceptedFindings":
    """Accept a finding. Raises UsageError."""
    return accepted.accept(_named(target), entry, reason, _configured())


def take_back(target: Target, entry: "Entry") -> "AcceptedFindings":
    """Accept a finding no longer. Raises UsageError."""
    return accepted.take_back(_named(target), entry, _configured())


def kept_in(target: Target) -> Path:
    """The file in which it is kept what was accepted of this server. Raises UsageError."""
    return accepted.path_of(_named(target))


def write_report(asked: Export) -> None:
    """Write a review to a new file. Raises UsageError, also where there is one of that name."""
    path = paths.written(asked.path)
    name = next((name for name, one in FORMATS.items() if one.suffix == path.suffix.lower()), None)
    if name is None:
        endings = ", ".join(one.suffix for one in FORMATS.values())
        what = f"the ending {path.suffix} names no format" if path.suffix else "the name has no ending"
        raise UsageError(what, f"Known endings: {endings}.")
    report = report_of(
        asked.board,
        asked.material,
        asked.accepted,
        target=str(_identity(asked.target) or asked.target),
        protocol=asked.protocol,
        reviewed_by=f"Sightline {__version__}",
    )
    shown = without_credentials(report, own_credentials(asked.target).cover)
    private.write_new(path, [report_bytes(shown, name)])


def _configured() -> "tuple[Acceptance, ...]":
    """The rules that the user's own settings accept. Raises UsageError."""
    if not os.path.lexists(paths.own_settings()):
        return ()
    entries = settings.settings().ignored
    return tuple(Acceptance(id=entry.rule, name=entry.tool, reason=entry.reason) for entry in entries)


def _identity(target: Target) -> "Identity | None":

    return identified(target)


def _named(target: Target) -> "Identity":
    identity = _identity(target)
    if identity is None:
        raise UsageError(
            "what is accepted of a page without an address cannot be kept",
            "Name the page: web+https://… beside --cdp.",
        )
    return identity
