"""Keys where a call is decided on, and of the screen about trust."""

from functools import partial

from inspector.tui.commands.row import Command, Place, row

_deciding = partial(row, Place.DECIDING)
_trust = partial(row, Place.TRUST)

DECIDING: tuple[Command, ...] = (
    # Enter is never the dangerous answer.
    _deciding(
        "decision.decline", "escape,n,enter", "decline", "no", "Does not do what is asked.", shown="Esc"
    ),
    _deciding("decision.agree", "y", "agree", "yes", "Does what is asked. No other key does."),
    _trust("trust.back", "escape,T", "app.pop_screen", "back", "Back to the main screen.", shown="Esc T"),
    _trust(
        "trust.propagation",
        "p",
        "propagation",
        "what it is told",
        "Changes what the server under the cursor is told of the session with each call: nothing, or more.",
    ),
    _trust(
        "trust.renew",
        "n",
        "renew",
        "new session",
        "Begins a new agent session, after asking: nothing is taken in yet.",
    ),
)
