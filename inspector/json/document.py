"""Documents: JSON laid out in lines. Each line is created when it is requested."""

from collections.abc import Iterator, Sequence
from enum import Enum, StrEnum, auto
from typing import NamedTuple

from msgspec import Struct

from inspector.json import pointer as json_pointer
from inspector.json.exact import DuplicateKeys, Json, scalar_text
from inspector.json.layout import (
    Container,
    Layout,
    key_text,
    lay_out,
    member_at,
    piece_starts,
    quoted_inside,
    size,
)
from inspector.safe_text import safe_line

_COLON = ": "
_BLOCK = 512
"""The number of lines that a backward search reads at once."""


class SpanKind(StrEnum):
    """The kind of a piece of a line, by JSON's grammar."""

    PUNCTUATION = "punctuation"
    """Brackets, commas, colons, and the indentation."""
    KEY = "key"
    STRING = "string"
    NUMBER = "number"
    WORD = "word"
    """true, false, null."""


class Span(Struct, frozen=True, kw_only=True, gc=False):
    """A piece of a line.

    Its text contains no control or invisible characters, so it may be shown as it is.
    """

    text: str
    kind: SpanKind


class PlainLine(NamedTuple):
    """One line in a long text output, for which spans would take too much time."""

    pointer: str
    """Pointer to the value that the line shows, opens or closes."""
    blanks: int
    """The number of blanks before the text."""
    text: str
    """The text without the blanks before it, without control and invisible characters."""
    value: str
    """The text of the value, without key and comma; a bracket if the line opens or closes a container."""


class Line(Struct, frozen=True, kw_only=True, gc=False):
    """One line. The joined texts of its spans are the whole line, with its indentation."""

    pointer: str
    """Pointer to the value that the line shows, opens or closes."""
    depth: int
    """The number of containers around the value that the line shows, opens or closes."""
    spans: tuple[Span, ...]
    continued: bool
    """True if the line continues a text that an earlier line began."""


