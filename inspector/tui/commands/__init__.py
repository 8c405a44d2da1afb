"""Every key: what it does, where it works, what it is called. Bindings, footer, help and palette come from here."""

from inspector.tui.commands.row import Command, Place
from inspector.tui.commands.table import COMMANDS, bindings, command

__all__ = ["COMMANDS", "Command", "Place", "bindings", "command"]
