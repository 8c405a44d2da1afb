"""The rows of the catalogue: a row for each item, malformed ones too, in groups with counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace
from textual.content import Content

from inspector.errors import headline
from inspector.json.exact import Malformed
from inspector.protocol.catalogue import Catalogue, Entry, Item, Kind, Tool
from inspector.protocol.page import PageDocument, RefusedTool
from inspector.safe_text import safe_name
from inspector.session.events import SessionState
from inspector.tui.catalogue.badges import searched_words
from inspector.tui.catalogue.marks import FittedMarks, RowMarks
from inspector.tui.text import content, count, cut_in_the_middle, row_name, shortened

_SEARCHED_LENGTH = 600
_LEAST_ADDRESS = 16
_MOST_OF_NAME = 76
"""The maximum length of a whole name, in characters. It takes three lines of a narrow catalogue."""
TOOLS = "Tools"
_TITLES = {
    Kind.TOOL: TOOLS,
    Kind.RESOURCE: "Resources",
    Kind.TEMPLATE: "Templates",
    Kind.PROMPT: "Prompts",
    Kind.SKILL: "Skills",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The heading of one list, or of one document of a page."""

    key: str
    title: str
    """The name of the list, or the URL of the document, which is untrusted text."""
    size: int
    malformed: int = 0
    """The number of malformed tools, which cannot be called."""


class ServerHeading(Struct, frozen=True, kw_only=True):
    """The heading of one server, shown if there are several."""

    name: str
    """The name by which the user knows the server. May be untrusted text, like `reason`."""
    state: SessionState
    tools: int | None = None
    """The number of tools; None until the first list has arrived."""
    reason: str = ""
    """The reason why there is no connection; empty if there is one."""
    is_recorded: bool = False


class ItemRow(Struct, frozen=True, kw_only=True):
    """One item, with the text that the filter searches."""

    entry: Entry
    group: str
    """The key of the group in which the row is listed."""
    title: str
    """The title of the group in which the row is listed."""
    name: str
    """The casefolded name, which ranks the matches of a filter."""
    searched: str


class ServerRows(Struct, frozen=True, kw_only=True):
    """The rows of one server, by its number."""

    server: int
    rows: tuple[ItemRow, ...]


ListRow = Group | ItemRow
CatalogueRow = ServerHeading | ListRow


def rows(catalogue: Catalogue) -> tuple[ItemRow, ...]:
    """A row for every item, in the order sent. Problems with a whole listing come last."""
    found = [_row(entry, _TITLES[kind]) for kind in Kind for entry in catalogue.entries.get(kind, ())]
    found += [_row(problem, "Problems") for problem in catalogue.problems]
    return tuple(found)


def with_badges(asked: tuple[ServerRows, ...]) -> tuple[ServerRows, ...]:
    """Copies of the rows, with the badges of tools in the searched text too. Blocks: call it in a thread."""
    return tuple(replace(each, rows=tuple(map(_with_badges, each.rows))) for each in asked)


def _with_badges(row: ItemRow) -> ItemRow:
    if isinstance(row.entry, Tool):
        return replace(row, searched=f"{row.searched} {searched_words(row.entry)}")
    return row


def matching(found: Sequence[ItemRow], query: str, server: str = "") -> tuple[ListRow, ...]:
    """The rows that match `query`, under the headings of their groups.

    A row matches if each word occurs in it or in `server`, the name of its server. In a group, rows whose
    names match come first, then those whose titles, descriptions or badges match. The group with the best
    match comes first. Equally good rows keep the order sent.
    """
    words = query.casefold().split()
    kept = found
    for word in words:
        if word not in server:
            kept = [row for row in kept if word in row.searched]
    if words:
        ranked: tuple[list[ItemRow], ...] = ([], [], [], [])
        for row in kept:
            ranked[_rank(row.name, words)].append(row)
        kept = [row for rank in ranked for row in rank]
    groups: dict[str, list[ItemRow]] = {}
    for row in kept:
        groups.setdefault(row.group, []).append(row)
    grouped: list[ListRow] = []
    for key, members in groups.items():
        malformed = sum(isinstance(row.entry, Malformed) and not is_counted(row) for row in members)
        size = len(members) - malformed
        grouped += (Group(key=key, title=members[0].title, size=size, malformed=malformed), *members)
    return tuple(grouped)


def is_counted(row: ItemRow) -> bool:
    """True if a row counts in the size of its group. Malformed tools are counted separately."""
    is_malformed = isinstance(row.entry, Malformed) and not isinstance(row.entry, RefusedTool)
    return row.group != TOOLS or not is_malformed


def _rank(name: str, words: list[str]) -> int:
    """The rank of a name among the matches; lower is better.

    0 if the name equals the words, 1 if it begins with them, 2 if it contains all of them, otherwise 3.
    """
    first, *others = words
    if first not in name:
        return 3
    typed = " ".join(words)
    if name.startswith(typed):
        return 0 if len(name) == len(typed) else 1
    return 2 if all(word in name for word in others) else 3


def group_line(group: Group, total: int) -> Content:
    """The heading of a list: `Tools 12`, `Tools 20 (1 malformed)`, or `Tools 3 of 12` with a filter."""
    counted = f"{group.size:,}" if group.size == total else f"{group.size:,} of {total:,}"
    counted += f" ({group.malformed:,} malformed)" if group.malformed else ""
    return Content.assemble(
        content(shortened(group.title, 200), "bold $text-primary"), (f" {counted}", "$foreground 70%")
    )


