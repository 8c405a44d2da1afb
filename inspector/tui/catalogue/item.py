"""An item of the catalogue as its tabs show it: title, definition, claims, form."""

from collections.abc import Iterable

from msgspec import Struct
from textual.content import Content

from inspector.claims.claim import Claim
from inspector.claims.contradictions import Contradiction, contradictions
from inspector.claims.registry import claims_of_item, claims_of_result, claims_of_tool
from inspector.claims.traits import traits
from inspector.hosts.apps import interface_of
from inspector.json.exact import Json, Malformed, dump, equal
from inspector.json.members import text_at
from inspector.protocol.catalogue import Entry, Item, Kind, Tool, callable_of
from inspector.protocol.outcome import Result
from inspector.protocol.page import RefusedTool, ToolKind
from inspector.protocol.skills import manifest_of
from inspector.schema.fields import Form, form_of
from inspector.session.call_record import CallRecord
from inspector.tui.catalogue import badges
from inspector.tui.claims.pane import ClaimRow, value_text
from inspector.tui.page.screen import changed_lines, origin_line, origin_lines
from inspector.tui.text import content, count, cut_in_the_middle, paragraph, shortened, size, tokens
from inspector.tui.values.outline import Outline

_DEFAULTS = "The page's form adds its own defaults for the fields that are left out."
_DESCRIPTION_LENGTH = 1200


class ToolView(Struct, frozen=True, kw_only=True):
    """Everything that the tabs show of an item."""

    entry: Entry
    definition: Outline
    definition_bytes: int
    badges: Content
    traits: tuple[Content, ...] = ()
    claims: tuple[ClaimRow, ...] = ()
    tool: Tool | None = None
    """The item as a tool, which can be called; None if it cannot be called."""
    form: Form | None = None
    """The form for a call; None if the item cannot be called."""
    origins: tuple[Content, ...] = ()
    """Lines about the origin of a page's tool, and what the browser changed; empty for other items."""
    is_same: bool = False
    """True if the item shown before is equal, so that its form can stay."""


def title(entry: Entry) -> Content:
    """The name of an item, and its title if that is different."""
    match entry:
        case Malformed():
            word = "refused" if isinstance(entry, RefusedTool) else "malformed"
            return Content.assemble(
                (f"≠ {word} ", "bold $text-error"),
                content(shortened(entry.name or entry.pointer, 120), "bold"),
            )
        case Tool(title=str() as words) if words != entry.name:
            return Content.assemble(
                content(shortened(entry.name, 80), "bold"),
                "  ",
                content(shortened(words, 120), "$foreground 80%"),
            )
        case _:
            return content(shortened(entry.name, 120), "bold")


def about(entry: Entry) -> Content:
    """The description of the item, or the reason why it cannot be called."""
    match entry:
        case RefusedTool():
            place = str(entry.place) if entry.place else entry.document.url
            return Content.assemble(
                "The browser refused it: ",
                content(shortened(entry.reason, 500), "$text-error"),
                "\nIt is registered at ",
                content(shortened(place, 300), "bold"),
                ", and cannot be called.",
            )
        case Malformed():
            return Content.assemble(
                content(shortened(entry.reason, 500), "$text-error"),
                "\nIt is at ",
                content(shortened(entry.pointer or "the root", 200), "bold"),
                " of the listing, and cannot be called.",
            )
        case Tool():
            text = entry.description
            said = paragraph(shortened(text, _DESCRIPTION_LENGTH)) if text else _silent()
            uri = interface_of(entry)
            if uri is not None:
                line = content(
                    f"Its interface is {cut_in_the_middle(uri, 120)}; i reads it; I opens it with the result.",
                    "$foreground 70%",
                )
                said = Content.assemble(said, "\n", line)
            if entry.page is None:
                return said
            is_form = entry.page.kind is ToolKind.FORM
            return Content.assemble(
                said, "\n", origin_line(entry.page), (f"\n{_DEFAULTS}" if is_form else "", "$foreground 70%")
            )
        case _:
            text = entry.description
            said = paragraph(shortened(text, _DESCRIPTION_LENGTH)) if text else _silent()
            facts = _facts(entry)
            return Content.assemble(said, "\n", (facts, "$foreground 70%")) if facts else said


