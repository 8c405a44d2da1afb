"""Raw frames beside a recording, each encrypted to an age recipient: writing them needs no private key.

Source: age-encryption.org/v1, by pyrage. A frame is encrypted in parts, so that nothing is lost but the last and no step is long.
"""

import base64
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Protocol, Self, cast

from inspector.core.frames import Channel, Direction, Frame
from inspector.core.json_text import Json, JsonObject, JsonText, dump, parse
from inspector.core.recording.decoding import MAX_LINE_BYTES
from inspector.errors import UsageError
from inspector.store import private

SUFFIX = ".sealed"
FORMAT, VERSION = "sealed", 1
_PART_BYTES = 1 << 20
_MAX_IDENTITY_BYTES = 1 << 16


class _Keys(Protocol):
    from_str: Callable[[str], object]


class _Kind(Protocol):
    Recipient: _Keys
    Identity: _Keys


class _Age(Protocol):
    x25519: _Kind
    RecipientError: type[Exception]
    IdentityError: type[Exception]
    DecryptError: type[Exception]

    def encrypt(self, plaintext: bytes, recipients: Sequence[object]) -> bytes: ...
    def decrypt(self, ciphertext: bytes, identities: Sequence[object]) -> bytes: ...


def sealed_path(recording: Path) -> Path:
    """Where the sealed frames of a recording are."""
    return recording.with_name(recording.name + SUFFIX)


class Sealer:
    """Writes sealed frames."""

    def __init__(self, recording: Path, recipient: str) -> None:
        """`recipient`: `age1…`. Raises UsageError where it is none, or the file cannot be made."""
        self._age = _age()
        try:
            self._recipients = [self._age.x25519.Recipient.from_str(recipient)]
        except self._age.RecipientError as error:
            raise UsageError("--seal-to: no age recipient", "It begins with age1; see age-keygen.") from error
        self._path = sealed_path(recording)
        self._file = private.create(self._path)
        self._line({"sightline": FORMAT, "version": VERSION, "recording": recording.name})

    def frame(self, frame: Frame) -> None:
        """One frame, in as many lines as it has parts. Raises OSError."""
        about: JsonObject = {
            "frame": frame.number,
            "at": frame.at_s,
            "direction": frame.direction.value,
            "channel": frame.channel.value,
            "head": frame.head,
            "ends": frame.ends,
            "isJson": frame.body is not None,
        }
        head = dump(about)
        whole = len(head).to_bytes(4) + head + frame.raw
        parts = range(0, len(whole), _PART_BYTES)
        for start in parts:
            sealed = self._age.encrypt(whole[start : start + _PART_BYTES], self._recipients)
            is_last = start == parts[-1]
            self._line({"last": is_last, "age": base64.b64encode(sealed).decode()})

    def discard(self) -> None:
        """There is nothing to seal after all."""
        self._file.close()
        self._path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _line(self, line: Json) -> None:
        self._file.write(dump(line) + b"\n")
        self._file.flush()


def unsealed(recording: Path, identity: Path) -> Iterator[Frame]:
    """The raw frames of a recording, as far as whole ones are there. Raises UsageError.

    `identity`: a file as age-keygen writes it.
    """
    age = _age()
    identities = _identities(age, identity)
    path = sealed_path(recording)
    waiting: list[bytes] = []
    try:
        with path.open("rb") as file:
            _check_header(path, _object(file.readline(MAX_LINE_BYTES + 1)))
            while line := file.readline(MAX_LINE_BYTES + 1):
                value = _object(line)
                sealed = value.get("age")
                if not line.endswith(b"\n") or not isinstance(sealed, str):
                    return
                waiting.append(age.decrypt(base64.b64decode(sealed), identities))
                if value.get("last") is True:
                    frame = _frame(b"".join(waiting))
                    waiting.clear()
                    if frame is None:
                        return
                    yield frame
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", "Was it made with --seal-to?") from error
    except (age.DecryptError, ValueError) as error:
        raise UsageError(
            f"{path} cannot be opened with this identity", "Use the one that belongs to --seal-to."
        ) from error


def _age() -> _Age:
    try:
        return cast("_Age", import_module("pyrage"))
    except ImportError as error:
        raise UsageError(
            "sealing needs pyrage, which is not installed", "Install the extra: mcp-sightline[seal]."
        ) from error


def _identities(age: _Age, path: Path) -> list[object]:
    content = private.read(path, _MAX_IDENTITY_BYTES)
    if content is None:
        raise UsageError(f"cannot read {path}: no such file", "age-keygen writes identities.")
    lines = [line.strip() for line in content.raw.decode("utf-8", "replace").splitlines()]
    try:
        found = [age.x25519.Identity.from_str(line) for line in lines if line and not line.startswith("#")]
    except age.IdentityError as error:
        raise UsageError(f"{path} holds no age identity", "It begins with AGE-SECRET-KEY-1.") from error
    if not found:
        raise UsageError(f"{path} holds no age identity", "It begins with AGE-SECRET-KEY-1.")
    return found


def _check_header(path: Path, value: JsonObject) -> None:
    if value.get("sightline") != FORMAT or value.get("version") != VERSION:
        raise UsageError(f"{path} holds no sealed frames of version {VERSION}", "Was it made with --seal-to?")


def _object(line: bytes) -> JsonObject:
    parsed = parse(line)
    return parsed.value if isinstance(parsed, JsonText) and isinstance(parsed.value, dict) else {}


def _frame(whole: bytes) -> Frame | None:
    size = int.from_bytes(whole[:4])
    about, raw = _object(whole[4 : 4 + size]), whole[4 + size :]
    number, at_s, ends = about.get("frame"), about.get("at"), about.get("ends")
    try:
        channel = Channel(str(about.get("channel")))
        direction = Direction(str(about.get("direction")))
    except ValueError:
        return None
    if not isinstance(number, int) or not isinstance(at_s, (int, float)):
        return None
    return Frame(
        number=number,
        at_s=float(at_s),
        direction=direction,
        channel=channel,
        raw=raw,
        head=str(about.get("head", "")),
        ends=ends if isinstance(ends, str) else None,
        body=parse(raw) if about.get("isJson") is True else None,
    )
