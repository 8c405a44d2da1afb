"""The badges of tools: words such as `write` or `untrusted`, concluded from claims. Computed in a thread."""

from collections.abc import Callable
from itertools import islice
from typing import TypeAlias

from textual.content import Content
from textual.screen import Screen

from inspector.claims.claim import TraitName
from inspector.claims.traits import Badge, Traits, badges, traits_of_tool
from inspector.protocol.catalogue import Tool
from inspector.tui.catalogue.marks import FAINT, Mark, RowMarks
from inspector.tui.runtime.latest import Latest
from inspector.tui.text import content, shortened

_STYLES = {
    Badge.READ: "$text-success",
    Badge.WRITE: "$text-warning",
    Badge.DESTRUCTIVE: "bold $text-error",
    Badge.EXTERNAL: "$text-warning",
    Badge.SENSITIVE: "bold $text-accent",
    Badge.UNTRUSTED: "bold $text-warning",
    Badge.CONFIRM: "bold $text-primary",
    Badge.MALICIOUS: "bold reverse $text-error",
}

_LONG = 60


def marks_of(tool: Tool) -> RowMarks:
    """The marks of a tool: its badges, concluded from the claims in its definition."""
    return row_marks(traits_of_tool(tool))


def row_marks(found: Traits) -> RowMarks:
    """The badges of a tool for its row, each as a word and as a short word."""
    return RowMarks(
        badges=tuple(
            Mark(words=_word(badge), short=Content.styled(str(badge), _STYLES[badge]))
            for badge in badges(found)
        )
    )


def words(found: Traits) -> Content:
    """Every badge as a word, or a text that the tool has no badges."""
    earned = badges(found)
    if not earned:
        return Content.styled("no badges", FAINT)
    return Content.styled(" · ", FAINT).join(map(_word, earned))


def searched_words(tool: Tool) -> str:
    """The badges of a tool as the filter finds them: each as a word and as a short word, in lower case."""
    return " ".join(f"{_SEARCHED.get(badge, badge.word)} {badge}" for badge in badges(traits_of_tool(tool)))


_SEARCHED = {Badge.READ: "read-only"}


def _word(badge: Badge) -> Content:
    return Content.styled(badge.word, _STYLES[badge])


_TITLES = {TraitName.SENSITIVE: "wholly sensitive"}
"""Titles for traits whose names are also names of badges with another meaning.

A tool also has the badge `sensitive` if only some of its values are sensitive.
"""


def trait_lines(found: Traits) -> tuple[Content, ...]:
    """A line for each trait that has a value, with the number of claims for and against the value."""
    lines: list[Content] = []
    for name in TraitName:
        trait = found.trait(name)
        if trait.value is None or trait.value == ():
            continue
        how = "default, not declared" if trait.defaulted else f"claims for it: {len(trait.claims_for)}"
        against = f", against it: {len(trait.claims_against)}" if trait.claims_against else ""
        lines.append(
            Content.assemble(
                (f"{_TITLES.get(name, name.value):<19} ", FAINT),
                content(shortened(_value(trait.value), _LONG), "" if trait.defaulted else "bold"),
                (f"  ({'set by you' if trait.overridden else how}{against})", FAINT),
            )
        )
    return tuple(lines)


def _value(value: bool | str | tuple[str, ...]) -> str:  # noqa: FBT001 - a trait's value is data
    match value:
        case bool():
            return "yes" if value else "no"
        case str():
            return value
        case _:
            return ", ".join(value)


_Marked: TypeAlias = tuple[tuple[Tool, RowMarks], ...]

_AT_ONCE = 200
"""The maximum number of tools whose badges are computed together. A screen shows fewer."""

_KEPT = 2_000
"""The maximum number of tools whose badges are cached."""

_NOT_YET = RowMarks()

_FAULT = Content.styled("!", "bold $text-error")
_NEVER = RowMarks(badges=(Mark(words=_FAULT, short=_FAULT),))


class BadgeLoader:
    """Computes the badges of visible catalogue rows in a thread; drawing a row only looks them up."""

    def __init__(self, screen: Screen[None], changed: Callable[[], None]) -> None:
        """`changed`: called when the badges of more tools are known, so that the rows are redrawn."""
        self._screen = screen
        self._changed = changed
        self._known: dict[int, tuple[Tool, RowMarks]] = {}
        """The known badges by the `id` of the tool.

        The tool is kept as well, so that no other tool gets the same `id`.
        """
        self._wanted: dict[int, Tool] = {}
        self._marks = Latest(screen, badge_marks, self._take, self._could_not, self._keep)

    def of(self, tool: Tool) -> RowMarks:
        """The marks of a tool; empty while they are being computed."""
        known = self._known.get(id(tool))
        if known is not None:
            return known[1]
        if not self._wanted:
            self._screen.call_later(self._ask)
        self._wanted[id(tool)] = tool
        return _NOT_YET

    def _ask(self) -> None:
        # The last tools asked for are on the screen now. A row that is left out asks again when it is drawn.
        wanted = [tool for key, tool in self._wanted.items() if key not in self._known]
        self._wanted.clear()
        if wanted:
            self._marks.ask(tuple(wanted[-_AT_ONCE:]))

    def _take(self, asked: tuple[Tool, ...], made: _Marked) -> None:
        del asked
        self._keep(made)
        self._changed()

    def _keep(self, made: _Marked) -> None:
        self._known.update((id(tool), (tool, marks)) for tool, marks in made)
        for oldest in tuple(islice(self._known, max(0, len(self._known) - _KEPT))):
            del self._known[oldest]

    def _could_not(self, asked: tuple[Tool, ...], error: BaseException) -> None:
        words = f"No badges for some tools ({type(error).__name__}): a defect of Sightline. Their rows show !"
        self._screen.notify(words, severity="error", markup=False)
        self._take(asked, tuple((tool, _NEVER) for tool in asked))


def badge_marks(tools: tuple[Tool, ...]) -> tuple[tuple[Tool, RowMarks], ...]:
    """Each tool with its marks. Blocks: call it in a thread."""
    return tuple((tool, marks_of(tool)) for tool in tools)
