"""The dialog about roots: the folders that a server gets when it asks where it may work."""

import asyncio
from urllib.parse import unquote, urlsplit

from inspector.errors import InspectorError, UsageError
from inspector.files.roots import root_of
from inspector.protocol.client import Root
from inspector.session.live import Session
from inspector.tui.dialogs.ask import AskField, AskScreen
from inspector.tui.text import count

_NONE = "none"
MOST = 100


def roots_dialog(session: Session) -> AskScreen:
    """A dialog that shows the roots of a session, and adds or removes one.

    After a change, the server gets `notifications/roots/list_changed` if the protocol revision of the
    connection has this notification.
    """
    roots = session.options.roots
    paths = [path_of(root) for root in roots]

    async def accept(answers: tuple[str, ...]) -> str:
        added, *rest = answers
        gone = rest[0] if rest else _NONE
        kept = [root for root, path in zip(roots, paths, strict=True) if path != gone]
        try:
            kept += [await asyncio.to_thread(root_of, added)] if added else []
        except UsageError:
            return f"There is no folder {added}."
        kept = list(dict.fromkeys(kept))
        if len(kept) > MOST:
            return f"No more than {MOST} folders are possible."
        if tuple(kept) != roots:
            try:
                dialog.notify(await session.set_roots(kept), markup=False)
            except InspectorError as error:
                return error.message
        return ""

    fields = [AskField(label="Add a folder", placeholder="a path, or empty")]
    if paths:
        fields.append(AskField(label="Remove a folder", value=_NONE, choices=(_NONE, *paths)))
    listed = ". ".join(paths) if paths else "No folder"
    dialog = AskScreen(
        f"Roots: {count(len(paths), 'folder')}",
        f"Servers that ask for roots get: {listed}. Changes last until Sightline ends.",
        fields,
        accept,
        verb="change",
    )
    return dialog


def path_of(root: Root) -> str:
    """The path of a root that was made from a folder."""
    return unquote(urlsplit(root.uri).path)
