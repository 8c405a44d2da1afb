"""A page's tool: where it comes from, and what the page, its browser and an agent in it each know."""

from collections.abc import Iterator, Mapping

from textual.content import Content

from inspector.core.catalogue import Tool
from inspector.core.document import Document
from inspector.core.webmcp.page import PageFacts
from inspector.tui.present.foreign import content, shortened

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
        ("exposed to", ", ".join(facts.exposed_to) or "its own origin"),
    ]
    if not document.is_observed:
        told.append(("seen", "the document was there first: what it declared is not known"))
    return tuple(
        Content.assemble((f"{name:<11}", _LABEL), content(shortened(words, 400))) for name, words in told
    )


def page_findings(facts: PageFacts) -> Iterator[Content]:
    """What the draft does not allow, and what the browser did not keep."""
    for sentence in facts.faults:
        yield Content.assemble(("! page  ", "$text-warning"), content(shortened(sentence, 400)))
    for pointers, sign, what in (
        (facts.dropped, DROPPED, "dropped by the browser: an agent in it never learns this"),
        (facts.changed, CHANGED, "kept by the browser with another value"),
    ):
        for pointer in pointers[:_MAX_TOLD]:
            yield Content.assemble(
                (f"{sign} page  ", "bold $text-error"), content(shortened(pointer, 200), "bold"), f"  {what}"
            )
        if len(pointers) > _MAX_TOLD:
            yield Content(f"  … and {len(pointers) - _MAX_TOLD:,} more")


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
