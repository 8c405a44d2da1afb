"""A recording with hostile text in every place where a file may contain text."""

import json
from collections.abc import Iterator
from pathlib import Path

from tests.terminal.payloads import EVERYTHING, PAYLOADS, marked
from tests.terminal.server import LAST_WORDS, definition, result, schema

LENSES = {"boundary": "declared", "host": EVERYTHING, "policy": {"sensitivityThreshold": "confidential"}}
SHOWN = "recorded last"


def hostile(folder: Path) -> Path:
    """Write the file, and return its path."""
    path = folder / "hostile.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines()))
    return path


def lines() -> Iterator[object]:
    """Its header, a listing, a call for each payload, and every other kind of line."""
    yield {
        "sightline": "recording",
        "version": 2,
        "created": EVERYTHING,
        "software": EVERYTHING,
        "target": {"kind": EVERYTHING, "name": EVERYTHING},
        "lenses": LENSES,
    }
    tools = [
        definition(SHOWN, EVERYTHING),
        *({"name": marked(name), "inputSchema": schema(PAYLOADS[name])} for name in PAYLOADS),
    ]
    yield frame(1, "sent", {"id": 1, "method": "tools/list"})
    yield frame(2, "received", {"id": 1, "result": {"tools": tools}})
    for number, name in enumerate((*PAYLOADS, SHOWN), 2):
        text = PAYLOADS.get(name, EVERYTHING)
        params = {"name": marked(name) if name in PAYLOADS else SHOWN, "arguments": {text: text}}
        yield frame(2 * number, "sent", {"id": text, "method": "tools/call", "params": params})
        yield frame(2 * number + 1, "received", {"id": text, "result": result(text)})
    for kind in ("stderr", "policy", "connected", EVERYTHING):
        yield {"note": kind, "at": 100, "text": EVERYTHING}
    yield {"note": "policy", "at": 100, "text": {"$withheld": EVERYTHING, "id": EVERYTHING}}
    yield {"at": 100, "lenses": LENSES}
    yield frame(900, "received", {"method": EVERYTHING, "params": LAST_WORDS})
    yield {"at": 100, EVERYTHING: EVERYTHING}


def frame(number: int, direction: str, body: dict[str, object]) -> dict[str, object]:
    """One frame of it."""
    said = {"jsonrpc": "2.0", **body}
    return {
        "frame": number,
        "at": number / 10,
        "direction": direction,
        "channel": "stdio",
        "size": 10,
        "body": said,
        "head": EVERYTHING,
        "faults": [EVERYTHING],
    }
