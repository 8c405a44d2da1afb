"""An outline of one JSON value, or of two side by side: its nodes, their rows, and the text of each row."""

import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, StrEnum
from itertools import chain, repeat
from operator import is_
from typing import TypeAlias

from inspector.json import pointer as json_pointer
from inspector.json.exact import Json
from inspector.json.opened import TEXT
from inspector.tui.values.alignment import GAP
from inspector.tui.values.blocks import BlockPairs, paired_blocks
from inspector.tui.values.fitting import are_short, is_short
from inspector.tui.values.labels import Item, pad, record_labels, tree_label
from inspector.tui.values.picture import MOST_PICTURES, DrawnPicture, Picture, mime_of, payload_of, picture_of
from inspector.tui.values.runs import (
    CONTAINERS,
    LEAST_RUN,
    RecordRun,
    Records,
    column_of,
    records_at,
    scalar_difference,
)
from inspector.tui.values.sides import (
    ABSENT,
    Side,
    Value,
    are_by_index,
    covers,
    items,
    kind_of,
    members,
    paired,
    same,
    shape_of,
)
from inspector.tui.values.texts import block_texts, leaf_text, may_be_opened, opened_texts
from inspector.tui.values.wrap import LEAST, LinedText, PieceKind, Span, Wrapped, is_plain, plain_rows, quoted


class OutlineStyle(StrEnum):
    """The notation in which values are written."""

    TREE = "tree"
    """A key and a value on each row, without brackets.

    JSON in the text of a content block is parsed and shown as nodes.
    """
    JSON = "JSON"
    """Indented JSON, with brackets and commas."""


Drawn: TypeAlias = Wrapped | LinedText | DrawnPicture


@dataclass(slots=True, kw_only=True)
class _Rest:
    """The items of a list that are not built yet."""

    parent: int
    label: str
    """The label of the list. The labels of its items begin with it: `content` in `content[0]`."""
    one: list[Json]
    other: Value
    """The list on the right side: the same object as `one`, another list of the same length, or ABSENT."""
    at: int
    """The index of the first item that is not built yet."""
    depth: int
    flags: int


Spot: TypeAlias = tuple[tuple[str, bool], ...]
"""The path from the root to a node: for each step, its token, and whether the left side has a value there.

A pointer does not suffice, because all nodes within JSON in a text have the pointer of the text, and because
two content blocks, one on each side, may have the same index.
"""

_Waiting: TypeAlias = list["Item | _Rest | int"]
"""A stack of what is still to be built. An `int` is a node to be closed, once all its members are built."""


INDENT = 2
_LEAST_ROOM = LEAST + 4 + 3
"""The minimum width of a row in cells, without its indentation.

It is enough for the widest character, the sign of a continued text, quotes and a comma.
"""
_SEPARATOR = "  "
_LONG = 40
"""The number of rows above which the breaks of a text are cached."""
_BLOCK = "content["
"""The beginning of the labels of content blocks."""


class SideDifference(Enum):
    """The difference between the two sides of a node. The value is the sign that is drawn."""

    NONE = " "
    LEFT = "✗"
    """Only the left side has the value."""
    CHANGED = "~"
    RIGHT = "+"
    """Only the right side has the value."""
    REACHES = "!"
    """Both sides have the value, but the right side should not.

    Comes from `Remarks`, not from comparing the values.
    """
    QUIET = "·"
    """Protocol metadata, which only the left side has. Comes from `Remarks`, not from comparing the values."""
    BROKEN = "≠"
    """The value breaks the output schema. Comes from `Remarks`, not from comparing the values."""
    UNDESCRIBED = "?"
    """Both sides have the value, which the output schema does not describe. Comes from `Remarks`."""
    TO_MODEL = "@"
    """Both sides have the value, which the review finds to address the model. Comes from `Remarks`."""


_DIFFERENCES = (SideDifference.NONE, SideDifference.LEFT, SideDifference.CHANGED, SideDifference.RIGHT)
_FLAT, _OPENED, _TOP, _CLOSE, _COMMA_LEFT, _COMMA_RIGHT, _PICTURE, _MOVED = 1, 2, 4, 8, 16, 32, 64, 128
_NOT_ZERO = re.compile(rb"[^\x00]")
_SLOW = ~(_TOP | _COMMA_LEFT | _COMMA_RIGHT)
"""The flags of nodes whose height does not follow from the label and the value alone."""