class Document:
    r"""A value as indented JSON, exact in keys, order, duplicates and numbers.

    A text is split after each line feed (shown as `\n`) and after about `chunk` characters as shown. Its
    further pieces are shown under the opening quote. Keys longer than `chunk` are cut, and their length
    follows. If a key occurs twice, a pointer leads to the last one. The value must not change while the
    document exists.

    Cost: construction is one pass; a line takes O(depth * log n).
    """

    __slots__ = ("_chunk", "_cut", "_indent", "_layout", "_value", "line_count", "width")

    line_count: int
    width: int
    """The width of the widest line in characters, or slightly more; never less."""

    def __init__(self, value: Json, *, indent: int = 2, chunk: int = 400) -> None:
        self._value = value
        self._indent = max(0, indent)
        self._chunk = max(1, chunk)
        self._layout = lay_out(value, self._indent, self._chunk)
        self._cut: tuple[str, Sequence[int]] = ("", ())
        self.line_count = self._layout.line_count
        self.width = self._layout.width

    def line(self, index: int) -> Line:
        """The line at `index`, from 0. Raises IndexError if there is none."""
        if not 0 <= index < self.line_count:
            raise IndexError(index)
        return self._line(next(self._places(index)))

    def lines(self, start: int, stop: int) -> list[Line]:
        """The lines from `start` up to, not including, `stop`; fewer if the document ends."""
        start, stop = max(0, start), min(stop, self.line_count)
        if start >= stop:
            return []
        return [self._line(place) for _, place in zip(range(start, stop), self._places(start), strict=False)]

    def plain_lines(self) -> Iterator[PlainLine]:
        """All lines in order, as texts without spans."""
        for place in self._places(0) if self.line_count else ():
            texts = [text for text, _ in self._parts(place)]
            # A line with a key has the key, a colon and the value. Any other line begins with the value.
            value = texts[2] if len(texts) > 2 else texts[0]
            yield PlainLine(place.pointer, self._blanks(place), "".join(texts), value)

    def extent(self, pointer: str) -> range | None:
        """The lines that the value at `pointer` takes; None if there is no such value."""
        try:
            tokens = json_pointer.split(pointer)
        except ValueError:
            return None
        value, node, start, stop = self._value, 0, 0, self.line_count
        for token in tokens:
            index = _index_of(value, token)
            if index is None or not isinstance(value, (dict, list, DuplicateKeys)):
                return None
            rows = self._layout.rows(node, index)
            start, stop = start + 1 + rows.start, start + 1 + rows.stop
            value = member_at(value, self._layout.keys(node, value), index)[1]
            node = rows.node
        return range(start, stop)

    def find(self, text: str, start_line: int, *, backwards: bool = False) -> int | None:
        """The index of the nearest line that shows `text`, starting with `start_line`; None if there is none.

        `backwards`: true to search towards the start. Ignores case. A match in a text that is split over
        lines is found on the line where the match begins. Cost: linear; every line on the way is created.
        """
        needle = text.casefold()
        if not needle:
            return None
        if not backwards:
            return next(self._matches(needle, max(0, start_line), self.line_count), None)
        stop = min(start_line + 1, self.line_count)
        while stop > 0:
            start = max(0, stop - _BLOCK)
            lines = list(self._matches(needle, start, stop))
            if lines:
                return lines[-1]
            stop = start
        return None

    def _matches(self, needle: str, start: int, stop: int) -> Iterator[int]:
        if start >= stop:
            return
        for index, place in zip(range(start, stop), self._places(start), strict=False):
            shown = "".join([text for text, _ in self._parts(place)])
            if place.pieces > 1:
                shown += self._following(place, len(needle) - 1)
            if needle in shown.casefold():
                yield index

    def _following(self, place: "_Place", length: int) -> str:
        """The `length` characters that follow on the next lines of a text that is split over lines."""
        shown = ""
        for piece in range(place.piece + 1, place.pieces):
            if len(shown) >= length:
                break
            shown += self._parts(place._replace(piece=piece))[0][0]
        return shown[:length]

    def _places(self, start: int) -> Iterator["_Place"]:
        """The contents of the lines from line `start` to the last. Line `start` must exist."""
        opened: list[_Open] = []
        key, value, token = None, self._value, ""
        node, pieces, rest = 0, self.line_count, start
        while True:
            last = not opened or opened[-1].done
            if isinstance(value, (dict, list, DuplicateKeys)) and size(value):
                opened.append(_Open(value, node, key, token, self._layout))
                if rest == 0:
                    yield _place(opened, _Role.OPEN, last=last)
                else:
                    rest = opened[-1].skip(rest - 1, self._layout)
            else:
                pointer = f"{_pointer(opened)}/{token}" if opened else ""
                for piece in range(rest, pieces):
                    yield _Place(_Role.LEAF, pointer, len(opened), key, value, piece, pieces, last)
                rest = 0
            while opened and opened[-1].done:
                last = len(opened) < 2 or opened[-2].done
                yield _place(opened, _Role.CLOSE, last=last)
                opened.pop()
            if not opened:
                return
            top = opened[-1]
            key, value = member_at(top.container, top.keys, top.index)
            token = str(top.index) if key is None else json_pointer.escape(key)
            node, pieces = top.advance(self._layout)

    def _line(self, place: "_Place") -> Line:
        blanks = self._blanks(place)
        spans = [Span(text=text, kind=kind) for text, kind in self._parts(place)]
        if blanks:
            spans.insert(0, Span(text=" " * blanks, kind=SpanKind.PUNCTUATION))
        return Line(pointer=place.pointer, depth=place.depth, spans=tuple(spans), continued=place.piece > 0)

    def _blanks(self, place: "_Place") -> int:
        blanks = place.depth * self._indent
        if place.piece and place.key is not None:
            blanks += len(key_text(place.key, self._chunk)) + len(_COLON)
        return blanks

    def _parts(self, place: "_Place") -> list[tuple[str, SpanKind]]:
        """The texts on a line, without the indentation."""
        parts: list[tuple[str, SpanKind]] = []
        if place.key is not None and place.piece == 0 and place.role is not _Role.CLOSE:
            parts.append((key_text(place.key, self._chunk), SpanKind.KEY))
            parts.append((_COLON, SpanKind.PUNCTUATION))
        if isinstance(place.value, (dict, list, DuplicateKeys)):
            brackets = "[]" if isinstance(place.value, list) else "{}"
            shown = {_Role.OPEN: brackets[0], _Role.CLOSE: brackets[1]}.get(place.role, brackets)
            parts.append((shown, SpanKind.PUNCTUATION))
        else:
            parts.append(self._leaf(place.value, place.piece, place.pieces))
        if not place.last and place.role is not _Role.OPEN and place.piece + 1 == place.pieces:
            parts.append((",", SpanKind.PUNCTUATION))
        return parts

    def _leaf(self, value: float | str | None, piece: int, pieces: int) -> tuple[str, SpanKind]:
        if value is None or isinstance(value, bool):
            return scalar_text(value), SpanKind.WORD
        if not isinstance(value, str):
            text = scalar_text(value)
            return safe_line(self._piece(text, piece) if pieces > 1 else text), SpanKind.NUMBER
        shown = quoted_inside(self._piece(value, piece) if pieces > 1 else value)
        opening = '"' if piece == 0 else ""
        closing = '"' if piece + 1 == pieces else ""
        return f"{opening}{shown}{closing}", SpanKind.STRING

    def _piece(self, text: str, piece: int) -> str:
        # Cached for one text, because finding the line feeds of a long text is a pass over all of it.
        cut, starts = self._cut
        if cut is not text:
            starts = piece_starts(text, self._chunk)
            self._cut = (text, starts)
        return text[starts[piece] : starts[piece + 1] if piece + 1 < len(starts) else len(text)]