STATE_STYLES = {
    SessionState.IDLE: "$foreground 70%",
    SessionState.CONNECTING: "$text-warning",
    SessionState.READY: "$text-success",
    SessionState.LOST: "bold $text-error",
    SessionState.FAILED: "bold $text-error",
    SessionState.CLOSED: "$text-warning",
}


def server_line(heading: ServerHeading, width: int, *, here: bool) -> Content:
    """A line such as `git  ready  12 tools`, with the reason if there is no connection.

    `here`: whether the cursor is on the line.
    """
    parts = [
        Content.assemble("▸ " if here else "» ", content(row_name(heading.name, width), "bold")),
        Content.styled(str(heading.state), STATE_STYLES[heading.state]),
        Content.styled("● recording" if heading.is_recorded else "", "bold $text-error"),
        content(shortened(headline(heading.reason), 300), "$text-error"),
        Content.styled(count(heading.tools, "tool") if heading.tools is not None else "", "$foreground 70%"),
    ]
    shown = Content("  ").join(part for part in parts if part.plain)
    return shown.truncate(width, ellipsis=True)


def entry_line(entry: Entry, marks: RowMarks, width: int, *, here: bool) -> Content:
    """The row of an item in `width` cells, with the marks that fit on the right of its name.

    `here`: whether the cursor is on the row.
    """
    sign = "▸ " if here else "  "
    if isinstance(entry, Malformed):
        named = content(cut_in_the_middle(entry.name or entry.pointer or "?", width), "$text-error strike")
        return Content.assemble(
            sign,
            ("≠ ", "bold $text-error"),
            named,
            ("  refused: " if isinstance(entry, RefusedTool) else "  malformed: ", "$text-error"),
            content(shortened(entry.reason, 200)),
        ).truncate(width, ellipsis=True)
    name = Content.assemble(sign, _name(entry, _room(entry, marks, width)))
    shown = marks_in_row(entry, marks, width).shown
    room = width - shown.cell_length
    return Content.assemble(name.truncate(room, ellipsis=True, pad=True), shown)


def marks_in_row(entry: Tool | Item, marks: RowMarks, width: int) -> FittedMarks:
    """The marks that fit on the right of an item's name, in a row of `width` cells."""
    return marks.fitted(width - len("▸ ") - _name(entry, _room(entry, marks, width)).cell_length - 1)


def _room(entry: Tool | Item, marks: RowMarks, width: int) -> int:
    """The number of cells for a name.

    A tool's name takes the whole row; the address of a resource leaves room for the signs.
    """
    signs = sum(sign.short.cell_length for sign in marks.signs)
    return width - len("▸ ") - (signs + 1 if signs and isinstance(entry, Item) else 0)


def whole_name(entry: Tool | Item, width: int) -> Content:
    """The whole name of an item if a row of `width` cells cuts it; otherwise empty."""
    room = width - len("▸ ")
    shown = _name(entry, room)
    name = safe_name(entry.name)
    is_whole = len(name) <= room and content(name).plain in shown.plain
    if is_whole and shown.cell_length <= room:
        return Content("")
    return content(cut_in_the_middle(name, _MOST_OF_NAME), "bold")


def _name(entry: Tool | Item, width: int) -> Content:
    """The name of a tool or prompt; for a resource or skill, its title, if it has one, and its address."""
    if isinstance(entry, Tool) or entry.kind is Kind.PROMPT:
        return content(cut_in_the_middle(safe_name(entry.name), width))
    name = item_label(entry)
    if not name:
        return content(cut_in_the_middle(entry.name, width))
    room = width - len(name) - 2
    address = cut_in_the_middle(entry.name, room) if room >= _LEAST_ADDRESS else ""
    return Content.assemble(
        content(cut_in_the_middle(name, width)), ("  ", ""), content(address, "$foreground 70%")
    )


def item_label(entry: Item) -> str:
    """The title of a resource or skill, shown before its address; empty if it has none."""
    name = entry.title
    return name if name is not None and name != entry.name else ""


def item_identity(entry: Entry) -> str:
    """A text that identifies an item of the catalogue, also in later listings."""
    match entry:
        case Tool():
            return f"Tool {entry.name}"
        case Item():
            return entry.listed_as
        case Malformed():
            return f"malformed {entry.pointer}"


def _row(entry: Entry, group: str) -> ItemRow:
    match entry:
        case Tool():
            texts = (entry.name, entry.title or "", (entry.description or "")[:_SEARCHED_LENGTH])
        case Item():
            texts = (
                item_label(entry) or entry.name,
                entry.name,
                (entry.description or "")[:_SEARCHED_LENGTH],
            )
        case Malformed():
            word = "refused" if isinstance(entry, RefusedTool) else "malformed"
            texts = (entry.name or "", entry.reason[:_SEARCHED_LENGTH], word)
    document = _document(entry)
    return ItemRow(
        entry=entry,
        group=document.frame_id if document else group,
        title=_document_title(document) if document else group,
        name=texts[0].casefold(),
        searched=" ".join(texts).casefold(),
    )


def _document(entry: Entry) -> PageDocument | None:
    match entry:
        case RefusedTool():
            return entry.document
        case Tool(page=page) if page is not None:
            return page.document
        case _:
            return None


def _document_title(document: PageDocument) -> str:
    what = "Page" if document.parent_id is None else "Frame"
    refused = ", not permitted to offer tools" if document.is_permitted is False else ""
    return f"{what} {document.url}{refused}"


Rows: TypeAlias = tuple[ItemRow, ...]
