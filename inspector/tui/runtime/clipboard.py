"""Copying what is on the screen."""

from textual.screen import Screen

from inspector.tui.runtime.guard import GUARDING, GuardedApp
from inspector.tui.text import count

MOST = 1_000_000
"""Characters that are copied: terminals take no more."""
_TOO_LONG = f"More than {MOST:,} characters: too much for a terminal's clipboard. x exports the session."


def put(screen: Screen[None], what: str, text: str) -> str:
    """Copy `text`, safe already, and say so; a message where that cannot be, else an empty text."""
    app = screen.app  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if len(text) > MOST:
        return _TOO_LONG
    if isinstance(app, GuardedApp) and app.is_guarding:
        return GUARDING
    app.copy_to_clipboard(text)  # pyright: ignore[reportUnknownMemberType]
    screen.notify(f"Copied: {what}, {count(len(text), 'character')}.", markup=False)
    return ""