def definition_line(view: ToolView) -> Content:
    """A line with the size of a definition in bytes and tokens; before it, the fault of a malformed one."""
    line = Content.styled(
        f"{size(view.definition_bytes)}, {tokens(view.definition_bytes)}, as the server sent it",
        "$foreground 70%",
    )
    if isinstance(view.entry, Malformed):
        fault = content(f"malformed: {shortened(view.entry.reason, 400)}", "$text-error")
        return Content.assemble(fault, "  ", line)
    return line


def _facts(item: Item) -> str:
    """The MIME type and the size that a resource declares, or the files of a skill."""
    if item.kind is Kind.SKILL:
        return _files(item)
    mime, length = text_at(item.definition, "mimeType"), item.definition.get("size")
    known = [shortened(mime, 80)] if mime else []
    if isinstance(length, int) and not isinstance(length, bool) and 0 <= length < 1 << 60:
        known.append(size(length))
    return ", ".join(known)


def _files(skill: Item) -> str:
    manifest = manifest_of(skill.definition)
    if manifest.fault:
        return f"{manifest.fault}. The skill can be read, but is withheld from the model."
    if manifest.is_dynamic:
        return "dynamic, without digests, so its content cannot be verified"
    return f"{count(len(manifest.files), 'file')}, {size(manifest.size_bytes)}. Each file is verified by its digest when it is read."


def _silent() -> Content:
    return Content.styled("The server gives no description.", "$foreground 70%")


class ItemAsked(Struct, frozen=True, kw_only=True):
    """A request for the view of an item. `record`: its last call."""

    entry: Entry
    record: CallRecord | None
    before: Entry | None
    """The item that is shown now; None if there is none."""


def tool_view(entry: Entry, record: CallRecord | None, before: Entry | None = None) -> ToolView:
    """The view of an item, with the claims in its definition and in its last result.

    `before`: the item that is shown now.
    """
    definition: Json = entry.value if isinstance(entry, Malformed) else entry.definition
    claims = _claims(entry)
    of_result = (
        claims_of_result(record.outcome.value, record.kind)
        if record and isinstance(record.outcome, Result)
        else ()
    )
    tool = entry if isinstance(entry, Tool) else None
    called = callable_of(entry)
    page = tool.page if tool else None
    resolution = record.resolution if record else None
    resolved = resolution.claims if resolution else ()
    found = (
        *contradictions((*claims, *of_result), tool=tool),
        *(resolution.widenings if resolution else ()),
    )
    known = traits((*claims, *of_result))
    return ToolView(
        entry=entry,
        definition=Outline(definition),
        definition_bytes=len(dump(definition)),
        badges=badges.words(known),
        traits=badges.trait_lines(known),
        claims=tuple(_claim_row(claim, found) for claim in (*claims, *of_result, *resolved)),
        origins=(*origin_lines(page), *changed_lines(page)) if page else (),
        tool=called,
        form=form_of(called.input_schema) if called else None,
        is_same=before is not None and _same(before, entry),
    )


def _same(before: Entry, after: Entry) -> bool:
    if before is after:
        return True
    if isinstance(before, Malformed) or isinstance(after, Malformed):
        return False
    return type(before) is type(after) and equal(before.definition, after.definition)


def _claims(entry: Entry) -> tuple[Claim, ...]:
    match entry:
        case Tool():
            return claims_of_tool(entry)
        case Malformed():
            return ()
        case _:
            return claims_of_item(entry)


def _claim_row(claim: Claim, found: Iterable[Contradiction]) -> ClaimRow:
    against = tuple(
        contradiction.message for contradiction in found if any(claim is one for one in contradiction.claims)
    )
    return ClaimRow(claim=claim, value=value_text(claim.value), contradictions=against)
