"""Saving a picture or sound of a result to a file."""

import asyncio
import mimetypes
import re
from base64 import b64decode
from binascii import Error as Base64Error
from pathlib import Path

from inspector.errors import InspectorError
from inspector.files import paths, private
from inspector.json.exact import Json, JsonObject
from inspector.json.members import text_at
from inspector.json.pointer import resolve
from inspector.tui.dialogs.ask import AskField, AskScreen
from inspector.tui.text import size
from inspector.tui.values.picture import MOST_BYTES, payload_of

_HINT = "Writes a new file and never overwrites one. It holds the data as the server sent it."
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST = 60
"""The maximum length of a proposed name, in characters."""


def block_at(sent: Json, pointer: str) -> JsonObject | None:
    """The content block or resource with a picture or sound that is at `pointer` or around it.

    None if there is none.
    """
    while True:
        try:
            value = resolve(sent, pointer)
        except LookupError:
            value = None
        if isinstance(value, dict):
            for block in (value, value.get("resource")):
                if isinstance(block, dict) and payload_of(block) is not None:
                    return block
        if not pointer:
            return None
        pointer = pointer.rpartition("/")[0]


def proposed_name(block: JsonObject, name: str, number: int) -> str:
    """A file name such as `team_photo-3.png`.

    Only letters, digits, `_` and `-` of names that the server chose are used.
    """
    mime = text_at(block, "mimeType") or ""
    suffix = mimetypes.guess_extension(mime) or ".bin"
    stem = _UNSAFE.sub("-", name.rpartition("/")[2])[:_LONGEST].strip("-") or "result"
    return f"{stem}-{number}{suffix}"


def save_dialog(block: JsonObject, name: str, number: int) -> AskScreen:
    """A dialog that asks for a file and writes the data of a block to it."""
    proposed = proposed_name(block, name, number)

    async def accept(answers: tuple[str, ...]) -> str:
        path = paths.suffixed(answers[0], Path(proposed).suffix)
        if not path:
            return "Write the name of a file."
        try:
            written = await asyncio.to_thread(save, block, path)
        except InspectorError as error:
            return f"{error.message}. {error.hint}"
        except (Base64Error, ValueError):
            return "The data of this block is not base64, or is too large."
        dialog.notify(f"Saved to {path} ({size(written)}).", markup=False)
        return ""

    field = AskField(label="File", value=proposed)
    dialog = AskScreen("Save the data of this block", _HINT, [field], accept, verb="save")
    return dialog


def save(block: JsonObject, path: str) -> int:
    """Write the data of a block to a new file. Returns the number of bytes.

    Raises UsageError if the file cannot be written, and ValueError if the data is not base64 or is too large.
    """
    key = payload_of(block)
    payload = block[key] if key is not None else None
    if not isinstance(payload, str) or len(payload) > MOST_BYTES * 4 // 3:
        raise ValueError(path)
    return private.write_new(paths.written(path), [b64decode(payload, validate=True)])
