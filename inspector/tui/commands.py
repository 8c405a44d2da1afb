"""Every key: what it does, where it works, what it is called. Bindings, footer, help and palette come from here."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import ClassVar, Protocol, runtime_checkable

from textual.binding import Binding, BindingType
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.theme import BUILTIN_THEMES


class Place(StrEnum):
    """Where a key works, in words for the help screen."""

    EVERYWHERE = "Everywhere"
    MAIN = "On the main screen"
    LINES = "In a list or document"
    RESULT = "In the result"
    DEFINITION = "In a definition"
    FORM = "In the call form"
    CHOICE = "On a choice"
    FRAME = "On a frame"
    HOSTS = "In the comparison of hosts"
    SECRETS = "Among your secrets"
    PAGE = "On a tool of a page"
    HELP = "On this page"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One thing that a key does."""

    id: str
    """Stable, for keymaps: `call.repeat`."""
    keys: str
    """As Textual names them, separated by commas."""
    action: str
    label: str
    """For the footer: a word or two."""
    tooltip: str
    """What it does, in a sentence."""
    place: Place
    shown: str = ""
    """How the key is written; empty where the name is good enough."""
    palette: bool = False
    """Whether the palette offers it."""

    @property
    def key(self) -> str:
        """The key as it is shown."""
        return self.shown or self.keys.replace(",", " ").replace("ctrl+", "^")

    @property
    def qualified_action(self) -> str:
        """The action as anyone may run it who knows the main screen."""
        here = self.place is Place.EVERYWHERE and "." not in self.action
        return f"app.{self.action}" if here else self.action

    @property
    def binding(self) -> Binding:
        """As Textual wants it."""
        return Binding(
            self.keys,
            self.action,
            self.label,
            show=False,
            key_display=self.key,
            tooltip=self.tooltip,
            id=self.id,
            priority=self.keys in _PRIORITY,
        )


# These work while an input has the focus.
_PRIORITY = frozenset({"ctrl+q", "ctrl+s", "ctrl+j", "ctrl+p", "ctrl+r,f5"})


def _command(  # noqa: PLR0913 - a row of the table below
    place: Place,
    command_id: str,
    keys: str,
    action: str,
    label: str,
    tooltip: str,
    *,
    shown: str = "",
    palette: bool = False,
) -> Command:
    return Command(
        id=command_id,
        keys=keys,
        action=action,
        label=label,
        tooltip=tooltip,
        place=place,
        shown=shown,
        palette=palette,
    )


_everywhere = partial(_command, Place.EVERYWHERE)
_main = partial(_command, Place.MAIN)
_lines = partial(_command, Place.LINES)
_result = partial(_command, Place.RESULT)
_definition = partial(_command, Place.DEFINITION)
_form = partial(_command, Place.FORM)
_choice = partial(_command, Place.CHOICE)
_frame = partial(_command, Place.FRAME)
_hosts = partial(_command, Place.HOSTS)
_secrets = partial(_command, Place.SECRETS)
_page = partial(_command, Place.PAGE)
_help = partial(_command, Place.HELP)

