"""A page's tool: where it comes from, and what the page, its browser and an agent in it each know."""

from collections.abc import Iterator, Mapping

from textual.content import Content

from inspector.json.document import Document
from inspector.protocol.catalogue import Catalogue, Tool
from inspector.protocol.page import Evidence, FramePolicy, PageFacts
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
