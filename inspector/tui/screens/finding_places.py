"""Where a finding stands: in a definition, or in a frame of the timeline."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from textual.content import Content
from textual.screen import Screen

from inspector.json.exact import Malformed
from inspector.protocol.catalogue import Catalogue, Item, Kind
from inspector.protocol.catalogue import Entry as ItemEntry
from inspector.protocol.timeline import Entry, EntryKind
from inspector.tui.present.foreign import content, shortened
from inspector.tui.screens.link import Link
from inspector.tui.screens.looking import Looking
from inspector.tui.widgets.catalogue import CataloguePane
from inspector.tui.widgets.definition import Mark

if TYPE_CHECKING:
    from inspector.review.finding import Finding

_FIRST_ANSWERS = ("initialize", "server/discover")
_KINDS = {"resource": Kind.RESOURCE, "template": Kind.TEMPLATE, "prompt": Kind.PROMPT}
_NEAR = 24
"""Characters of the evidence that are looked for."""


class Frames(Protocol):
    """Opens the frames of an entry of the timeline."""

    def __call__(self, entry: Entry, pointer: str = "") -> None:
        """At a place in the last one."""
        ...


class FindingPlaces:
    """Goes to where a finding stands, and marks it."""

    def __init__(
        self, screen: Screen[None], link: Link, looking: Looking, catalogue: CataloguePane, frames: Frames
    ) -> None:
        self._screen = screen
        self._link = link
        self._looking = looking
        self._catalogue = catalogue
        self._frames = frames

    def go_to(self, finding: "Finding") -> None:
        """Show the place of a finding; where there is none, say so."""
        session = self._link.session
        if session is None:
            return
        kind = finding.subject.value
        if kind == "call":
            self._show(_call_of(session.timeline.entries, finding.name), finding.pointer, "/result")
        elif kind == "server":
            self._go_to_server(session.timeline.entries, finding)
        else:
            item = _item_of(session.catalogue, finding)
            if item is None:
                self._say("What it is about is not listed any more.")
            else:
                self._catalogue.go_to(item)
                self._looking.show_place(item, mark_of(finding, is_malformed=isinstance(item, Malformed)))

    def _go_to_server(self, entries: Sequence[Entry], finding: "Finding") -> None:
        if finding.pointer.startswith(("/instructions", "/name", "/version")):
            place = (
                finding.pointer
                if finding.pointer.startswith("/instructions")
                else f"/serverInfo{finding.pointer}"
            )
            answer = next((entry for entry in entries if entry.title in _FIRST_ANSWERS), None)
            self._show(answer, place, "/result")
        else:
            self._show(next((entry for entry in entries if entry.kind is EntryKind.FAULT), None), "", "")

    def _show(self, entry: Entry | None, pointer: str, below: str) -> None:
        if entry is None or not entry.frames:
            self._say("The timeline holds no frame of it.")
        else:
            # A result stands under `result` of its frame; an error is named by itself.
            self._frames(entry, pointer if pointer.startswith("/error") else below + pointer)

    def _say(self, words: str) -> None:
        self._screen.notify(words, markup=False)


def mark_of(finding: "Finding", *, is_malformed: bool) -> Mark:
    """What is marked in a definition. What is wrong with a malformed item is said of the whole list."""
    near = finding.evidence.strip("…")[:_NEAR]
    words = Content.assemble(
        ("! ", "bold $text-warning"),
        (f"{finding.id} {finding.severity.value}: ", "bold"),
        content(shortened(finding.message, 600)),
    )
    return Mark(pointer="" if is_malformed else finding.pointer, words=words, near=near)


def _call_of(entries: Sequence[Entry], name: str) -> Entry | None:
    """The last answered call of a tool."""
    for entry in reversed(entries):
        if entry.kind is EntryKind.EXCHANGE and len(entry.frames) > 1 and entry.title.endswith(f" {name}"):
            return entry
    return None


def _item_of(catalogue: Catalogue, finding: "Finding") -> ItemEntry | None:
    match finding.subject.value:
        case "tool":
            return catalogue.tool(finding.name)
        case "listing":
            problems = (*catalogue.malformed, *catalogue.refused)
            return next((problem for problem in problems if problem.pointer == finding.pointer), None)
        case kind:
            listed = catalogue.entries.get(_KINDS[kind], ()) if kind in _KINDS else ()
            return next((one for one in listed if isinstance(one, Item) and one.name == finding.name), None)
