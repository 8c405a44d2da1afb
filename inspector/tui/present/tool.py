"""A tool, or another item: its title, its definition, its claims, what does not fit together."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content

from inspector.json.exact import Malformed
from inspector.protocol.catalogue import Entry, Tool
from inspector.protocol.page import Refused
from inspector.tui.present.foreign import content, paragraph, shortened
from inspector.tui.present.measures import size, tokens
from inspector.tui.present.page import origin_line

if TYPE_CHECKING:
    from inspector.json.document import Document
    from inspector.schema.fields import Form
    from inspector.tui.present.claims import ClaimRow

_DESCRIPTION_LENGTH = 1200


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolView:
    """Everything that the tabs of an item show."""

    entry: Entry
    definition: "Document"
    definition_bytes: int
    badges: Content
    traits: tuple[Content, ...] = ()
    claims: "tuple[ClaimRow, ...]" = ()
    form: "Form | None" = None
    """None for what cannot be called."""
    origins: tuple[Content, ...] = ()
    """Where a page's tool comes from."""
    is_same: bool = False
    """Whether the item shown before is the same thing, so that its form still holds."""


def title(entry: Entry) -> Content:
    """Its name, and its title where that says something else."""
    match entry:
        case Malformed():
            word = "refused" if isinstance(entry, Refused) else "malformed"
            return Content.assemble(
                (f"✗ {word} ", "bold $text-error"),
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
    """What it says of itself; for what cannot be called, why not."""
    match entry:
        case Refused():
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
                "\nIt stands at ",
                content(shortened(entry.pointer or "the root", 200), "bold"),
                " of the listing, and cannot be called.",
            )
        case Tool():
            text = entry.description
            said = paragraph(shortened(text, _DESCRIPTION_LENGTH)) if text else _silent()
            return Content.assemble(said, "\n", origin_line(entry.page)) if entry.page else said
        case _:
            description = entry.definition.get("description")
            text = shortened(description, _DESCRIPTION_LENGTH) if isinstance(description, str) else ""
            return Content.assemble(
                paragraph(text),
                "\n" if text else "",
                ("Listed here to be looked at; only tools are called.", "$foreground 70%"),
            )


def definition_line(view: ToolView) -> Content:
    """How large the definition is, for it is read by the model too."""
    return Content.styled(
        f"{size(view.definition_bytes)}, {tokens(view.definition_bytes)}, as it stood on the wire",
        "$foreground 70%",
    )


def _silent() -> Content:
    return Content.styled("The server gives no description.", "$foreground 70%")
