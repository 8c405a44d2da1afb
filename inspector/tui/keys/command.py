"""The commands that keys run: what they do, where their keys work, and how the screen names them."""

from dataclasses import dataclass
from enum import StrEnum

from textual.binding import Binding


class KeyPlace(StrEnum):
    """The places where keys work. The values are headings of the help screen."""

    EVERYWHERE = "Everywhere"
    MAIN = "On the main screen"
    LINES = "In a list or document"
    SERVERS = "In the catalogue of several servers"
    VALUES = "Among values"
    TIMELINE = "In the timeline"
    SEARCH = "In the search of a result or definition"
    RESULT = "In the result"
    DEFINITION = "In a definition"
    FORM = "In the call form"
    ARGUMENTS = "On the line above the arguments"
    FIELD = "In a field of a form"
    EDITOR = "In the JSON editor"
    CHOICE = "On a choice"
    FRAME = "On a frame"
    HOSTS = "In the comparison of hosts"
    HOST_LIST = "In the list of hosts"
    SECRETS = "In your secrets"
    PAGE = "On a tool of a page"
    APP = "In an open interface"
    DECIDING = "In the question before a call"
    TRUST = "In the trust of the session"
    POLICY = "In the policy"
    CONTEXT = "In the context before the first call"
    PINS = "In the pins"
    WATCH = "In the changes after a save"
    RECORDING = "In a recording"
    ASKING = "In a question"
    ANSWERING = "Where the server asks for an answer"
    AUTHORIZING = "Where the server asks for authorization"
    FINDINGS = "Among findings"
    REVIEW = "In the review of the server"
    HISTORY = "In the history of calls"
    PAIR = "In the comparison of two calls"
    HELP = "On this screen"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """An action that keys are bound to."""

    id: str
    """The id, such as `call.repeat`. It never changes, so that keymaps can refer to it."""
    keys: str
    """The keys by their Textual names, separated by commas."""
    action: str
    label: str
    """A word or two for the footer."""
    tooltip: str
    """A sentence about what the key does."""
    place: KeyPlace
    shown: str = ""
    """The keys as they are shown; empty if the Textual names can be shown."""
    palette: bool = False
    """True if the palette lists the command."""

    @property
    def key(self) -> str:
        """The keys as they are shown."""
        return self.shown or self.keys.replace(",", " ").replace("ctrl+", "^")

    @property
    def qualified_action(self) -> str:
        """The action, with `app.` added if needed to run it from any screen."""
        here = self.place is KeyPlace.EVERYWHERE and "." not in self.action
        return f"app.{self.action}" if here else self.action

    @property
    def binding(self) -> Binding:
        """The command as a binding of Textual."""
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


# These keys work even while an input has the focus.
_PRIORITY = frozenset({"ctrl+q", "ctrl+s", "ctrl+j", "ctrl+p", "ctrl+r,f5", "ctrl+d", "ctrl+o", "ctrl+x"})


def row(  # noqa: PLR0913 - a parameter for each column of the table
    place: KeyPlace,
    command_id: str,
    keys: str,
    action: str,
    label: str,
    tooltip: str,
    *,
    shown: str = "",
    palette: bool = False,
) -> Command:
    """Create a command. The table of keys is a list of such rows."""
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
