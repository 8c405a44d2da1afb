"""Copies texts from the screen to the clipboard of the terminal."""

from textual.screen import Screen

from inspector.tui.runtime.guard import GUARDING, GuardedApp
from inspector.tui.text import count

MOST = 1_000_000
"""The maximum number of characters of a copied text, because terminals accept no more."""
_TOO_LONG = (
    f"Too long for the clipboard of a terminal: more than {MOST:,} characters. x exports the session instead."
)


def put(screen: Screen[None], what: str, text: str) -> str:
    """Copy a safe text and notify the user. Returns a message if it cannot be copied, otherwise an empty text.

    `what`: the name of the text in the notification.
    """
    app = screen.app  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if len(text) > MOST:
        return _TOO_LONG
    if isinstance(app, GuardedApp) and app.is_guarding:
        return GUARDING
    app.copy_to_clipboard(text)  # pyright: ignore[reportUnknownMemberType]
    screen.notify(f"Copied: {what}, {count(len(text), 'character')}.", markup=False)
    return ""
