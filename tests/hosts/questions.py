"""Questions about a host, answered by running its profile on marked results."""

import base64
from collections.abc import Callable

from inspector.boundary.bounded import Bounded, Level
from inspector.hosts.profile import Call, Host, ModelContext
from inspector.json.exact import Json, JsonObject, dump_text

Ask = Callable[[Host], str]

TEXT, STRUCTURE, URI, NAME, SAID, META, INNER = (
    "qtextq",
    "qstructq",
    "file:///quriq",
    "qnameq",
    "qsaidq",
    "qmetaq",
    "qinnerq",
)
DATA = base64.b64encode(b"some bytes that nobody else has").decode()


def tried(host: Host, result: Json) -> ModelContext:
    return host.model_view(Bounded(level=Level.OPEN, result=result), Call(server="fx", tool="try"))


def model_text(host: Host, result: Json) -> str:
    """The model view as text, without data that the host does not send."""
    model = tried(host, result).model
    left = (
        {key: value for key, value in model.items() if key != "$not_sent"}
        if isinstance(model, dict)
        else model
    )
    return dump_text(left)


def text(value: str = TEXT, **more: Json) -> JsonObject:
    return {"type": "text", "text": value, **more}


def result(*blocks: Json, **more: Json) -> JsonObject:
    return {"content": list[Json](blocks), **more}


def _found(host: Host, sent: Json, **marks: str) -> str:
    """The names of the marks that reach the model."""
    got = model_text(host, sent)
    if '"$raises"' in got:
        return "raises"
    return ", ".join(name.replace("_", " ") for name, mark in marks.items() if mark in got) or "nothing"


def structure(host: Host) -> str:
    return _found(host, result(text(), structuredContent={"k": STRUCTURE}), text=TEXT, structure=STRUCTURE)


def structure_and_image(host: Host) -> str:
    image: Json = {"type": "image", "data": DATA, "mimeType": "image/png"}
    sent = result(text(), image, structuredContent={"k": STRUCTURE})
    return _found(host, sent, text=TEXT, image=DATA, structure=STRUCTURE)


def audience(host: Host) -> str:
    return _found(host, result(text(annotations={"audience": ["user"]})), reaches_the_model=TEXT)


def error_flag(host: Host) -> str:
    failed, fine = (model_text(host, result(text(), isError=flag)) for flag in (True, False))
    return "visible" if failed != fine else "hidden"


def error(host: Host) -> str:
    sent = result(text(), structuredContent={"k": STRUCTURE}, isError=True)
    return _found(host, sent, text=TEXT, structure=STRUCTURE)


def unknown(host: Host) -> str:
    sent = result(text(), {"type": "quite_new", "ref": INNER})
    found = _found(host, sent, the_others=TEXT, the_unknown=INNER)
    return "an error, with the unknown" if found == "the unknown" else found.replace("nothing", "an error")


def link(host: Host) -> str:
    block: Json = {
        "type": "resource_link",
        "uri": URI,
        "name": NAME,
        "description": SAID,
        "mimeType": "text/plain",
    }
    return _found(host, result(block), URI=URI, name=NAME, description=SAID)


def embedded_text(host: Host) -> str:
    block: Json = {"type": "resource", "resource": {"uri": URI, "mimeType": "text/plain", "text": INNER}}
    return _found(host, result(block), text=INNER, URI=URI)


def embedded_bytes(host: Host) -> str:
    block: Json = {"type": "resource", "resource": {"uri": URI, "mimeType": "application/pdf", "blob": DATA}}
    return _found(host, result(block), bytes=DATA, URI=URI)


def image(host: Host) -> str:
    return _found(host, result({"type": "image", "data": DATA, "mimeType": "image/png"}), bytes=DATA)


def audio(host: Host) -> str:
    return _found(host, result({"type": "audio", "data": DATA, "mimeType": "audio/wav"}), bytes=DATA)


def result_meta(host: Host) -> str:
    return _found(host, result(text(), _meta={"k": META}), passed_on=META)


def block_meta(host: Host) -> str:
    return _found(host, result(text(_meta={"k": META})), passed_on=META)


def long_text(host: Host) -> str:
    length = model_text(host, result(text("x" * 300_000))).count("x")
    if length >= 300_000:
        return "whole"
    return "put in a file" if length < 10_000 else f"cut to about {round(length, -3):,}"


def empty(host: Host) -> str:
    model = tried(host, result()).model
    while isinstance(model, (dict, list)) and len(model) == 1:
        model = next(iter(model.values())) if isinstance(model, dict) else model[0]
    if not isinstance(model, dict):
        return f"`{dump_text(model)}`"
    value = next((model[key] for key in _RESULT_KEYS if key in model), model)
    return f"`{dump_text(value)}`"


def refusal(host: Host) -> str:
    return _found(
        host, {"error": {"code": -32000, "message": SAID, "data": {"k": INNER}}}, message=SAID, data=INNER
    )


_RESULT_KEYS = ("content", "output", "result", "response", "model_response_str", "text")

QUESTIONS: tuple[dict[str, Ask], ...] = (
    {
        "text with structure": structure,
        "text and image with structure": structure_and_image,
        "error with structure": error,
        "`isError`": error_flag,
        "JSON-RPC error": refusal,
    },
    {
        'text for `["user"]`': audience,
        "`_meta` of the result": result_meta,
        "`_meta` of content": block_meta,
        "unknown type beside text": unknown,
        "empty content": empty,
        "300,000 characters": long_text,
    },
    {
        "link": link,
        "embedded text": embedded_text,
        "embedded bytes": embedded_bytes,
        "image": image,
        "audio": audio,
    },
)
