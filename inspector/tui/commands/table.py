"""Every key. Bindings, footer, help and palette come from here."""

from textual.binding import BindingType

from inspector.tui.commands.deciding import DECIDING
from inspector.tui.commands.everywhere import EVERYWHERE
from inspector.tui.commands.findings import FINDINGS
from inspector.tui.commands.main import MAIN
from inspector.tui.commands.panes import PANES
from inspector.tui.commands.pins import PINS
from inspector.tui.commands.recordings import RECORDINGS
from inspector.tui.commands.row import Command, Place
from inspector.tui.commands.screens import SCREENS

COMMANDS: tuple[Command, ...] = (
    *EVERYWHERE,
    *MAIN,
    *PANES,
    *DECIDING,
    *FINDINGS,
    *PINS,
    *RECORDINGS,
    *SCREENS,
)

_BY_ID = {command.id: command for command in COMMANDS}


def command(command_id: str) -> Command:
    """The command of that id."""
    return _BY_ID[command_id]


def bindings(place: Place) -> list[BindingType]:
    """The bindings of a place."""
    return [found.binding for found in COMMANDS if found.place is place]
