"""Keys of the screen about pins."""

from functools import partial

from inspector.tui.commands.row import Command, Place, row

_pins = partial(row, Place.PINS)

PINS: tuple[Command, ...] = (
    _pins("pins.back", "escape,P", "back", "back", "Takes a question back, or goes back.", shown="Esc P"),
    _pins(
        "pins.pin",
        "p",
        "pin",
        "pin",
        "Pins what is listed now, after asking: a later change is marked, and asked about before a call.",
    ),
    _pins("pins.unpin", "d", "unpin", "unpin", "Lets go of the pin, after asking."),
    _pins("pins.agree", "y", "agree", "yes", "Does what is asked."),
)
