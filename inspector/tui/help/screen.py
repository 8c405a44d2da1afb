"""The help screen: every key by the place where it works, then the signs."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from inspector.tui.keys.command import Place
from inspector.tui.keys.table import COMMANDS, bindings
from inspector.tui.widgets.lines import ContentLines

_KEYS_WIDTH = 9
_SIGNS = (
    ("▸", "the cursor, or the open tab"),
    ("✗", "withheld from the model; or malformed, in the catalogue and among claims"),
    ("≠", "contradicted by another claim"),
    ("~", "not handed over by the host, or changed by it; or loosened in a schema, so that results fit"),
    ("+", "only in what the model sees: a notice, or text written anew"),
    ("◇", "a secret reference, among your secrets; • in its state: its value is here"),
    ("?", "not known, in the comparison of hosts: nobody saw what the host does there"),
    ("→ ←", "a request from here, a request from the server"),
    ("§", "a decision of the policy, or what a call brought into the agent session"),
    ("!", "a line of the server's stderr, or the place of a finding"),
    (
        "◆C ▲H",
        "the worst finding of a tool and how many there are: critical, high; ■M medium, ▽L low, ·I info",
    ),
    ("…", "not reviewed yet"),
    ("✓", "an accepted finding; in a list of findings, ? was not checked"),
)

_BADGES = (
    ("R", "read"),
    ("W", "write"),
    ("D", "delete, or destructive"),
    ("X", "external: it reaches an open world"),
    ("S", "sensitive, as a whole or in part"),
    ("U", "untrusted content"),
    ("C", "asks for confirmation"),
    ("M", "malicious, says the server itself"),
)


def help_lines() -> list[Content]:
    """One line a key, under the place where it works; then signs and badges."""
    lines: list[Content] = []
    for place in Place:
        lines.append(Content.styled(place.value, "bold $text-primary"))
        lines += [
            _line(found.key, f"{found.label}: {found.tooltip}") for found in COMMANDS if found.place is place
        ]
        lines.append(Content(""))
    lines.append(Content.styled("Signs", "bold $text-primary"))
    lines += [_line(sign, words) for sign, words in _SIGNS]
    lines += [Content(""), Content.styled("Badges of a tool, for what it claims", "bold $text-primary")]
    lines += [_line(letter, words) for letter, words in _BADGES]
    return lines


def _line(key: str, words: str) -> Content:
    return Content.assemble("  ", (key.ljust(_KEYS_WIDTH), "bold $accent"), " ", words)


class HelpScreen(ModalScreen[None], inherit_bindings=False):
    """Every key by the place where it works."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Place.HELP)

    def __init__(self) -> None:
        super().__init__()
        self._lines = ContentLines(id="help-lines")

    def compose(self) -> ComposeResult:
        """A title and the lines."""
        yield Static(
            Content.assemble(("All keys", "bold"), "   Esc goes back"), markup=False, id="help-title"
        )
        yield self._lines

    def on_mount(self) -> None:
        """Show them."""
        self._lines.show(help_lines())
        self._lines.focus()
