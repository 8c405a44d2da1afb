"""An outline of one JSON value, or of two side by side: its nodes, their rows, and the text of each row."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from enum import Enum, StrEnum, auto
from functools import lru_cache
from itertools import accumulate, islice, repeat, zip_longest
from typing import Final, Literal, TypeAlias, cast

from msgspec import Struct

from inspector.json import pointer as json_pointer
from inspector.json.exact import DuplicateKeys, Json, dump_text, equal, scalar_text
from inspector.json.opened import TEXT, opened
from inspector.tui.values.alignment import GAP, align
from inspector.tui.values.blocks import BlockPairs, paired_blocks
from inspector.tui.values.picture import MOST_PICTURES, DrawnPicture, Picture, payload_of, picture_of
from inspector.tui.values.wrap import LEAST, LinedText, PieceKind, Span, Wrapped, quoted


class Absent(Enum):
    """The type of `ABSENT`, which stands for a value that a side does not have."""

    ABSENT = auto()


ABSENT: Final = Absent.ABSENT
Value: TypeAlias = Json | Literal[Absent.ABSENT]
Container: TypeAlias = dict[str, Json] | list[Json] | DuplicateKeys
Side: TypeAlias = Literal[0, 1]


class OutlineStyle(StrEnum):
    """The notation in which values are written."""

    TREE = "tree"
    """A key and a value on each row, without brackets.

    JSON in the text of a content block is parsed and shown as nodes.
    """
    JSON = "JSON"
    """Indented JSON, with brackets and commas."""


Drawn: TypeAlias = Wrapped | LinedText | DrawnPicture
_Item: TypeAlias = tuple[str, str, Value, Value, int, int, int]
"""A node to build: label, token, left value, right value, depth, parent, flags."""

INDENT = 2
_LEAST_ROOM = LEAST + 4 + 3
"""The minimum width of a row in cells, without its indentation.

The widest character, a sign of continuation, quotes and a comma fit.
"""
_ONE_ROW = frozenset({float, bool, type(None), dict, list, DuplicateKeys})
_NUMBER_ROOM = 30
"""The maximum width, with quotes and separators, of a value of one of those types, or of an integer of 64 bits."""
_SEPARATOR = "  "
_LONG = 40
"""The number of rows above which the breaks of a text are cached."""
_BLOCK = "content["
"""The beginning of the labels of content blocks."""
_ALIGNED = 2_000
"""The maximum length at which lists of unequal lengths are aligned by their items.