class Outline:
    """The nodes of one value or of two, in the order in which they are drawn. Strings are kept whole.

    `right`: the other value; ABSENT for an outline of one value. `left`: ABSENT if only the right side has a
    value. `blocks`: which content blocks of the two values share a row; None to pair blocks by their words.
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
        """The indexes on the right side of the items that have another index there.

        The keys are the node of the list and the token of the item.
        """
        self._right_indexes: dict[int, int] = {}
        """The indexes on the right side of the items that have another index there, by node."""
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
        """The last token of the pointer, by node: `text` for a content block that is shown as its text."""
        self._long: dict[tuple[int, int, int], Drawn] = {}
        self._record_labels: dict[tuple[str, ...], tuple[str, ...] | None] = {}
        """The labels of objects of scalars, by their keys."""
        self._runs: list[RecordRun] = []
        """The runs of objects that were built at once, in order."""
        self._picture_nodes: list[int] = []
        self._pictures: dict[tuple[int, int], Picture] = {}
        """The decoded pictures, by node and side."""
        self._build(left, right)
        self._decode_pictures()
        different = (found.start() for found in _NOT_ZERO.finditer(self._differences))
        self.tops: tuple[int, ...] = tuple(node for node in different if self._flags[node] & _TOP)
        """The outermost nodes at which the sides differ, in order."""

    def __len__(self) -> int:
        return len(self._labels)

    # Nodes.

    def pointer(self, node: int) -> str:
        """The JSON pointer to a node.

        All nodes within JSON that was parsed from a text have the pointer of the text.
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

    def spot(self, node: int) -> Spot:
        """The place of a node, by which `nearest` finds its value in another outline of the same result."""
        steps: list[tuple[str, bool]] = []
        while node > 0:
            steps.append((self._tokens[node], self._values[0][node] is not ABSENT))
            node = self._parents[node]
        return tuple(reversed(steps))

    def nearest(self, spot: Spot) -> int:
        """The node at a spot; if its value is gone, the nearest node around it."""
        node = 0
        for token, is_left in spot:
            below = [child for child in self.children(node) if self._tokens[child] == token]
            if not below:
                break
            node = next(
                (child for child in below if (self._values[0][child] is not ABSENT) is is_left), below[0]
            )
        return node

    def node_at(self, pointer: str) -> int | None:
        """The node at a pointer, or the nearest node around it; None if `pointer` is not a JSON pointer."""
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

    def label(self, node: int, side: Side = 0) -> str:
        """The key or index of a node, safe to show.

        On the right side, a content block may have another index.
        """
        label = self._labels[node]
        if not side or not self._flags[node] & _MOVED:
            return label
        before, index, after = label.rpartition(f"[{self._tokens[node]}]")
        return f"{before}[{self._right_indexes[node]}]{after}" if index else label

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
        waiting: _Waiting = [("", "", left, right, 0, -1, _TOP)]
        while waiting:
            item = waiting.pop()
            if isinstance(item, int):
                self._close(item)
                continue
            if isinstance(item, _Rest):
                self._add_items(waiting, item)
                continue
            if self._moved:
                item = self._with_index(item)
            if self.style is OutlineStyle.TREE and self._add_record(item):
                continue
            label, token, one, other, depth, parent, flags = item
            if (
                one is not ABSENT
                and other is not ABSENT
                and one is not other
                and kind_of(one) != kind_of(other)
            ):
                waiting.append((label, token, ABSENT, other, depth, parent, flags))
                waiting.append((label, token, one, ABSENT, depth, parent, flags & ~_COMMA_RIGHT))
                continue
            self._add(waiting, item)
        if self.style is OutlineStyle.JSON:
            self._ends[0] = len(self._labels)

    def _with_index(self, item: Item) -> Item:
        """An item, flagged if its index on the right side differs from that on the left side."""
        label, token, one, other, depth, parent, flags = item
        index = self._moved.get((parent, token))
        # If the values of an item differ in kind, each has a node of its own, and the flag is set already.
        if index is None or (not flags & _MOVED and (one is ABSENT or other is ABSENT)):
            return item
        self._right_indexes[len(self._labels)] = index
        return label, token, one, other, depth, parent, flags | _MOVED

    def _add_record(self, item: Item) -> bool:
        """Add an object of scalars and its members at once; return False for any other value.

        This takes a third of the time of adding them one by one.
        """
        label, token, one, other, depth, parent, flags = item
        if type(one) is not dict or parent < 0 or not CONTAINERS.isdisjoint(map(type, one.values())):
            return False
        labels = self._labels_of(tuple(one))
        if labels is None:
            return False
        count, node = len(one), len(self._labels)
        is_absent = self.is_pair and other is ABSENT
        if other is one or other is ABSENT:
            rights: Iterable[Value] = one.values() if other is one else repeat(ABSENT, count)
            differences = bytes((is_absent,)) * count
        elif type(other) is dict and [key for key in one if key in other] == list(other):
            rights = [other.get(key, ABSENT) for key in one]
            if not CONTAINERS.isdisjoint(map(type, rights)):
                return False
            differences = bytes(map(scalar_difference, one.values(), rights))
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

    def _labels_of(self, keys: tuple[str, ...]) -> tuple[str, ...] | None:
        if keys not in self._record_labels:
            self._record_labels[keys] = record_labels(keys)
        return self._record_labels[keys]

    def _add_items(self, waiting: _Waiting, rest: _Rest) -> None:
        """Continue to build the items of a list, from the index `rest.at`.

        If a run of objects begins at that index, the whole run is built at once. Otherwise the next items, at
        most `LEAST_RUN`, are put on the stack `waiting`, to be built one by one. If the list has more items,
        `rest` is put back on the stack, below these items.
        """
        records = records_at(rest.one, rest.other, rest.at, lambda keys: self._labels_of(keys) is not None)
        if records is not None:
            self._add_run(rest, records)
            rest.at += len(records.left)
        stop = min(rest.at + LEAST_RUN if records is None else rest.at, len(rest.one))
        others = rest.other if isinstance(rest.other, list) else None
        below: list[Item] = [
            (
                f"{rest.label}[{index}]",
                str(index),
                rest.one[index],
                ABSENT if others is None else others[index],
                rest.depth,
                rest.parent,
                rest.flags,
            )
            for index in range(rest.at, stop)
        ]
        rest.at = stop
        if stop < len(rest.one):
            waiting.append(rest)
        waiting.extend(reversed(below))

    def _add_run(self, rest: _Rest, records: Records) -> None:
        """Build a run of objects of scalars at once, which takes less time than to build them one by one."""
        labels, keys = self._labels_of(records.keys) or (), records.keys
        first, count, size = len(self._labels), len(records.left), len(keys) + 1
        run = RecordRun(first=first, count=count, members=len(keys))
        indexes = [str(index) for index in range(rest.at, rest.at + count)]
        names = [f"{rest.label}[{index}]" for index in indexes]
        self._labels.extend(chain.from_iterable(zip(names, *map(repeat, labels), strict=False)))
        self._tokens.extend(chain.from_iterable(zip(indexes, *map(repeat, keys), strict=False)))
        self._values[0].extend(records.lefts)
        self._values[1].extend(self._values[0][first:] if records.is_same else records.rights)
        depth = min(rest.depth, 65_535)
        self._depths.extend(array("H", (depth, *repeat(min(depth + 1, 65_535), len(keys)))) * count)
        nodes = range(first, run.end, size)
        self._parents.extend(
            chain.from_iterable(zip(repeat(rest.parent), *repeat(nodes, len(keys)), strict=False))
        )
        ends = (range(first + at + 1, run.end + 1, size) for at in (len(keys), *range(1, size)))
        self._ends.extend(chain.from_iterable(zip(*ends, strict=True)))
        is_absent = self.is_pair and records.right is None and not records.is_same
        self._flags += bytes((rest.flags, *repeat(0 if is_absent else _TOP, len(keys)))) * count
        self._differences += records.differences(is_pair=self.is_pair)
        self._runs.append(run)

    def _add(self, waiting: _Waiting, item: Item) -> None:
        if self.style is OutlineStyle.TREE:
            item = self._with_text(item)
        label, token, one, other, depth, parent, flags = item
        node, shape = len(self._labels), shape_of(one) or shape_of(other)
        is_list = shape is list and self.style is OutlineStyle.TREE
        if is_list:
            flags |= _FLAT
        difference = self._difference(one, other, is_leaf=shape is None)
        self._labels.append(label)
        self._tokens.append(token)
        self._values[0].append(one)
        self._values[1].append(other)
        self._depths.append(min(depth, 65_535))
        self._parents.append(parent)
        self._ends.append(node + 1)
        self._flags.append(flags)
        self._differences.append(difference)
        if flags & _PICTURE:
            self._picture_nodes.append(node)
        if shape is None:
            return
        waiting.append(node)
        is_root = parent < 0
        inner = depth if is_list or (is_root and self.style is OutlineStyle.TREE) else depth + 1
        # A list has no row of its own, so a difference that begins at it begins at its first item.
        inherits = flags & _TOP if is_list and difference else 0
        tops = 0 if difference else _TOP
        if is_list and isinstance(one, list) and are_by_index(one, other):
            rest = _Rest(parent=node, label=label, one=one, other=other, at=0, depth=inner, flags=tops)
            waiting.append(rest)
            if inherits:
                rest.at = 1
                waiting.append((f"{label}[0]", "0", one[0], ABSENT, inner, node, inherits))
            return
        below: list[Item] = []
        picture = self._picture_key(one, other)
        for token_, one_, other_ in self._members(node, one, other):
            name = f"{label}[{token_}]" if is_list else self._key(token_, shape)
            top = (tops or (inherits if not below else 0)) | (_PICTURE if token_ == picture else 0)
            below.append((name, token_, one_, other_, inner, node, top))
        if self.style is OutlineStyle.JSON:
            _with_commas(below)
        elif shape is not list:
            pad(below)
        waiting.extend(reversed(below))

    def _with_text(self, item: Item) -> Item:
        """An item whose text is shown in place of its block, or whose JSON is shown in place of its text.

        A text block is replaced by its text if it has no other members. A text that is JSON is replaced by
        the parsed JSON. Other items are returned unchanged.
        """
        label, token, one, other, depth, parent, flags = item
        texts = block_texts(one, other) if label.startswith(_BLOCK) else None
        if texts is not None:
            one, other = texts
            label = f"{label} {TEXT}"
            self._suffixes[len(self._labels)] = TEXT
        pair = opened_texts(one, other) if may_be_opened(label) and parent >= 0 else None
        if pair is not None:
            one, other = pair
            flags |= _OPENED
            label = f"{label.rstrip()}, JSON"
        return label, token, one, other, depth, parent, flags

    def _difference(self, one: Value, other: Value, *, is_leaf: bool) -> int:
        if not self.is_pair or one is other:
            return 0
        if other is ABSENT:
            return 1
        if one is ABSENT:
            return 3
        return 2 if is_leaf and not same(one, other) else 0

    def _members(self, node: int, one: Value, other: Value) -> Iterator[tuple[str, Value, Value]]:
        """Yield the members of a container: token, left, right."""
        if one is other or not isinstance(one, list) or not isinstance(other, list):
            return members(one, other)
        is_content = self._parents[node] == 0 and self._tokens[node] == "content"
        blocks = self._blocks if is_content else None
        if blocks is None or not covers(blocks, one, other):
            blocks = paired_blocks(one, other)
        if blocks is None:
            return items(one, other)
        if self.style is OutlineStyle.TREE:
            self._moved.update({(node, str(a)): b for a, b in blocks if a != b and GAP not in {a, b}})
        return paired(blocks, one, other)

    def _picture_key(self, one: Value, other: Value) -> str | None:
        return (payload_of(one) or payload_of(other)) if self.style is OutlineStyle.TREE else None

    def _decode_pictures(self) -> None:
        """Decode the pictures now.

        The outline is built in a thread, but its rows are made on the event loop, which decoding would block.
        """
        for node in self._picture_nodes[:MOST_PICTURES]:
            parent = self._parents[node]
            for side in (0, 1):
                block, payload = self._values[side][parent], self._values[side][node]
                if not isinstance(block, dict) or not isinstance(payload, str) or payload_of(block) is None:
                    continue
                if side and payload is self._values[0][node] and (node, 0) in self._pictures:
                    self._pictures[node, 1] = self._pictures[node, 0]
                else:
                    self._pictures[node, side] = picture_of(mime_of(block), payload)

    def _key(self, token: str, shape: object) -> str:
        if self.style is OutlineStyle.JSON:
            return "" if shape is list else f'"{quoted(token)}": '
        return tree_label(token)

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

        If no drawn side has the node, it takes one row if it is the outermost absent node, otherwise no row.
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
        """The number of rows of each node at these widths, as `height` returns it."""
        heights = array("L")
        for run in self._runs:
            self._add_heights(heights, run.first, widths)
            heights.extend(repeat(1, run.count * run.size))
            for member in range(run.size):
                self._set_heights(heights, run, member, widths)
        self._add_heights(heights, len(self), widths)
        return heights

    def _add_heights(self, heights: "array[int]", end: int, widths: tuple[int, int]) -> None:
        """Add the heights of the nodes up to `end`, one by one."""
        is_one = not self.is_pair or not widths[1]
        width = widths[0] if is_one else min(widths)
        start = len(heights)
        columns = (self._labels, *self._values, self._depths, self._flags)
        nodes = zip(*(column[start:end] for column in columns), strict=True)
        for node, (label, left, right, depth, flags) in enumerate(nodes, start):
            # Most nodes are the same on both sides, with a short label and a short value.
            is_quick = node and not flags & _SLOW and (is_one or left is right) and label.isascii()
            if is_quick and is_short(left, width - INDENT * depth - len(label)):
                heights.append(1)
            else:
                heights.append(self.height(node, widths))

    def _set_heights(
        self, heights: "array[int]", run: RecordRun, member: int, widths: tuple[int, int]
    ) -> None:
        """Set the heights of one member of all objects of a run, where they are not 1."""
        left = self._column(run, member, 0, widths[0]) if widths[0] else repeat(0, run.count)
        found = left
        if self.is_pair and widths[1]:
            one, other = (column_of(values, run, member) for values in self._values)
            if widths[0] != widths[1] or not all(map(is_, one, other)):
                right = self._column(run, member, 1, widths[1])
                if left is not None or right is not None:
                    found = map(max, left or repeat(1), right or repeat(1))
        if found is None:
            return
        nodes = range(run.first + member, run.end, run.size)
        for node, height in zip(nodes, found, strict=True):
            heights[node] = height or int(self.begins_absence(node))

    def _column(self, run: RecordRun, member: int, side: Side, width: int) -> "Iterable[int] | None":
        """The heights of one member of all objects of a run on one side; None if all of them are 1."""
        values, first = column_of(self._values[side], run, member), run.first + member
        if values[0] is ABSENT:
            return repeat(0, run.count)
        # The last object has the longest index.
        label = self._labels[first + run.size * (run.count - 1)]
        if label.isascii() and are_short(values, width - INDENT * self._depths[first] - len(label)):
            return None
        known: dict[str, int] = {}
        heights: list[int] = []
        for node, value in zip(range(first, run.end, run.size), values, strict=True):
            if type(value) is not str:
                heights.append(self._side_height(node, side, width))
                continue
            height = known.get(value)
            if height is None:
                height = known[value] = self._side_height(node, side, width)
            heights.append(height)
        return heights

    def _side_height(self, node: int, side: Side, width: int) -> int:
        value = self._values[side][node]
        if value is ABSENT:
            return 0
        label, flags = self.label(node, side), self._flags[node]
        room = width - INDENT * self._depths[node]
        if label.isascii() and not flags & (_PICTURE | _CLOSE) and is_short(value, room - len(label)):
            return 1
        if type(value) is str and label.isascii() and not flags & (_PICTURE | _CLOSE) and is_plain(value):
            comma = 1 if flags & (_COMMA_RIGHT if side else _COMMA_LEFT) else 0
            separator = len(_SEPARATOR) if self.style is OutlineStyle.TREE and label else 0
            rows = plain_rows(len(label) + separator, value, comma, width - self.indent(node, width))
            if rows:
                return rows
        text = self._side(node, side, width)
        return text.count if text else 0

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
        label, separator = self.label(node, side), ""
        if flags & _CLOSE and shape_of(value) is None:
            return None
        if flags & _CLOSE:
            label, text, kind = "", "]" if isinstance(value, list) else "}", PieceKind.PUNCTUATION
        elif shape_of(value) is not None:
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


def _with_commas(below: list[Item]) -> None:
    """Set the comma flag of each side on all members but the last one that the side has."""
    seen = [False, False]
    for index in range(len(below) - 1, -1, -1):
        name, token, one, other, depth, parent, flags = below[index]
        for side, value, comma in ((0, one, _COMMA_LEFT), (1, other, _COMMA_RIGHT)):
            if value is not ABSENT:
                flags |= comma if seen[side] else 0
                seen[side] = True
        below[index] = (name, token, one, other, depth, parent, flags)
