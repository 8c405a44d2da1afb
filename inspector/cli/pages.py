"""The tools of a page, by document: what the page declared beside what the browser keeps."""

from collections.abc import Iterable

from inspector.cli.output import clipped, table
from inspector.json.exact import Json, JsonObject
from inspector.protocol.catalogue import Tool
from inspector.protocol.page import Document, FramePolicy, PageFacts, Refused


def page_shape(page: PageFacts) -> JsonObject:
    """`page` of a tool."""
    place = page.place
    return {
        "frame": page.document.frame_id,
        "url": page.document.url,
        "origin": page.document.origin,
        "permitted": page.document.is_permitted,
        "policy": _policy_shape(page.document.policy),
        "falseReports": page.document.false_reports,
        "kind": page.kind.value,
        "registeredAt": None if place is None else str(place),
        "exposedTo": list[Json](page.exposed_to),
        "exposures": [{"text": each.text, "reach": each.reach.value} for each in page.exposures],
        "evidence": page.evidence.value,
        "declared": page.declared,
        "options": page.options,
        "kept": page.kept,
        "agent": page.agent,
        "dropped": list[Json](page.dropped),
        "changed": list[Json](page.changed),
        "faults": list[Json](page.faults),
    }


def refused_shape(refused: Refused) -> JsonObject:
    """One entry of `refused`."""
    return {
        "name": refused.name,
        "reason": refused.reason,
        "frame": refused.document.frame_id,
        "url": refused.document.url,
        "origin": refused.document.origin,
        "permitted": refused.document.is_permitted,
        "registeredAt": None if refused.place is None else str(refused.place),
    }


def refused_lines(refused: Iterable[Refused]) -> list[str]:
    """The tools that the browser refused, each with its words and its place."""
    lines: list[str] = []
    for each in refused:
        lines += [
            f"! {clipped(each.name or '(no name)', 40)}: {each.reason}",
            f"  at {each.place}" if each.place else f"  in {each.document.url}",
        ]
    return ["", "REFUSED BY THE BROWSER", *lines] if lines else []


def _policy_shape(policy: FramePolicy | None) -> Json:
    if policy is None:
        return None
    return {
        "element": policy.element,
        "allow": policy.allow,
        "grants": None if policy.grants is None else list[Json](policy.grants),
        "sandboxed": policy.is_sandboxed,
        "blockedBy": policy.blocked_by,
    }


def page_lines(tools: Iterable[Tool], columns: int) -> list[str]:
    """Each document with its tools: where each was registered, and what the browser did not keep of it."""
    documents: dict[Document, list[tuple[str, ...]]] = {}
    for tool in tools:
        if tool.page is None:
            continue
        rows = documents.setdefault(
            tool.page.document, [("TOOL", "KIND", "DROPPED BY THE BROWSER", "REGISTERED AT")]
        )
        rows.append(
            (
                clipped(tool.name, 40),
                tool.page.kind.value,
                _lost(tool.page),
                str(tool.page.place) if tool.page.place else "-",
            )
        )
    lines: list[str] = []
    for document, rows in documents.items():
        lines += [*([""] if lines else []), *table([(_named(document),)], columns), *table(rows, columns)]
    return lines


def _lost(page: PageFacts) -> str:
    if page.declared is None and page.kind.value == "imperative":
        return "not known: registered before it was watched"
    changed = [f"{pointer} (changed)" for pointer in page.changed]
    return ", ".join((*page.dropped, *changed, *page.faults)) or "-"


def _named(document: Document) -> str:
    permission = {None: "", True: ", may offer tools", False: ", may not offer tools"}[document.is_permitted]
    frame = "frame" if document.parent_id else "page"
    forged = f", {document.false_reports} forged reports" if document.false_reports else ""
    return f"{frame} {document.url} (origin {document.origin}{permission}{forged})"
