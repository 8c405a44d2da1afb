"""Shows a tool of a web page as the page declared it, as the browser keeps it, and as agents get it."""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content

from inspector.json.document import Document
from inspector.protocol.catalogue import Catalogue, Tool
from inspector.protocol.page import Evidence, FramePolicy, PageFacts
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings
from inspector.tui.text import content, row_name, shortened
from inspector.tui.widgets.lines import REMOVED, SignedLines
from inspector.tui.widgets.plain_text import PlainText
from inspector.tui.widgets.secondary import QUIET, Keys, SecondaryScreen

CHANGED = "~"

_MAX_NAMED = 50
_AROUND_TEXT = 26
"""The cells kept free on each line for signs, indentation, key and quotes. Arrow keys scroll longer lines."""


def origin_line(facts: PageFacts) -> Content:
    """The kind of tool and the location of its source, on one line."""
    where = str(facts.place) if facts.place else facts.document.url
    return content(shortened(f"a {facts.kind} of {where}", 300), QUIET)


def origin_lines(facts: PageFacts) -> tuple[Content, ...]:
    """The origin of a tool and who may use it, one fact per line."""
    document = facts.document
    permitted = {None: "unknown: the browser does not say", True: "yes", False: "no"}[document.is_permitted]
    rows = [
        ("made", f"by a {facts.kind}{f', at {facts.place}' if facts.place else ''}"),
        ("document", document.url),
        ("origin", document.origin),
        ("frame", "the page itself" if document.parent_id is None else "a frame in the page"),
        ("permitted", permitted),
        ("exposed to", _exposed(facts)),
        ("declared", _EVIDENCE[facts.evidence]),
    ]
    stated = _stated(document.policy)
    if stated:
        rows.append(("policy", stated))
    if document.false_reports:
        rows.append(
            ("forged", f"{document.false_reports} reports did not come from Sightline and are ignored")
        )
    return tuple(
        Content.assemble((f"{name:<11}", QUIET), content(shortened(words, 400))) for name, words in rows
    )


_EVIDENCE = {
    Evidence.SEEN: "seen in full when the page registered it",
    Evidence.PARTLY: "seen in part: the definition is too large or too deep, or code of the page computes it",
    Evidence.DIFFERS: "the browser and Sightline received different definitions from the page",
    Evidence.MISSED: "unknown: the page registered it in a way that Sightline did not see",
    Evidence.UNWATCHED: "unknown: the document was loaded before Sightline watched it",
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
    """The reason why the open tool is no longer listed, for a tool whose result is still shown."""
    document = tool.page.document if tool.page else None
    there = {
        (entry.page.document.frame_id, entry.page.document.loader_id)
        for entry in catalogue.tools
        if entry.page is not None
    }
    if catalogue.sharing(tool.name):
        why = "is now offered by several documents"
    elif document is not None and (document.frame_id, document.loader_id) not in there:
        why = "is gone: its page was left"
    else:
        why = "is no longer listed"
    return Content.assemble(
        content(shortened(tool.name, 60), "bold"), f" {why}. Its result stays until you open another item."
    )


def changed_lines(facts: PageFacts) -> Iterator[Content]:
    """A line for each value that the browser changed.

    Values that the browser dropped are reported as findings instead.
    """
    for pointer in facts.changed[:_MAX_NAMED]:
        yield Content.assemble(
            (f"{CHANGED} ", "bold $text-error"),
            content(shortened(pointer, 200), "bold"),
            "  changed by the browser",
        )
    if len(facts.changed) > _MAX_NAMED:
        yield Content(f"  … and {len(facts.changed) - _MAX_NAMED:,} more")


def signs_in(document: Document, facts: PageFacts) -> Mapping[int, str]:
    """The signs of lines that the browser dropped or changed, by line.

    `document`: the declared definition.
    """
    signs: dict[int, str] = {}
    for pointers, sign in ((facts.changed, CHANGED), (facts.dropped, REMOVED)):
        for pointer in pointers[:_MAX_NAMED]:
            signs |= dict.fromkeys(document.extent(pointer) or (), sign)
    return signs


class PageAsked(Struct, frozen=True, kw_only=True):
    """A request for the three versions of a page's tool that `PageSides` holds."""

    tool: Tool
    chunk: int
    """The number of characters after which a text is wrapped."""


class PageSides(Struct, frozen=True, kw_only=True):
    """A tool as the page declared it, as its browser keeps it, and as an agent in the page gets it."""

    declared: Document | None
    """The tool as the page declared it; None if Sightline did not see the declaration."""
    evidence: str
    """How Sightline knows what the page declared, or why it does not."""
    kept: Document
    agent: Document
    signs: Mapping[int, str]
    """The signs of lines that the browser dropped or changed, by line of `declared`."""


def page_sides(asked: PageAsked) -> PageSides:
    """The three versions of a page's tool: declared, kept, and given to agents.

    Raises LookupError if the tool is not from a page.
    """
    facts = asked.tool.page
    if facts is None:
        raise LookupError(asked.tool.name)
    declared = Document(facts.declared, chunk=asked.chunk) if facts.declared is not None else None
    return PageSides(
        declared=declared,
        evidence=_EVIDENCE[facts.evidence],
        kept=Document(facts.kept, chunk=asked.chunk),
        agent=Document(facts.agent, chunk=asked.chunk),
        signs=signs_in(declared, facts) if declared is not None else {},
    )


def _heading(words: str) -> PlainText:
    return PlainText(words, classes="secondary-heading")


class PageScreen(SecondaryScreen[None], inherit_bindings=False):
    """Shows the definition as declared and as kept by the browser; below, as an agent in the page gets it.

    What the agent gets is the result of `getTools()`.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.PAGE)
    NAME = "Tool of a page"
    KEYS: ClassVar[Keys] = (("page.back", ""), ("app.next", ""), ("app.quit", ""), ("app.help", ""))
    FAILED = "The tool could not be shown"

    def __init__(self, tool: Tool) -> None:
        super().__init__()
        self.entitle(content(row_name(tool.name, 120)))
        self._tool = tool
        self._heading = _heading("Declared by the page")
        self._declared = SignedLines(id="page-declared")
        self._kept = SignedLines(id="page-kept")
        self._agent = SignedLines(id="page-agent")
        self._sides = self.latest(page_sides, self._take)

    def body(self) -> ComposeResult:
        with Horizontal(id="page-sides"):
            yield from self._side(self._heading, self._declared)
            yield from self._side(_heading("Kept by the browser"), self._kept)
        yield from self._side(_heading("Given to an agent in the page by getTools()"), self._agent)

    def on_resize(self) -> None:
        # On a narrow screen, the sides are one above the other, so their width is known after the layout.
        self.call_after_refresh(self._ask)

    def _ask(self) -> None:
        self._sides.ask(PageAsked(tool=self._tool, chunk=max(self._declared.size.width - _AROUND_TEXT, 20)))

    def _side(self, heading: PlainText, lines: SignedLines) -> ComposeResult:
        with Vertical(classes="page-side"):
            yield heading
            yield lines

    def _take(self, sides: PageSides) -> None:
        how = f"{REMOVED} dropped  {CHANGED} changed" if sides.declared is not None else sides.evidence
        self._heading.update(Content(f"Declared by the page  {how}"))
        self._declared.show(sides.declared, sides.signs)
        self._kept.show(sides.kept)
        self._agent.show(sides.agent)
        self._declared.focus()