COMMANDS: tuple[Command, ...] = (
    _everywhere("app.quit", "q", "leave", "quit", "Ends Sightline and the server it started.", palette=True),
    _everywhere(
        "app.quit-anywhere", "ctrl+q", "leave", "quit", "Ends Sightline, also from an input.", shown="^q"
    ),
    _everywhere(
        "app.interrupt",
        "ctrl+c",
        "interrupt",
        "copy",
        "Copies selected text; where none is, says how to quit.",
        shown="^c",
    ),
    _everywhere(
        "app.help", "question_mark,f1", "help", "keys", "Lists every key.", shown="? F1", palette=True
    ),
    _everywhere(
        "app.palette", "ctrl+p", "command_palette", "commands", "Finds a command by its name.", shown="^p"
    ),
    _everywhere("app.palette-colon", "colon", "command_palette", "commands", "Finds a command.", shown=":"),
    _everywhere(
        "app.next", "tab", "app.focus_next", "next", "Moves on to the next part of the screen.", shown="Tab"
    ),
    _everywhere(
        "app.previous",
        "shift+tab",
        "app.focus_previous",
        "previous",
        "Moves back to the previous part.",
        shown="S-Tab",
    ),
    _main(
        "main.back",
        "escape",
        "back",
        "back",
        "Leaves what has the focus; cancels a running call. Never quits.",
        shown="Esc",
    ),
    _main(
        "form.run",
        "ctrl+r,f5",
        "submit",
        "call",
        "Calls the tool, also from the JSON editor.",
        shown="^r",
        palette=True,
    ),
    _main(
        "form.send-anyway",
        "ctrl+s",
        "send_anyway",
        "send anyway",
        "Calls the tool with arguments that its schema does not allow.",
        shown="^s",
        palette=True,
    ),
    _main(
        "form.json",
        "ctrl+j",
        "toggle_json",
        "form/JSON",
        "Changes between the form and the arguments as JSON.",
        shown="^j",
        palette=True,
    ),
    _main(
        "main.filter",
        "slash",
        "filter",
        "filter",
        "Filters the catalogue as you type.",
        shown="/",
        palette=True,
    ),
    _main("call.repeat", "r", "repeat_call", "repeat", "Calls again what was called last.", palette=True),
    _main(
        "boundary.next",
        "b",
        "cycle_level(1)",
        "boundary",
        "Changes what is withheld: open, declared, closed. Both panes follow.",
        palette=True,
    ),
    _main("boundary.previous", "B", "cycle_level(-1)", "boundary", "The previous boundary."),
    _main(
        "host.next",
        "h",
        "cycle_host(1)",
        "host",
        "Changes the host whose model is looked at. Both panes follow.",
        palette=True,
    ),
    _main("host.previous", "H", "cycle_host(-1)", "host", "The previous host."),
    _main(
        "result.compare",
        "d",
        "compare_models",
        "diff",
        "Compares two models: `declared` against `closed`; b takes other boundaries, h this host against others.",
        palette=True,
    ),
    _main(
        "host.compare",
        "c",
        "compare_hosts",
        "compare hosts",
        "Compares what every host makes of this result, and in which of them a withheld value would leak.",
        palette=True,
    ),
    _main(
        "secrets.open",
        "s",
        "secrets",
        "secrets",
        "Opens your secrets: references to reveal, and values that are withheld from models. Nobody else gets them.",
        palette=True,
    ),
    _main(
        "page.open",
        "o",
        "page",
        "page",
        "Shows a page's tool as the page declared it, as the browser keeps it, and as agents are told.",
        palette=True,
    ),
    _main(
        "session.reconnect", "R", "reconnect", "reconnect", "Starts or reaches the server anew.", palette=True
    ),
    _main(
        "main.timeline",
        "t",
        "timeline",
        "timeline",
        "Enlarges the timeline, and makes it small.",
        palette=True,
    ),
    _main(
        "call.copy",
        "y",
        "copy_call",
        "copy call",
        "Copies the call in the form as a `sightline call` command. Sensitive arguments stay out.",
        palette=True,
    ),
    _main(
        "main.zoom",
        "z",
        "zoom",
        "zoom",
        "Gives the focused part the whole screen, and takes it back.",
        palette=True,
    ),
    _main("tab.call", "1", "tab('call')", "call", "Shows the form of the tool."),
    _main(
        "tab.definition",
        "2",
        "tab('definition')",
        "definition",
        "Shows the definition as sent, beside what the model is given.",
    ),
    _main("tab.claims", "3", "tab('claims')", "claims", "Shows every declaration."),
    _main("tab.findings", "4", "tab('findings')", "findings", "Shows what does not fit together."),
    _form(
        "form.call", "enter", "submit", "call", "Calls the tool, if the arguments are valid.", shown="Enter"
    ),
    _choice("choice.next", "right,space", "step(1)", "next", "The next value; typing finds one.", shown="→"),
    _choice("choice.previous", "left", "step(-1)", "previous", "The previous value.", shown="←"),
    _choice("choice.none", "backspace,delete", "unset", "leave out", "Leaves the argument out.", shown="⌫"),
    _lines("lines.down", "j,down", "move(1)", "down", "One line down.", shown="j ↓"),
    _lines("lines.up", "k,up", "move(-1)", "up", "One line up.", shown="k ↑"),
    _lines("lines.first", "g,home", "first", "first", "To the first line.", shown="g"),
    _lines("lines.last", "G,end", "last", "last", "To the last line.", shown="G"),
    _lines("lines.page-down", "pagedown,ctrl+d", "page(1)", "page down", "One page down.", shown="PgDn"),
    _lines("lines.page-up", "pageup,ctrl+u", "page(-1)", "page up", "One page up.", shown="PgUp"),
    _lines("lines.left", "left", "slide(-8)", "left", "Scrolls long lines to the left.", shown="←"),
    _lines("lines.right", "right", "slide(8)", "right", "Scrolls long lines to the right.", shown="→"),
    _lines("lines.choose", "enter", "choose", "open", "Opens what the line stands for.", shown="Enter"),
    _result(
        "result.next", "n", "removal(1)", "next difference", "To the next part that was withheld or changed."
    ),
    _result(
        "result.previous",
        "N",
        "removal(-1)",
        "previous difference",
        "To the previous part that was withheld or changed.",
    ),
    _definition(
        "definition.next",
        "n",
        "difference(1)",
        "next difference",
        "To the next part that the model is not given, or not as it was sent.",
    ),
    _definition(
        "definition.previous",
        "N",
        "difference(-1)",
        "previous difference",
        "To the previous part that the model is not given, or not as it was sent.",
    ),
    _frame("frame.back", "escape", "app.pop_screen", "back", "Back to the main screen.", shown="Esc"),
    _frame("frame.next", "n,right_square_bracket", "frame(1)", "next frame", "The next frame.", shown="n ]"),
    _frame(
        "frame.previous",
        "N,left_square_bracket",
        "frame(-1)",
        "previous frame",
        "The previous frame.",
        shown="N [",
    ),
    _frame("frame.text", "x", "as_text", "text/JSON", "Changes between text and JSON."),
    _hosts("hosts.back", "escape,c", "app.pop_screen", "back", "Back to the main screen.", shown="Esc c"),
    _hosts(
        "hosts.boundary",
        "b",
        "cycle_level(1)",
        "boundary",
        "Compares the hosts at the next boundary: open, declared, closed.",
    ),
    _hosts("hosts.boundary-previous", "B", "cycle_level(-1)", "boundary", "The previous boundary."),
    _secrets(
        "secrets.back", "escape,s", "back", "back", "Masks, or goes back to the main screen.", shown="Esc s"
    ),
    _secrets(
        "secrets.reveal",
        "v",
        "reveal",
        "reveal",
        "Fetches the secret of a reference, after showing you the request. A second time too.",
    ),
    _secrets("secrets.agree", "y", "agree", "yes, reveal", "Sends the request that is shown."),
    _secrets("secrets.peek", "p", "peek", "peek", "Shows a value for 10 seconds, or masks it again."),
    _secrets("secrets.mask", "m", "mask", "mask", "Masks the value that is shown."),
    _secrets("secrets.forget", "d", "forget", "forget", "Lets go of a value."),
    _secrets(
        "secrets.copy",
        "c",
        "copy",
        "copy",
        "Copies a value, where your configuration allows it. Terminals and multiplexers on the way see it.",
    ),
    _page("page.back", "escape,o", "app.pop_screen", "back", "Back to the main screen.", shown="Esc o"),
    _help(
        "help.back",
        "escape,q,question_mark",
        "app.pop_screen",
        "back",
        "Back to where you were.",
        shown="Esc",
    ),
)

