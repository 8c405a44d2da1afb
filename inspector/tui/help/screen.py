"""The help screen: all keys, and the meaning of boundary, host, trust, signs and badges.

The keys that work on the screen below come first.
"""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.content import Content
from textual.screen import Screen

from inspector.tui.keys.command import Command, KeyPlace
from inspector.tui.keys.footer import KeyOffer
from inspector.tui.keys.table import COMMANDS
from inspector.tui.widgets.lines import Lines
from inspector.tui.widgets.secondary import Keys, SecondaryDialog, dialog_bindings

_KEYS_WIDTH = 9
_LEAST_WORDS = 20
_NARROW, _WIDE = "-narrow", "-wide"

_BOUNDARY = (
    "The boundary decides which parts of a result may reach a model. open withholds nothing. declared, the default, "
    "withholds what the server's declarations mark; a value without a declaration passes. closed passes only the "
    "declared, non-sensitive fields of the output schema. b changes it."
)

_HOST = (
    "The host is the program that runs the model and calls the tools. It drops, adds or rewrites parts of what the "
    "boundary passes. spec follows the specification; each other profile reproduces a real host as it was observed. "
    "h lists all of them, c compares them on a result."
)

_TRUST = (
    "The header says what the answers so far have brought to the model: sensitive since #1 says that the answer of call "
    "#1 was the first with data that is declared sensitive; untrusted, with text that others wrote; malicious, with an "
    "attack that the server reports. T shows every label."
)

_SIGNS = (
    ("▸", "the cursor, where keys act, or the open tab"),
    (
        "▹",
        "the cursor of a list without the focus; above a result: the reason for the row under the cursor",
    ),
    ("✗", "withheld: kept from the model by the boundary"),
    (
        "~",
        "changed, or not passed on, by the host; in a schema: loosened; before a tool's badges: a changed definition; between two calls: differs",
    ),
    ("+", "added: only in what the model sees; before a tool's badges: a new tool"),
    ("-", "removed: a definition or value that is gone; in a tool of a page, dropped by the browser"),
    (
        "≠",
        "wrong: a result that breaks its output schema; a claim that contradicts another, or is malformed; a definition or message that breaks MCP",
    ),
    ("·", "protocol metadata of a result, not for models; among findings: info; in the timeline: a note"),
    (
        "?",
        "unknown: not observed, or not checked; in a result: passes though the output schema does not describe it",
    ),
    ("@", "in a result: addresses the model: reads like an instruction to it, or has hidden characters"),
    ("◇ ◈", "a secret reference; ◈ one whose value Sightline holds"),
    ("→ ←", "a request to the server, a request from it"),
    ("•", "in the timeline: a notification; i a log message, e lines of stderr, % progress"),
    ("⊞ ⊟", "folded, with more below it: Space unfolds; in the timeline, ⊟ unfolded"),
    ("↪", "continues the text above; ┄ a value that is only on the other side"),
    ("§", "a decision by the policy, by you, or by Sightline for you; trust labels that a call brought"),
    (
        "!",
        "a warning: a value reaches the model unprotected; the place of a finding",
    ),
    (
        "▲3 high",
        "a tool has 3 findings of high severity; ▲3 of 5 high: it has 2 more, less severe",
    ),
    ("◆ ▲", "findings: critical, high; ■ medium, ▽ low"),
    ("» ≡", "a server, where there are several; a tool whose name another one has too"),
    ("…", "not reviewed yet"),
    ("+2", "after the badges of a tool: 2 more badges; the line below the list names them"),
    (
        "✓",
        "all is well: the output fits its schema, no host gets a withheld value; a finding that you accepted",
    ),
)

_BADGES = (
    ("malic", "malicious: the server itself says so"),
    ("untr", "untrusted: returns content that others wrote"),
    ("sens", "sensitive: its result is private, as a whole or in part"),
    ("destr", "destructive: changes or deletes what is there"),
    ("ext", "external: reaches an open world"),
    ("asks", "asks first: wants your confirmation before a call"),
    ("write", "changes something"),
    ("read", "only reads"),
)


class HelpLine(Struct, frozen=True, kw_only=True):
    """A heading, a paragraph, or a key or sign with its meaning."""

    words: str
    key: str = ""
    is_heading: bool = False

    def rows(self, width: int) -> Iterable[Content]:
        """Yield the line in rows of at most `width` cells."""
        if self.is_heading or not self.words:
            yield Content.styled(self.words, "bold $text-primary")
            return
        indent = _KEYS_WIDTH + 3 if self.key else 2
        first, *more = Content(self.words).wrap(max(width - indent, _LEAST_WORDS))
        lead = Content.styled(f"  {self.key.ljust(_KEYS_WIDTH)} " if self.key else "  ", "bold $text-accent")
        yield Content.assemble(lead, first)
        yield from (Content.assemble(" " * indent, each) for each in more)


