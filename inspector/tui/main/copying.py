"""Copying from a result: the value under the cursor, its pointer, a whole side, or the call."""

import asyncio
from collections.abc import Callable

from inspector.json.exact import Json
from inspector.safe_text import safe
from inspector.tui.call.command_line import editable
from inspector.tui.dialogs.ask import AskField, AskScreen
from inspector.tui.result.pane import Copyable
from inspector.tui.runtime.clipboard import put
from inspector.tui.values.outline import ABSENT, Value

_HINT = "Masked values stay masked. Control characters are copied as they are drawn."
_POINTER, _CALL = "pointer", "call as a command"
_VALUE, _SENT, _MODEL = "value", "all that the server sent", "all that the model sees"
MEANINGS = {
    _VALUE: "under the cursor; a string without quotes",
    _POINTER: "its JSON pointer, such as /content/0/text",
    _SENT: "the whole result as JSON",
    _MODEL: "what this host gives its model, as JSON",
    _CALL: "a `sightline call` line; no sensitive values",
}


def copy_dialog(found: Copyable, copy_call: Callable[[], None]) -> AskScreen:
    """A dialog that asks what to copy. `copy_call`: copies the call as a command."""
    values: dict[str, Value] = {
        _VALUE: found.value,
        _SENT: found.sent,
        _MODEL: found.model,
    }
    choices = (_VALUE, _POINTER, *(name for name in list(values)[1:] if values[name] is not ABSENT), _CALL)

    async def accept(answers: tuple[str, ...]) -> str:
        (what,) = answers
        if what == _CALL:
            copy_call()
            return ""
        value = found.pointer if what == _POINTER else values[what]
        if value is ABSENT:
            return "There is no value here."
        text = await asyncio.to_thread(copied_text, value)
        return put(dialog, what, text)

    dialog = AskScreen(
        "Copy",
        _HINT,
        [
            AskField(
                label="What to copy (arrows or letters)",
                value=choices[0],
                choices=choices,
                meanings=tuple(MEANINGS[choice] for choice in choices),
            )
        ],
        accept,
        verb="copy",
    )
    return dialog


def copied_text(value: Json) -> str:
    """The text to copy: a string as it is drawn, without quotes, or any other value as indented JSON."""
    return safe(value) if isinstance(value, str) else editable(value)