_BY_ID = {command.id: command for command in COMMANDS}


def command(command_id: str) -> Command:
    """The command of that id."""
    return _BY_ID[command_id]


class CommandSearch(Provider):
    """The palette: the commands that it offers, by their words."""

    async def discover(self) -> Hits:
        """All of them, while nothing has been typed."""
        for found in _OFFERED:
            yield DiscoveryHit(Content(_title(found)), self._run(found), _title(found), found.tooltip)

    async def search(self, query: str) -> Hits:
        """Those that match."""
        matcher = self.matcher(query)
        for found in _OFFERED:
            score = matcher.match(f"{_title(found)} {found.tooltip}")
            if score > 0:
                yield Hit(
                    score, matcher.highlight(_title(found)), self._run(found), _title(found), found.tooltip
                )

    def _run(self, found: Command) -> Callable[[], Awaitable[None]]:
        return partial(self.screen.run_action, found.qualified_action)


class _NameSearch(Provider):
    """The palette: things that are chosen by their names."""

    KIND: ClassVar[str]

    def names(self) -> Iterable[str]:
        """All there are."""
        raise NotImplementedError

    def choose(self, name: str) -> None:
        """Take one."""
        raise NotImplementedError

    async def discover(self) -> Hits:
        """All of them."""
        for name in self.names():
            shown = f"{self.KIND} {name}"
            yield DiscoveryHit(Content(shown), partial(self.choose, name), shown)

    async def search(self, query: str) -> Hits:
        """Those that match."""
        matcher = self.matcher(query)
        for name in self.names():
            shown = f"{self.KIND} {name}"
            score = matcher.match(shown)
            if score > 0:
                yield Hit(score, matcher.highlight(shown), partial(self.choose, name), shown)


@runtime_checkable
class Lensed(Protocol):
    """A screen that looks at results through a host."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """Every host by its name."""
        ...

    def set_host(self, host: str) -> None:
        """Look through this one."""
        ...


class HostSearch(_NameSearch):
    """The palette: hosts."""

    KIND = "Host"

    def names(self) -> Iterable[str]:
        """Those of the screen, where it has some."""
        return self.screen.hosts if isinstance(self.screen, Lensed) else ()

    def choose(self, name: str) -> None:
        """Look through it."""
        if isinstance(self.screen, Lensed):
            self.screen.set_host(name)


class ThemeSearch(_NameSearch):
    """The palette: themes."""

    KIND = "Theme"

    def names(self) -> Iterable[str]:
        """Ours and the user's; Textual's own are not made for our signs."""
        return [name for name in self.app.available_themes if name not in BUILTIN_THEMES]

    def choose(self, name: str) -> None:
        """Take it on."""
        self.app.theme = name


_OFFERED = tuple(found for found in COMMANDS if found.palette)


def _title(found: Command) -> str:
    return f"{found.label[0].upper()}{found.label[1:]}  ({found.key})"


def bindings(place: Place) -> list[BindingType]:
    """The bindings of a place."""
    return [found.binding for found in COMMANDS if found.place is place]