def help_lines(here: Sequence[KeyPlace] = (), offers: Sequence[KeyOffer] = ()) -> list[HelpLine]:
    """The lines that list every key once, under the place where it works.

    The keys in `offers` come first, then those of the places in `here`.
    """
    lines: list[HelpLine] = []
    offered = {offer.command.id for offer in offers}
    if offers:
        lines += [
            HelpLine(words="Keys that work now, the most useful first", is_heading=True),
            *(_key_line(offer.command, offer.label) for offer in offers),
            HelpLine(words=""),
        ]
    for place in dict.fromkeys((*here, *KeyPlace)):
        heading = f"{place.value}  (here)" if place in here else place.value
        keys = [found for found in COMMANDS if found.place is place and found.id not in offered]
        if keys:
            lines += [
                HelpLine(words=heading, is_heading=True),
                *(_key_line(found, found.label) for found in keys),
                HelpLine(words=""),
            ]
    return lines


def _key_line(found: Command, label: str) -> HelpLine:
    return HelpLine(key=found.key, words=f"{label}: {found.tooltip}")


def legend_lines() -> list[HelpLine]:
    """The lines that explain the boundary, the host, the trust, the signs and the badges."""
    return [
        HelpLine(words="Boundary", is_heading=True),
        HelpLine(words=_BOUNDARY),
        HelpLine(words=""),
        HelpLine(words="Host", is_heading=True),
        HelpLine(words=_HOST),
        HelpLine(words=""),
        HelpLine(words="Trust", is_heading=True),
        HelpLine(words=_TRUST),
        HelpLine(words=""),
        HelpLine(words="Signs", is_heading=True),
        *(HelpLine(key=sign, words=words) for sign, words in _SIGNS),
        HelpLine(words=""),
        HelpLine(
            words="Badges of a tool: what it declares, shortened if there is little room", is_heading=True
        ),
        *(HelpLine(key=word, words=words) for word, words in _BADGES),
    ]


def places_of(screen: Screen[object]) -> list[KeyPlace]:
    """The places whose keys work on a screen now.

    The focused pane comes first; the keys of every list, and those that work everywhere, come last.
    """
    place_of = {found.id: found.place for found in COMMANDS}
    ids = (active.binding.id for active in screen.active_bindings.values())
    found = dict.fromkeys(place_of[known] for known in ids if known in place_of)
    return sorted(found, key=lambda place: (place is KeyPlace.EVERYWHERE, place is KeyPlace.LINES))


class HelpLines(Lines):
    """A list of help lines, wrapped with a hanging indent."""

    def __init__(self, name: str) -> None:
        super().__init__(id=name)
        self._lines: Sequence[HelpLine] = ()
        self._rows: list[Content] = []

    def show(self, lines: Sequence[HelpLine]) -> None:
        self._lines = lines
        self._wrap(0)

    def on_resize(self) -> None:
        self._wrap(None)

    def action_page(self, step: int) -> None:
        """Scroll by a page, wherever the cursor is on the page."""
        page = max(1, self.scrollable_content_region.height - 1)
        self.cursor = self.scroll_offset.y + (page if step > 0 else 0) + step * page

    def row(self, index: int, width: int) -> Content:
        del width
        return self._rows[index]

    def _wrap(self, cursor: int | None) -> None:
        if not self.size.width:
            # Before the first layout, the rows would be drawn in a few columns.
            return
        # The scrollbar appears once the rows are shown.
        width = self.scrollable_content_region.width - (not self.show_vertical_scrollbar)
        self._rows = [row for line in self._lines for row in line.rows(width)]
        self.show_rows(len(self._rows), cursor)


class HelpScreen(SecondaryDialog[None], inherit_bindings=False):
    """Shows keys on the left and the legend on the right; on a narrow screen, the legend below the keys."""

    BINDINGS: ClassVar[list[BindingType]] = dialog_bindings(KeyPlace.HELP)
    HORIZONTAL_BREAKPOINTS = [(0, _NARROW), (110, _WIDE)]  # noqa: RUF012 - Textual declares it so
    VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-high")]  # noqa: RUF012
    KEYS: ClassVar[Keys] = (
        ("help.back", ""),
        ("app.next", "legend"),
        ("lines.page-down", ""),
        ("app.quit-anywhere", ""),
    )

    def __init__(self, offers: Sequence[KeyOffer] = ()) -> None:
        """`offers`: the keys that work now, the most useful first."""
        super().__init__(
            Content.assemble("Sightline help", ("  All keys; those that work now come first", "not bold"))
        )
        self._offers = offers
        self._keys_list = HelpLines("help-keys")
        self._legend = HelpLines("help-legend")

    def body(self) -> ComposeResult:
        with Container(id="help-parts"):
            yield self._keys_list
            yield self._legend

    def on_mount(self) -> None:
        below = self.app.screen_stack[-2:-1]  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        self._keys_list.show(help_lines(places_of(below[0]) if below else (), self._offers))
        self._legend.show(legend_lines())
        self._keys_list.focus()