Longer ones are aligned by index.
"""
_CONTAINERS = frozenset({dict, list, DuplicateKeys})
_MOST_KEYS = 64
"""The maximum number of keys of an object whose members are added at once."""
_PLAIN_KEY = re.compile(r"[A-Za-z_$][\w$.-]*", re.ASCII)
_PAD_MOST = 16
"""The maximum width, in cells, to which short labels of one object are padded."""


class SideDifference(Enum):
    """The difference between the two sides of a node. The value is the sign that is drawn."""

    NONE = " "
    LEFT = "✗"
    """Only the left side has it."""
    CHANGED = "~"
    RIGHT = "+"
    """Only the right side has it."""
    REACHES = "!"
    """Both sides have the value, but the right side should not.

    Comes from `Remarks`, not from comparing the values.
    """
    QUIET = "·"
    """Protocol metadata, which only the left side has. Comes from `Remarks`, not from comparing the values."""
    BROKEN = "≠"
    """The value breaks the output schema. Comes from `Remarks`, not from comparing the values."""


_DIFFERENCES = (SideDifference.NONE, SideDifference.LEFT, SideDifference.CHANGED, SideDifference.RIGHT)
_FLAT, _OPENED, _TOP, _CLOSE, _COMMA_LEFT, _COMMA_RIGHT, _PICTURE, _MOVED = 1, 2, 4, 8, 16, 32, 64, 128
_SLOW = ~(_TOP | _COMMA_LEFT | _COMMA_RIGHT)
"""The flags of nodes whose height takes more than a look at the value."""


class OutlineRow(Struct, frozen=True, kw_only=True):
    """A row of the outline: a node, and the number of the row within the node."""

    node: int
    number: int
    """The number of the row within the node, from 0."""


class Outline:
    """The nodes of one value or of two, in the order in which they are drawn. It keeps every string whole.

    `right`: the other value; ABSENT for an outline of one value. `left`: ABSENT if only the right side has a
    value. `blocks`: which blocks of their members `content` share a row; None to pair them by their words.
    The constructor makes one pass without recursion. The values must not change while the outline is in use.
    """

    def __init__(
        self,
        left: Value,
        right: Value = ABSENT,
        *,
        style: OutlineStyle = OutlineStyle.TREE,
        blocks: BlockPairs | None = None,
    ) -> None:
        self.style = style
        self._blocks = blocks
        self._moved: dict[tuple[int, str], int] = {}
        """The index on the right of items that have another one on the left, by list and token."""
        self._right_indexes: dict[int, int] = {}
        """The same, by node."""
        self.is_pair = right is not ABSENT
        self._labels: list[str] = []
        self._values: tuple[list[Value], list[Value]] = ([], [])
        self._tokens: list[str] = []
        self._depths = array("H")
        self._parents = array("l")
        self._ends = array("l")
        self._flags = bytearray()
        self._differences = bytearray()
        self._suffixes: dict[int, str] = {}
        """The token that a node's pointer has after its own token, by node."""
        self._long: dict[tuple[int, int, int], Drawn] = {}
        self._record_labels: dict[tuple[str, ...], tuple[str, ...] | None] = {}
        """The labels of objects of scalars, by their keys."""
        self._pictures: dict[tuple[int, int], Picture] = {}
        """The decoded pictures, by node and side."""
        self._build(left, right)
        self._decode_pictures()
        self.tops: tuple[int, ...] = tuple(
            node for node, flags in enumerate(self._flags) if flags & _TOP and self._differences[node]
        )
        """The outermost nodes at which the sides differ, in order."""

    def __len__(self) -> int:
        return len(self._labels)

    # Nodes.

    def pointer(self, node: int) -> str:
        """The JSON pointer to a node.

        Within JSON that was parsed from a text, the pointer starts at that JSON, not at the whole value.
        """
        tokens: list[str] = []
        while node > 0:
            parent = self._parents[node]
            if parent >= 0 and self._flags[parent] & _OPENED:
                tokens.clear()
            else:
                if node in self._suffixes:
                    tokens.append(self._suffixes[node])
                tokens.append(self._tokens[node])
            node = parent
        return "".join(f"/{json_pointer.escape(token)}" for token in reversed(tokens))

    def node_at(self, pointer: str) -> int | None:
        """The node at a pointer, or the nearest one around it; None if `pointer` is not a JSON pointer."""
        try:
            tokens = json_pointer.split(pointer)
        except ValueError:
            return None
        node = 0
        for token in tokens:
            below = next((child for child in self.children(node) if self._tokens[child] == token), None)
            if below is None:
                break
            node = below
        return node

    def children(self, node: int) -> Iterator[int]:
        """Yield the nodes directly inside a node."""
        child, end = node + 1, self._ends[node]
        while child < end:
            yield child
            child = self._ends[child]

    def end(self, node: int) -> int:
        """The first node after a node and everything inside it."""
        return self._ends[node]

    def parent(self, node: int) -> int:
        """The parent of a node; -1 for the first node."""
        return self._parents[node]

    def label(self, node: int) -> str:
        """The key or index of a node, safe to show."""
        return self._labels[node]

    def value(self, node: int, side: Side) -> Value:
        """The value of a node on one side; ABSENT if that side has none."""
        return self._values[side][node]

    def difference(self, node: int) -> SideDifference:
        """The difference between the sides at a node itself. Differences inside it do not count."""
        return _DIFFERENCES[self._differences[node]]

    def begins_absence(self, node: int) -> bool:
        """True if this is the outermost node that the right side does not have."""
        return bool(self._flags[node] & _TOP) and self._differences[node] == 1

    def is_drawn(self, node: int) -> bool:
        """True if the label of a node has a row of its own."""
        return not self._flags[node] & (_FLAT | _CLOSE)

    def is_end(self, node: int) -> bool:
        """True if this is the closing bracket of a container."""
        return bool(self._flags[node] & _CLOSE)

    def is_foldable(self, node: int) -> bool:
        """True if a node can be folded: it has nodes inside it, and a row of its own."""
        return (
            self._ends[node] > node + 1
            and not self._flags[node] & _FLAT
            and (node > 0 or bool(self._labels[0]))
        )

    # Building.

    def _build(self, left: Value, right: Value) -> None:
        waiting: list[_Item | int] = [("", "", left, right, 0, -1, _TOP)]
        while waiting:
            item = waiting.pop()
            if isinstance(item, int):
                self._close(item)
                continue
            if self._moved:
                item = self._with_index(item)
            if self.style is OutlineStyle.TREE and self._add_record(item):
                continue
            label, token, one, other, depth, parent, flags = item
            if one is not ABSENT and other is not ABSENT and one is not other and _kind(one) != _kind(other):
                waiting.append((label, token, ABSENT, other, depth, parent, flags))
                waiting.append((label, token, one, ABSENT, depth, parent, flags & ~_COMMA_RIGHT))
                continue
            self._add(waiting, item)
        if self.style is OutlineStyle.JSON:
            self._ends[0] = len(self._labels)

    def _with_index(self, item: _Item) -> _Item:
        """An item, flagged if its index on the right is another one."""
        label, token, one, other, depth, parent, flags = item
        index = self._moved.get((parent, token))
        if index is None or one is ABSENT or other is ABSENT:
            return item
        self._right_indexes[len(self._labels)] = index
        return label, token, one, other, depth, parent, flags | _MOVED

    def _add_record(self, item: _Item) -> bool:
        """Add an object of scalars and its members at once, in a third of the time; False for any other value."""
        label, token, one, other, depth, parent, flags = item
        if type(one) is not dict or parent < 0 or not _CONTAINERS.isdisjoint(map(type, one.values())):
            return False
        keys = tuple(one)
        if keys not in self._record_labels:
            self._record_labels[keys] = _record_labels(keys)
        labels = self._record_labels[keys]
        if labels is None:
            return False
        count, node = len(one), len(self._labels)
        is_absent = self.is_pair and other is ABSENT
        if other is one or other is ABSENT:
            rights: Iterable[Value] = one.values() if other is one else repeat(ABSENT, count)
            differences = bytes((is_absent,)) * count
        elif type(other) is dict and [key for key in one if key in other] == list(other):
            rights = [other.get(key, ABSENT) for key in one]
            if not _CONTAINERS.isdisjoint(map(type, rights)):
                return False
            differences = bytes(map(_scalar_difference, one.values(), rights))
        else:
            return False
        self._labels += (label, *labels)
        self._tokens += (token, *one)
        self._values[0].append(one)
        self._values[0].extend(one.values())
        self._values[1].append(other)
        self._values[1].extend(rights)
        self._depths.append(min(depth, 65_535))
        self._depths.extend(repeat(min(depth + 1, 65_535), count))
        self._parents.append(parent)
        self._parents.extend(repeat(node, count))
        end = node + 1 + count
        self._ends.append(end)
        self._ends.extend(range(node + 2, end + 1))
        self._flags.append(flags)
        self._flags += bytes((0 if is_absent else _TOP,)) * count
        self._differences.append(is_absent)
        self._differences += differences
        return True

    def _add(self, waiting: "list[_Item | int]", item: _Item) -> None:
        label, token, one, other, depth, parent, flags = item
        node = len(self._labels)
        if self.style is OutlineStyle.TREE:
            texts = _block_texts(one, other) if label.startswith(_BLOCK) else None
            if texts is not None:
                one, other = texts
                label = f"{label} {TEXT}"
                self._suffixes[node] = TEXT
            pair = _opened(one, other) if label.rstrip().endswith(TEXT) and parent >= 0 else None
            if pair is not None:
                one, other = pair
                flags |= _OPENED
                label = f"{label.rstrip()}, JSON"
        shape = _shape(one) or _shape(other)
        is_list = shape is list and self.style is OutlineStyle.TREE
        if is_list:
            flags |= _FLAT
        difference = 0
        if self.is_pair and one is not other:
            if other is ABSENT:
                difference = 1
            elif one is ABSENT:
                difference = 3
            elif shape is None and not _same(one, other):
                difference = 2
        self._labels.append(label)
        self._tokens.append(token)
        self._values[0].append(one)
        self._values[1].append(other)
        self._depths.append(min(depth, 65_535))
        self._parents.append(parent)
        self._ends.append(node + 1)
        self._flags.append(flags)
        self._differences.append(difference)
        if shape is None:
            return
        waiting.append(node)
        is_root = parent < 0
        inner = depth if is_list or (is_root and self.style is OutlineStyle.TREE) else depth + 1
        # A list has no row of its own, so a difference that begins at it begins at its first item.
        inherits = flags & _TOP if is_list and difference else 0
        tops = 0 if difference else _TOP
        below: list[_Item] = []
        picture = self._picture_key(one, other)
        for token_, one_, other_ in self._members(node, one, other):
            name = f"{label or ''}[{token_}]" if is_list else self._key(token_, shape)
            top = (tops or (inherits if not below else 0)) | (_PICTURE if token_ == picture else 0)
            below.append((name, token_, one_, other_, inner, node, top))
        if self.style is OutlineStyle.JSON:
            _with_commas(below)
        elif shape is not list:
            _pad(below)
        waiting.extend(reversed(below))

    def _members(self, node: int, one: Value, other: Value) -> Iterator[tuple[str, Value, Value]]:
        """Yield the members of a container: token, left, right."""
        if one is other or not isinstance(one, list) or not isinstance(other, list):
            return _members(one, other)
        is_content = self._parents[node] == 0 and self._tokens[node] == "content"
        blocks = self._blocks if is_content else None
        if blocks is None or not _covers(blocks, one, other):
            blocks = paired_blocks(one, other)
        if blocks is None:
            return _items(one, other)
        if self.style is OutlineStyle.TREE:
            self._moved.update({(node, str(a)): b for a, b in blocks if a != b and GAP not in {a, b}})
        return _paired(blocks, one, other)

    def _picture_key(self, one: Value, other: Value) -> str | None:
        return (payload_of(one) or payload_of(other)) if self.style is OutlineStyle.TREE else None

    def _decode_pictures(self) -> None:
        """Decode the pictures now.

        The outline is built in a thread, but its rows are made on the event loop, which decoding would block.
        """
        nodes = [node for node, flags in enumerate(self._flags) if flags & _PICTURE]
        for node in nodes[:MOST_PICTURES]:
            parent = self._parents[node]
            for side in (0, 1):
                block, payload = self._values[side][parent], self._values[side][node]
                if not isinstance(block, dict) or not isinstance(payload, str) or payload_of(block) is None:
                    continue
                if side and payload is self._values[0][node] and (node, 0) in self._pictures:
                    self._pictures[node, 1] = self._pictures[node, 0]
                else:
                    self._pictures[node, side] = picture_of(str(block.get("mimeType")), payload)

    def _key(self, token: str, shape: object) -> str:
        if self.style is OutlineStyle.JSON:
            return "" if shape is list else f'"{quoted(token)}": '
        return _tree_label(token)

    def _close(self, node: int) -> None:
        self._ends[node] = len(self._labels)
        if self.style is OutlineStyle.JSON:
            self._labels.append("")
            self._tokens.append("")
            for side in self._values:
                side.append(side[node])
            self._depths.append(self._depths[node])
            self._parents.append(node)
            self._ends.append(len(self._labels))
            self._flags.append(self._flags[node] & (_COMMA_LEFT | _COMMA_RIGHT) | _CLOSE)
            self._differences.append(self._differences[node])
            self._ends[node] = len(self._labels)

    # The rows of one node, as drawn in a width.

    def height(self, node: int, widths: tuple[int, int]) -> int:
        """The number of rows of a node at these widths in cells; 0 is the width of a side that is not drawn.

        If no drawn side has the node, it takes one row where the absence begins, and none below that.
        """
        flags = self._flags[node]
        if flags & _FLAT or (node == 0 and self.style is OutlineStyle.TREE and self._ends[0] > 1):
            return 0
        left = self._side_height(node, 0, widths[0]) if widths[0] else 0
        if not self.is_pair or not widths[1]:
            return left
        commas = flags & (_COMMA_LEFT | _COMMA_RIGHT)
        is_same = self._values[0][node] is self._values[1][node] and commas in {0, _COMMA_LEFT | _COMMA_RIGHT}
        if not is_same or widths[0] != widths[1]:
            left = max(left, self._side_height(node, 1, widths[1]))
        return left or int(self.begins_absence(node))

    def heights(self, widths: tuple[int, int]) -> "array[int]":
        """The height of each node."""
        width = widths[0]
        is_one = not self.is_pair or not widths[1]
        is_even = is_one or width == widths[1]
        heights = array("L", (self.height(0, widths),))
        nodes = zip(self._labels, *self._values, self._depths, self._flags, strict=True)
        for node, (label, left, right, depth, flags) in enumerate(islice(nodes, 1, None), 1):
            # Most nodes are the same on both sides, with a short label and a short value.
            is_quick = is_even and not flags & _SLOW and (is_one or left is right) and label.isascii()
            if is_quick and _is_short(left, width - INDENT * depth - len(label)):
                heights.append(1)
            else:
                heights.append(self.height(node, widths))
        return heights

    def _side_height(self, node: int, side: Side, width: int) -> int:
        value = self._values[side][node]
        if value is ABSENT:
            return 0
        label = self._label_on(node, side)
        room = width - INDENT * self._depths[node]
        if (
            label.isascii()
            and not self._flags[node] & (_PICTURE | _CLOSE)
            and _is_short(value, room - len(label))
        ):
            return 1
        text = self._side(node, side, width)
        return text.count if text else 0

    def _label_on(self, node: int, side: Side) -> str:
        label = self._labels[node]
        if not side or not self._flags[node] & _MOVED:
            return label
        before, index, after = label.rpartition(f"[{self._tokens[node]}]")
        return f"{before}[{self._right_indexes[node]}]{after}" if index else label

    def side_row(self, node: int, side: Side, width: int, number: int) -> list[Span]:
        """The content of row `number` of a node on one side; empty if there is no such row."""
        text = self._side(node, side, width)
        return text.row(number) if text is not None and number < text.count else []

    def row_of(self, node: int, side: Side, width: int, offset: int) -> int:
        """The number of the node's row that shows the character at `offset` of its string."""
        text = self._side(node, side, width)
        return text.row_of(offset) if text is not None else 0

    def indent(self, node: int, width: int) -> int:
        """The number of blanks in front of the rows of a node."""
        return max(min(INDENT * self._depths[node], width // 3, width - _LEAST_ROOM), 0)

    def _side(self, node: int, side: Side, width: int) -> "Drawn | None":
        """The rows of one side of a node; None if the side has no value there.

        Rows of long texts are cached.
        """
        kept = self._long.get((node, side, width))
        if kept is not None:
            return kept
        value = self._values[side][node]
        if value is ABSENT:
            return None
        flags = self._flags[node]
        comma = "," if flags & (_COMMA_RIGHT if side else _COMMA_LEFT) else ""
        indent = self.indent(node, width)
        label, separator = self._label_on(node, side), ""
        if flags & _CLOSE and _shape(value) is None:
            return None
        if flags & _CLOSE:
            label, text, kind = "", "]" if isinstance(value, list) else "}", PieceKind.PUNCTUATION
        elif _shape(value) is not None:
            opening = "[" if isinstance(value, list) else "{"
            text, kind, comma = opening if self.style is OutlineStyle.JSON else "", PieceKind.PUNCTUATION, ""
        else:
            text, kind = leaf_text(value)
            separator = _SEPARATOR if self.style is OutlineStyle.TREE and label else ""
        picture = self._pictures.get((node, side))
        is_lines = self.style is OutlineStyle.TREE and kind is PieceKind.STRING and "\n" in text
        if picture is not None:
            found = DrawnPicture(label, separator, picture, indent, width)
        elif is_lines:
            found = LinedText(label, text, indent, width)
        else:
            found = Wrapped(label, separator, text, kind, comma, indent, width)
        if found.count > _LONG:
            self._long[(node, side, width)] = found
        return found


class OutlineRows:
    """The rows of an outline at given widths, with some nodes folded.

    Built in one pass; a row is found by bisection.
    """

    def __init__(
        self,
        outline: Outline,
        widths: tuple[int, int],
        folded: frozenset[int] = frozenset(),
        heights: "array[int] | None" = None,
    ) -> None:
        """`heights`: the number of rows of each node, if already computed."""
        self.outline = outline
        self.widths = widths
        self.folded = folded
        self._heights = heights or outline.heights(widths)
        self._ends = self._accumulated()

    def _accumulated(self) -> "array[int]":
        heights = self._heights
        if self.folded:
            heights = heights[:]
            for node in self.folded:
                inside = self.outline.end(node) - node - 1
                heights[node + 1 : node + 1 + inside] = array("L", bytes(heights.itemsize * inside))
        return array("Q", accumulate(heights))

    def with_fold(self, node: int) -> "OutlineRows":
        """A copy in which `node` is folded, or unfolded if it was folded."""
        return OutlineRows(self.outline, self.widths, self.folded ^ {node}, self._heights)

    def unfolded(self, node: int) -> "OutlineRows":
        """These rows, with every fold around `node` unfolded."""
        around = set[int]()
        while (node := self.outline.parent(node)) >= 0:
            around.add(node)
        folded = self.folded - around
        return (
            self if folded == self.folded else OutlineRows(self.outline, self.widths, folded, self._heights)
        )

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def at(self, row: int) -> OutlineRow:
        """The node on a row, and the number of the row within the node. Raises IndexError."""
        if not 0 <= row < len(self):
            raise IndexError(row)
        node = bisect_right(self._ends, row)
        return OutlineRow(node=node, number=row - (self._ends[node - 1] if node else 0))

    def first(self, node: int) -> int:
        """The first row of a node.

        For a node inside a fold, the row of the fold. For a node without rows, the next row.
        """
        return min(self._ends[node - 1] if node else 0, max(len(self) - 1, 0))


def _with_commas(below: list[_Item]) -> None:
    """Set the flag for a comma after every member of each side but its last."""
    seen = [False, False]
    for index in range(len(below) - 1, -1, -1):
        name, token, one, other, depth, parent, flags = below[index]
        for side, value, comma in ((0, one, _COMMA_LEFT), (1, other, _COMMA_RIGHT)):
            if value is not ABSENT:
                flags |= comma if seen[side] else 0
                seen[side] = True
        below[index] = (name, token, one, other, depth, parent, flags)


def _pad(below: list[_Item]) -> None:
    """Pad short labels of one object, so that values begin in one column."""
    lengths = [len(item[0]) for item in below if len(item[0]) <= _PAD_MOST and item[0].isascii()]
    if len(lengths) < 2:
        return
    width = max(lengths)
    for index, item in enumerate(below):
        value = item[2] if item[2] is not ABSENT else item[3]
        if not (_is_container(value) and _size(value)) and len(item[0]) < width and item[0].isascii():
            below[index] = (item[0].ljust(width), *item[1:])


def _members(one: Value, other: Value) -> Iterator[tuple[str, Value, Value]]:
    """Yield the members of a container, or of two of one type: token, left, right.

    Each side keeps its order.
    """
    if one is other or other is ABSENT:
        both = one is other
        for token, value in _pairs(one):
            yield token, value, value if both else ABSENT
    elif one is ABSENT:
        for token, value in _pairs(other):
            yield token, ABSENT, value
    else:
        yield from _merged(list(_pairs(one)), list(_pairs(other)))


def _is_short(value: Value, room: int) -> bool:
    """True if a value is sure to fit into one row with `room` cells after its label."""
    kind = type(value)
    if kind is str:
        text = cast("str", value)
        return 5 + 2 * len(text) <= room and text.isascii() and text.isprintable()
    return room >= _NUMBER_ROOM and (
        kind in _ONE_ROW or (kind is int and cast("int", value).bit_length() < 64)
    )


def _pairs(value: Value) -> Iterable[tuple[str, Json]]:
    match value:
        case dict():
            return value.items()
        case list():
            return ((str(index), item) for index, item in enumerate(value))
        case DuplicateKeys():
            return value.pairs
        case _:
            return ()


def _covers(blocks: BlockPairs, one: list[Json], other: list[Json]) -> bool:
    """True if pairs name every item of both lists."""
    return [a for a, _ in blocks if a != GAP] == [*range(len(one))] and [
        b for _, b in blocks if b != GAP
    ] == [*range(len(other))]


def _paired(
    pairs: Iterable[tuple[int, int]], one: list[Json], other: list[Json]
) -> Iterator[tuple[str, Value, Value]]:
    for a, b in pairs:
        yield str(b if a == GAP else a), ABSENT if a == GAP else one[a], ABSENT if b == GAP else other[b]


def _items(one: list[Json], other: list[Json]) -> Iterator[tuple[str, Value, Value]]:
    if len(one) == len(other) or max(len(one), len(other)) > _ALIGNED:
        for index, (left, right) in enumerate(zip_longest(one, other, fillvalue=ABSENT)):
            yield str(index), left, right
        return
    rows = align(
        [dump_text(item) for item in one],
        [dump_text(item) for item in other],
        lambda a, b: _shape(one[a]) is not None and _shape(one[a]) == _shape(other[b]),
    )
    yield from _paired(zip(rows.left, rows.right, strict=True), one, other)


def _merged(
    left: list[tuple[str, Json]], right: list[tuple[str, Json]]
) -> Iterator[tuple[str, Value, Value]]:
    """Yield the members of both sides by key, each side in its own order.

    A key that moved is yielded twice.
    """
    there = {key for key, _ in right}
    here = {key for key, _ in left}
    a = b = 0
    while a < len(left) or b < len(right):
        if a < len(left) and b < len(right) and left[a][0] == right[b][0]:
            yield left[a][0], left[a][1], right[b][1]
            a, b = a + 1, b + 1
        elif a < len(left) and (left[a][0] not in there or b == len(right)):
            yield left[a][0], left[a][1], ABSENT
            a += 1
        elif right[b][0] not in here or a == len(left):
            yield right[b][0], ABSENT, right[b][1]
            b += 1
        else:
            yield left[a][0], left[a][1], ABSENT
            a += 1


def _shape(value: Value) -> type[dict[str, Json]] | type[list[Json]] | None:
    """The kind of a container with members; None for any other value."""
    match value:
        case dict() if value:
            return dict
        case DuplicateKeys():
            return dict
        case list() if value:
            return list
        case _:
            return None


def _kind(value: Value) -> type[dict[str, Json]] | type[list[Json]] | None:
    """The kind of a container, empty or not; None for a scalar."""
    match value:
        case dict() | DuplicateKeys():
            return dict
        case list():
            return list
        case _:
            return None


def _is_container(value: Value) -> bool:
    return isinstance(value, (dict, list, DuplicateKeys))


def _size(value: Value) -> int:
    if isinstance(value, DuplicateKeys):
        return len(value.pairs)
    return len(value) if isinstance(value, (dict, list)) else 0


def _same(one: Value, other: Value) -> bool:
    if one is ABSENT or other is ABSENT:
        return one is other
    if type(one) is str or type(other) is str:
        return one == other
    return equal(one, other)


def _block_texts(one: Value, other: Value) -> tuple[Value, Value] | None:
    """The texts of text blocks that have no other members; None if a side is a different value."""
    found: list[Value] = []
    for value in (one, other):
        if value is ABSENT:
            found.append(ABSENT)
        elif isinstance(value, dict) and value.keys() == {"type", TEXT} and value["type"] == TEXT:
            text = value[TEXT]
            if not isinstance(text, str):
                return None
            found.append(text)
        else:
            return None
    return found[0], found[1] if one is not other else found[0]


def _opened(one: Value, other: Value) -> tuple[Value, Value] | None:
    """Both texts parsed as JSON; None if either is not a JSON container, or if their kinds differ."""
    first = ABSENT if one is ABSENT else _filled(one)
    second = first if one is other else ABSENT if other is ABSENT else _filled(other)
    if first is None or second is None:
        return None
    if first is not ABSENT and second is not ABSENT and _shape(first) != _shape(second):
        return None
    return first, second


def _filled(text: Json) -> Json:
    """A text parsed as a JSON container with members; None if it is not one."""
    found = opened(text)
    return found if found is not None and _shape(found) else None


@lru_cache(maxsize=4096)
def _tree_label(key: str) -> str:
    return key if _PLAIN_KEY.fullmatch(key) else f'"{quoted(key)}"'


def _record_labels(keys: tuple[str, ...]) -> tuple[str, ...] | None:
    """The padded labels of an object of scalars; None if a value may be a picture or JSON in a text."""
    labels = [_tree_label(key) for key in keys[:_MOST_KEYS]]
    if not 0 < len(keys) <= _MOST_KEYS or "mimeType" in keys or any(label.endswith(TEXT) for label in labels):
        return None
    below: list[_Item] = [(label, "", None, None, 0, 0, 0) for label in labels]
    _pad(below)
    return tuple(item[0] for item in below)


def _scalar_difference(one: Json, other: Value) -> int:
    if one is other:
        return 0
    return 1 if other is ABSENT else 0 if _same(one, other) else 2


def leaf_text(value: Json) -> tuple[str, PieceKind]:
    """The text of a scalar or an empty container, and its kind.

    A string is returned as sent, without quotes.
    """
    match value:
        case str():
            return value, PieceKind.STRING
        case list():
            return "[]", PieceKind.PUNCTUATION
        case dict() | DuplicateKeys():
            return "{}", PieceKind.PUNCTUATION
        case _:
            return scalar_text(value), PieceKind.SCALAR
