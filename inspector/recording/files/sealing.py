"""Stores raw frames in a file next to a recording, encrypted to an age recipient.

Writing needs no private key.

Source: age-encryption.org/v1, through pyrage. A frame is encrypted in parts, so that no step takes long, and
only the last part is lost if the process ends.
"""

import base64
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Protocol, Self, cast

from inspector.errors import UsageError
from inspector.files import private
from inspector.json.exact import Json, JsonObject, JsonText, dump, parse
from inspector.json.members import object_at, text_at
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.recording.codec import MAX_LINE_BYTES

SUFFIX = ".sealed"
FORMAT, VERSION = "sealed", 2
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
    """The path of the file with the sealed (encrypted) frames of a recording."""
    return recording.with_name(recording.name + SUFFIX)


class Sealer:
    """Writes frames encrypted to an age recipient."""

    def __init__(self, recording: Path, recipient: str) -> None:
        """`recipient`: an age recipient, `age1…`.

        Raises UsageError if it is not an age recipient, or if the file cannot be created.
        """
        self._age = _age()
        try:
            self._recipients = [self._age.x25519.Recipient.from_str(recipient)]
        except self._age.RecipientError as error:
            raise UsageError(
                "--seal-to: not an age recipient", "An age recipient begins with age1; see age-keygen."
            ) from error
        self._path = sealed_path(recording)
        self._file = private.create(self._path)
        self._line({"sightline": FORMAT, "version": VERSION, "recording": recording.name})

    def frame(self, frame: Frame) -> None:
        """Write one frame, one line for each part. Raises OSError."""
        about: JsonObject = {
            "frame": frame.number,
            "at": frame.at_s,
            "direction": frame.direction.value,
            "channel": frame.channel.value,
            "head": frame.head,
            "ends": frame.ends,
            "responseTo": frame.response_to,
            "isJson": frame.body is not None,
        }
        head = dump(about)
        whole = len(head).to_bytes(4) + head + frame.raw
        parts = range(0, len(whole), _PART_BYTES)
        for start in parts:
            sealed = self._age.encrypt(whole[start : start + _PART_BYTES], self._recipients)
            is_last = start == parts[-1]
            self._line({"frame": frame.number, "last": is_last, "age": base64.b64encode(sealed).decode()})

    def discard(self) -> None:
        self._file.close()
        self._path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _line(self, line: Json) -> None:
        self._file.write(dump(line) + b"\n")
        self._file.flush()


class SealedFrames:
    """The sealed frames of a recording, found by an index and decrypted on request."""

    def __init__(self, recording: Path, identity: Path) -> None:
        """Find the frames. `identity`: the file of the private key, as age-keygen writes it. Raises UsageError."""
        self._age = _age()
        self._identities = _identities(self._age, identity)
        self._path = sealed_path(recording)
        self._places: dict[int, int] = {}
        try:
            self._file = self._path.open("rb")
        except OSError as error:
            raise _unreadable(self._path, error) from error
        try:
            self._find()
            self._try_identity()
        except BaseException:
            self._file.close()
            raise

    def frame(self, number: int) -> Frame | None:
        """Decrypt the frame `number`; None if the file does not contain all of it.

        Raises UsageError if the age identity (the private key) cannot decrypt it.
        """
        place = self._places.get(number)
        if place is None:
            return None
        self._file.seek(place)
        whole = bytearray()
        while line := self._file.readline(MAX_LINE_BYTES + 1):
            value = _object(line)
            sealed = text_at(value, "age")
            if not line.endswith(b"\n") or sealed is None:
                return None
            whole += self._opened(sealed)
            if value.get("last") is True:
                return _frame(bytes(whole))
        return None

    def close(self) -> None:
        self._file.close()

    def _find(self) -> None:
        _check_header(self._path, _object(self._file.readline(MAX_LINE_BYTES + 1)))
        place, begins = self._file.tell(), True
        while line := self._file.readline(MAX_LINE_BYTES + 1):
            value = _object(line)
            number = value.get("frame")
            if begins and isinstance(number, int):
                self._places.setdefault(number, place)
            begins = value.get("last") is True
            place = self._file.tell()

    def _try_identity(self) -> None:
        """Decrypt one frame, to fail at once if the private key is not the right one."""
        number = next(iter(self._places), None)
        if number is not None:
            self.frame(number)

    def _opened(self, sealed: str) -> bytes:
        try:
            return self._age.decrypt(base64.b64decode(sealed), self._identities)
        except (self._age.DecryptError, ValueError) as error:
            raise UsageError(
                f"{self._path} cannot be opened with this identity",
                "Use the identity of the recipient that --seal-to named.",
            ) from error


def _unreadable(path: Path, error: OSError) -> UsageError:
    return UsageError(f"cannot read {path}: {error.strerror}", "Was the recording made with --seal-to?")


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
        raise UsageError(f"cannot read {path}: no such file", "age-keygen creates identities.")
    lines = [line.strip() for line in content.raw.decode("utf-8", "replace").splitlines()]
    try:
        identities = [
            age.x25519.Identity.from_str(line) for line in lines if line and not line.startswith("#")
        ]
    except age.IdentityError as error:
        raise UsageError(
            f"{path} holds no age identity", "An age identity begins with AGE-SECRET-KEY-1."
        ) from error
    if not identities:
        raise UsageError(f"{path} holds no age identity", "An age identity begins with AGE-SECRET-KEY-1.")
    return identities


def _check_header(path: Path, value: JsonObject) -> None:
    if value.get("sightline") != FORMAT or value.get("version") != VERSION:
        raise UsageError(
            f"{path} holds no sealed frames of version {VERSION}", "Was the recording made with --seal-to?"
        )


def _object(line: bytes) -> JsonObject:
    parsed = parse(line)
    return object_at(parsed.value) if isinstance(parsed, JsonText) else {}


def _frame(whole: bytes) -> Frame | None:
    size = int.from_bytes(whole[:4])
    about, raw = _object(whole[4 : 4 + size]), whole[4 + size :]
    number, at_s = about.get("frame"), about.get("at")
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
        ends=text_at(about, "ends"),
        response_to=text_at(about, "responseTo"),
        body=parse(raw) if about.get("isJson") is True else None,
    )
