"""Keys that work everywhere."""

from functools import partial

from inspector.tui.commands.row import Command, Place, row

_everywhere = partial(row, Place.EVERYWHERE)

EVERYWHERE: tuple[Command, ...] = (
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
)
