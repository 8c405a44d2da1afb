"""A tool of a page: as the page declared it, as the browser keeps it, as agents get it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from inspector.json.document import Document
from inspector.protocol.catalogue import Catalogue, Tool
from inspector.protocol.page import Evidence, FramePolicy, PageFacts
from inspector.tui.keys.command import Place
from inspector.tui.keys.footer import KeyLine, Offer
from inspector.tui.keys.table import bindings, command
from inspector.tui.runtime.latest import Latest
from inspector.tui.text import content, shortened
from inspector.tui.widgets.lines import SignedLines

DROPPED, CHANGED = "✗", "~"

_MAX_TOLD = 50
_LABEL = "$foreground 70%"


def origin_line(facts: PageFacts) -> Content:
    """How it was made, and where, on one line."""
    where = str(facts.place) if facts.place else facts.document.url
    return content(shortened(f"{facts.kind} tool of {where}", 300), _LABEL)


def origin_lines(facts: PageFacts) -> tuple[Content, ...]:
    """Where it comes from, and who may use it."""
    document = facts.document
    permitted = {None: "not told by the browser", True: "yes", False: "no"}[document.is_permitted]
    told = [
        ("made", f"{facts.kind}{f', at {facts.place}' if facts.place else ''}"),
        ("document", document.url),
        ("origin", document.origin),
        ("frame", "the page itself" if document.parent_id is None else "a frame in the page"),
        ("permitted", permitted),
        ("exposed to", _exposed(facts)),
        ("declared", _EVIDENCE[facts.evidence]),
    ]
    stated = _stated(document.policy)
    if stated:
        told.append(("policy", stated))
    if document.false_reports:
        told.append(("forged", f"{document.false_reports} reports that the hook did not make: not believed"))
    return tuple(
        Content.assemble((f"{name:<11}", _LABEL), content(shortened(words, 400))) for name, words in told
    )


_EVIDENCE = {
    Evidence.SEEN: "seen whole, as it was registered",
    Evidence.PARTLY: "seen in part: too large, too deep, or behind code of the page",
    Evidence.DIFFERS: "told otherwise to the browser than to the hook that watches",
    Evidence.MISSED: "registered past the hook that watches: not known",
    Evidence.UNWATCHED: "the document was there first: what it declared is not known",
    Evidence.FORM: "by a form, which the browser reads itself",
}


def _exposed(facts: PageFacts) -> str:
    named = [f"{each.text} ({each.reach})" for each in facts.exposures]
    return ", ".join(named or facts.exposed_to) or "its own origin"


def _stated(policy: FramePolicy | None) -> str:
    if policy is None or policy.element is None:
        return ""
    allowed = f"allow={policy.allow}" if policy.allow is not None else "no allow attribute"
    sandboxed = ", sandboxed" if policy.is_sandboxed else ""
    blocked = f", blocked by {policy.blocked_by}" if policy.blocked_by else ""
    return f"{policy.element} with {allowed}{sandboxed}{blocked}"


def gone_note(tool: Tool, catalogue: Catalogue) -> Content:
    """Why a tool that is open is listed no more, and what is still shown of it."""
    document = tool.page.document if tool.page else None
    there = {
        (entry.page.document.frame_id, entry.page.document.loader_id)
        for entry in catalogue.tools
        if entry.page is not None
    }
    if catalogue.sharing(tool.name):
        why = "is offered by several documents now"
    elif document is not None and (document.frame_id, document.loader_id) not in there:
        why = "is gone: its page was left"
    else:
        why = "is not listed any more"
    return Content.assemble(
        content(shortened(tool.name, 60), "bold"), f" {why}. Its result stays until you open another item."
    )


def changed_lines(facts: PageFacts) -> Iterator[Content]:
    """What the browser keeps with another value. What it dropped is a finding."""
    for pointer in facts.changed[:_MAX_TOLD]:
        yield Content.assemble(
            (f"{CHANGED} ", "bold $text-error"),
            content(shortened(pointer, 200), "bold"),
            "  kept by the browser with another value",
        )
    if len(facts.changed) > _MAX_TOLD:
        yield Content(f"  … and {len(facts.changed) - _MAX_TOLD:,} more")


def page_title(tool: Tool) -> Content:
    """Of the page of its own."""
    return Content.assemble(
        content(shortened(tool.name, 120), "bold"),
        ("  as the page declared it, as the browser keeps it, as agents are told", _LABEL),
    )


def signs_in(document: Document, facts: PageFacts) -> Mapping[int, str]:
    """The lines of what was declared that the browser dropped or changed."""
    signs: dict[int, str] = {}
    for pointers, sign in ((facts.changed, CHANGED), (facts.dropped, DROPPED)):
        for pointer in pointers[:_MAX_TOLD]:
            signs |= dict.fromkeys(document.extent(pointer) or (), sign)
    return signs


@dataclass(frozen=True, slots=True, kw_only=True)
class PageAsked:
    """A tool of a page."""

    tool: Tool
    chunk: int
    """Characters after which a text breaks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSides:
    """What the page declared of a tool, what its browser keeps, and what an agent in it is told."""

    declared: "Document"
    kept: "Document"
    agent: "Document"
    signs: "Mapping[int, str]"
    """What the browser did to lines of `declared`."""


def page_sides(asked: PageAsked) -> PageSides:
    """A page's tool as each knows it. Raises LookupError for one of a server."""
    facts = asked.tool.page
    if facts is None:
        raise LookupError(asked.tool.name)
    declared = Document(facts.declared, chunk=asked.chunk)
    return PageSides(
        declared=declared,
        kept=Document(facts.kept, chunk=asked.chunk),
        agent=Document(facts.agent, chunk=asked.chunk),
        signs=signs_in(declared, facts),
    )


_KEYS = ("page.back", "app.next", "app.quit", "app.help")


class PageScreen(Screen[None], inherit_bindings=False):
    """What the page declared beside what the browser keeps; below, what `getTools()` tells an agent in the page."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.PAGE)

    def __init__(self, tool: Tool) -> None:
        super().__init__()
        self._tool = tool
        self._title = Static(page_title(tool), markup=False, id="page-title")
        self._declared = SignedLines(id="page-declared")
        self._kept = SignedLines(id="page-kept")
        self._agent = SignedLines(id="page-agent")
        self._keys = KeyLine()
        self._making = Latest(self, page_sides, self._take, self._could_not)

    def compose(self) -> ComposeResult:
        """Two sides, and below them the third."""
        yield self._title
        with Horizontal(id="page-sides"):
            yield from self._side("Declared by the page", self._declared)
            yield from self._side("Kept by the browser", self._kept)
        yield from self._side("Told to an agent in the page by getTools()", self._agent)
        yield self._keys

    def on_mount(self) -> None:
        """Lay out the sides."""
        self._keys.offers = [Offer(command(known), command(known).label) for known in _KEYS]
        self._making.ask(PageAsked(tool=self._tool, chunk=max(self.size.width // 2 - 26, 30)))

    def _side(self, title: str, lines: SignedLines) -> ComposeResult:
        with Vertical(classes="page-side"):
            yield Static(title, markup=False, classes="page-side-title")
            yield lines

    def _take(self, asked: PageAsked, sides: PageSides) -> None:
        del asked
        self._declared.show(sides.declared, sides.signs)
        self._kept.show(sides.kept)
        self._agent.show(sides.agent)
        self._declared.focus()

    def _could_not(self, asked: PageAsked, error: BaseException) -> None:
        del asked
        words = f"The tool could not be shown ({type(error).__name__}): a defect of Sightline."
        self._title.update(content(words, "$text-error"))
