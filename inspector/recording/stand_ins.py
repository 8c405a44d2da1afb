"""Messages of a recording as a session has them: with texts in place of markers, so that all views can be made of them.

What is put where a value was withheld is withheld again by the same declarations: a sensitive position is sensitive
whatever stands there, and what repeated structured content repeats what is left of that.
"""

from inspector.boundary.bounded import Rule
from inspector.boundary.notice import text_block
from inspector.json.edit import Copied
from inspector.json.exact import Json, JsonObject, dump_text
from inspector.recording.markers import Tokens, is_marker, places, text_for

_CODE = -32603
"""Of an error of which nothing is left: JSON-RPC's internal error."""


def stood_in(content: Json) -> Json:
    """The content of a recorded frame without markers. Shares what it does not change."""
    copied = Copied(content)
    mirrors: list[tuple[Tokens, JsonObject]] = []
    for tokens in list(places(content, is_marker)):
        marker = copied.at(tokens)
        if not isinstance(marker, dict):
            continue
        if marker["$withheld"] == Rule.MIRROR and tokens[-1:] == ("text",):
            mirrors.append((tokens, marker))
        else:
            copied.put(tokens, _stand_in(tokens, marker))
    for tokens, marker in mirrors:
        copied.put(tokens, _mirrored(copied, tokens, marker))
    return copied.value


def _stand_in(tokens: Tokens, marker: JsonObject) -> Json:
    text = text_for(marker)
    # A batch is a list of messages.
    match tokens[1:] if tokens and isinstance(tokens[0], int) else tokens:
        case ("result", "content", int()):
            return text_block(text)
        case ("result",):
            return {"content": [text_block(text)]}
        case ("error",):
            return {"code": _CODE, "message": text}
        case ("params",):
            return {"withheld": text}
        case _:
            return text


def _mirrored(copied: Copied, tokens: Tokens, marker: JsonObject) -> str:
    """The structured content beside the block whose text is meant, as JSON text."""
    try:
        return dump_text(copied.at((*tokens[: tokens.index("content")], "structuredContent")))
    except (LookupError, ValueError):
        return text_for(marker)
