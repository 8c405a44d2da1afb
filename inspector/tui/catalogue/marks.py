"""The marks of a tool in the catalogue (badges and others), and how they are shortened to fit a row."""

from functools import cached_property

from msgspec import Struct
from textual.content import Content

FAINT = "$foreground 70%"
_NOTHING = Content("")
_BETWEEN = Content.styled(" · ", FAINT)


class Mark(Struct, frozen=True, kw_only=True):
    """One mark of a tool, in words and in a short form."""

    words: Content = _NOTHING
    short: Content = _NOTHING
    explained: Content | None = None
    """The words for the legend; None if the legend has the same words as the row."""

    @property
    def legend(self) -> Content:
        return self.words if self.explained is None else self.explained


class FittedMarks(Struct, frozen=True, kw_only=True):
    """The marks as they are drawn, and a legend if any of them are shortened."""

    shown: Content
    legend: Content = _NOTHING


class RowMarks(Struct, frozen=True, kw_only=True, dict=True):
    """All marks of a tool."""

    signs: tuple[Mark, ...] = ()
    """Marks other than badges and findings, such as for a changed definition. Each short form is one cell."""
    findings: Mark = Mark()
    badges: tuple[Mark, ...] = ()
    """The badges, the worst first. The short form is a short word."""

    def fitted(self, width: int) -> FittedMarks:
        """The marks that fit into `width` cells.

        As many badges as possible are words, followed by the number of the others. If no word fits, as many
        as possible are short words; if none of these fits, only their number is shown.
        """
        if self._complete.shown.cell_length <= width:
            return self._complete
        return next((each for each in self._forms if each.shown.cell_length <= width), self._hidden)

    @cached_property
    def _complete(self) -> FittedMarks:
        words = (badge.words for badge in self.badges)
        signs = (sign.words for sign in self.signs)
        return FittedMarks(shown=_joined("  ", *signs, self.findings.words, _BETWEEN.join([*words])))

    @cached_property
    def _forms(self) -> tuple[FittedMarks, ...]:
        words = [badge.words for badge in self.badges]
        signs = _joined("", *(sign.short for sign in self.signs))
        short = [badge.short for badge in self.badges]
        findings = (self.findings.words, self.findings.short)
        legend, with_short = self._legend(with_short=False), self._legend(with_short=True)
        return (
            *(
                FittedMarks(shown=_joined(" ", signs, found, _counted(words, number)), legend=legend)
                for number in range(len(words), 0, -1)
                for found in findings
            ),
            *(
                FittedMarks(
                    shown=_joined(" ", signs, found, _counted(short, number)),
                    legend=with_short if number else legend,
                )
                for number in range(len(short), -1, -1)
                for found in findings
            ),
            FittedMarks(shown=_joined(" ", signs, self.findings.short), legend=legend),
            FittedMarks(shown=self.findings.short, legend=legend),
        )

    @property
    def _hidden(self) -> FittedMarks:
        return FittedMarks(shown=_NOTHING, legend=self._legend(with_short=False))

    def _legend(self, *, with_short: bool) -> Content:
        badges = (
            _joined(" = ", each.short, each.words)
            if with_short and each.short.plain != each.words.plain
            else each.words
            for each in self.badges
        )
        parts = (*(sign.legend for sign in self.signs), self.findings.legend, *badges)
        return _BETWEEN.join([part for part in parts if part.plain])


def _counted(words: list[Content], number: int) -> Content:
    more = len(words) - number
    return _joined(" ", _BETWEEN.join(words[:number]), Content.styled(f"+{more}" if more else "", FAINT))


def _joined(between: str, *parts: Content) -> Content:
    return Content(between).join([part for part in parts if part.plain])