class _Role(Enum):
    """The role of a line: it opens, shows or closes its value."""

    OPEN = auto()
    LEAF = auto()
    CLOSE = auto()


class _Place(NamedTuple):
    """What one line shows: a value or a piece of its text, with the value's key and pointer."""

    role: _Role
    pointer: str
    depth: int
    key: str | None
    value: Json
    piece: int
    pieces: int
    last: bool


class _Open:
    """A container that has begun before the current line and not ended, and the index of its next member."""

    __slots__ = ("container", "entry", "index", "key", "keys", "node", "pointer", "size", "stop", "token")

    def __init__(self, container: Container, node: int, key: str | None, token: str, layout: Layout) -> None:
        self.container = container
        self.node = node
        self.key = key
        self.token = token
        self.pointer: str | None = None
        self.keys = layout.keys(node, container)
        self.size = size(container)
        self.index = 0
        self.entry = layout.first[node]
        self.stop = layout.first[node + 1]

    @property
    def done(self) -> bool:
        """True if every member has been passed."""
        return self.index == self.size

    def advance(self, layout: Layout) -> tuple[int, int]:
        """Step over the next member.

        Returns the member's number in the layout if the member is a container, else 0; and the count of its
        lines if the member is a text, else 1.
        """
        node, lines = 0, 1
        if self.entry < self.stop and layout.position[self.entry] == self.index:
            node = layout.node[self.entry]
            if not node:
                rows = layout.rows(self.node, self.index)
                lines = rows.stop - rows.start
            self.entry += 1
        self.index += 1
        return node, lines

    def skip(self, row: int, layout: Layout) -> int:
        """Go to the member on line `row`, counted from the first line of all members.

        Returns the index of that line within the member. If `row` is after all members, goes to the end, and
        returns 0.
        """
        if row == layout.inner_lines(self.node, self.size):
            self.index = self.size
            return 0
        spot = layout.locate(self.node, row)
        self.index, self.entry = spot.index, spot.entry
        return spot.rest


def _place(opened: list[_Open], role: _Role, *, last: bool) -> _Place:
    """The place of the line that opens or closes the innermost container."""
    top = opened[-1]
    return _Place(role, _pointer(opened), len(opened) - 1, top.key, top.container, 0, 1, last)


def _pointer(opened: list[_Open]) -> str:
    """The pointer to the innermost container, created once, when a line needs it."""
    top = opened[-1]
    if top.pointer is None:
        top.pointer = "".join([f"/{each.token}" for each in opened[1:]])
    return top.pointer


def _index_of(value: Json, token: str) -> int | None:
    """The index of a container's member by reference token, the last one for a repeated key; None if there is none."""
    match value:
        case list():
            index = int(token) if token.isascii() and token.isdigit() and len(token) < 19 else len(value)
            return index if index < len(value) and str(index) == token else None
        case dict():
            return next((index for index, key in enumerate(value) if key == token), None)
        case DuplicateKeys():
            indexes = [index for index, (key, _) in enumerate(value.pairs) if key == token]
            return indexes[-1] if indexes else None
        case _:
            return None


MAX_LINES = 400
"""The maximum number of lines of a value in text output. Longer values are cut visibly; JSON output has them whole."""


def document_lines(value: Json) -> list[str]:
    """The lines of a value as indented JSON, without control and invisible characters.

    A long value is cut, and a last line says so.
    """
    document = Document(value)
    lines = [
        "".join(span.text for span in line.spans)
        for line in document.lines(0, min(document.line_count, MAX_LINES))
    ]
    if document.line_count > MAX_LINES:
        lines.append(f"… {document.line_count - MAX_LINES:,} more lines")
    return lines
