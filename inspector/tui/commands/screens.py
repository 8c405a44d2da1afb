"""Keys of the screens that open over the main screen."""

from functools import partial

from inspector.tui.commands.row import Command, Place, row

_frame = partial(row, Place.FRAME)
_hosts = partial(row, Place.HOSTS)
_secrets = partial(row, Place.SECRETS)
_page = partial(row, Place.PAGE)
_help = partial(row, Place.HELP)

SCREENS: tuple[Command, ...] = (
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
