"""The rows of an outline at given widths."""

from array import array
from bisect import bisect_right
from itertools import accumulate

from msgspec import Struct

from inspector.tui.values.outline import Outline


class OutlineRow(Struct, frozen=True, kw_only=True):
    """A row of the outline: a node, and the number of the row within the node."""

    node: int
    number: int
    """The number of the row within the node, from 0."""


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
        """A copy of these rows in which every folded node around `node` is unfolded."""
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

        For a node inside a folded node, this is the row of the folded node. For a node without rows, the next
        row.
        """
        return min(self._ends[node - 1] if node else 0, max(len(self) - 1, 0))
