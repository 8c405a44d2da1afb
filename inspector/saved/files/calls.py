"""Reads and writes saved calls: a table `[calls.NAME]` for each, with its expectations in `[calls.NAME.expect]`."""

import importlib
import json
import os
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from math import isfinite
from pathlib import Path
from typing import Protocol, cast

import msgspec

from inspector.boundary.bounded import ErrorCode
from inspector.errors import UsageError
from inspector.json.exact import Json, JsonObject, JsonText, dump_text, parse
from inspector.json.pointer import split
from inspector.saved.call import ALL_HOSTS, Expectations, SavedCall
from inspector.saved.secret_arguments import may_be_secret

USUAL_FILE = "calls.toml"
MAX_BYTES = 16 * 1024 * 1024

_LEAST_KNOWN = 8
"""The minimum number of characters of a secret that is looked for among the values of environment variables.

A variable may have the same value as a shorter secret by chance.
"""
_FORM = "docs/saved-calls.md describes the file."
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SOURCE = re.compile(r"env:([A-Za-z_][A-Za-z0-9_]*)|keyring:([^/]+)/(.+)")
_UNWRITABLE = re.compile(r"[\x00-\x1f\x7f]")


class _Expect(msgspec.Struct, forbid_unknown_fields=True):
    fits_schema: bool = False
    equals: dict[str, object] = {}
    contains: str | list[str] = []
    matches: dict[str, object] | bool | str | None = None
    withheld: str | list[str] = []
    absent_for: str | list[str] = []
    at_most_tokens: int | None = None
    at_most_ms: float | None = None
    error: str = ""


class _Call(msgspec.Struct, forbid_unknown_fields=True):
    tool: str
    arguments: dict[str, object] | str = {}
    secrets: dict[str, str] = {}
    server: str = ""
    expect: _Expect = msgspec.field(default_factory=_Expect)


class _File(msgspec.Struct, forbid_unknown_fields=True):
    calls: dict[str, dict[str, object]] = {}


class _Keyring(Protocol):
    def get_password(self, service: str, username: str) -> str | None: ...


def read_calls(path: str) -> tuple[SavedCall, ...]:
    """All calls of a file, in file order. Raises UsageError."""
    text = _text(path)
    try:
        file = msgspec.convert(tomllib.loads(text), _File)
        return tuple(_call(path, name, held) for name, held in file.calls.items())
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not TOML: {error}", _FORM) from None
    except msgspec.ValidationError as error:
        raise UsageError(f"{path}: {error}", _FORM) from error
    except RecursionError:
        raise UsageError(f"{path}: nested too deep", _FORM) from None


def append_call(path: str, saved: SavedCall) -> None:
    """Add a call to a file, which is created if needed. The existing content does not change.

    Raises UsageError.
    """
    file = Path(path)
    check_new(path, saved.name)
    try:
        start = "\n" if file.exists() and file.stat().st_size else ""
        with file.open("a", encoding="utf-8") as opened:
            opened.write(start + "\n".join(written(saved)) + "\n")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}", "Check the folder.") from error
    except UnicodeEncodeError as error:
        raise UsageError(
            f"cannot write {path}: an argument holds a lone surrogate, which is not Unicode text",
            "Change the argument, or do not save this call.",
        ) from error


def check_new(path: str, name: str) -> None:
    """Raise UsageError if the file has a call of that name, or cannot be read."""
    if Path(path).exists() and any(each.name == name for each in read_calls(path)):
        raise UsageError(f"{path} has a call {name} already", "Choose another name, or remove that call.")


def without_secrets(
    arguments: JsonObject, schema: Json, *, also: Collection[str] = ()
) -> tuple[JsonObject, dict[str, str]]:
    """The arguments that may be written to the file, and the sources from which to read the others.

    `also`: the names of further secret arguments. Raises UsageError if a secret argument is not a text.
    """
    names = may_be_secret(arguments, schema).union(also)
    secrets: dict[str, str] = {}
    for argument, value in arguments.items():
        if argument not in names:
            continue
        if not isinstance(value, str):
            raise UsageError(
                f"not saved: the argument {argument} may hold a secret, and is not text",
                "Write the call into the file without it. Only a string can come from `secrets`.",
            )
        secrets[argument] = source_of(argument, value)
    return {name: value for name, value in arguments.items() if name not in secrets}, secrets


def source_of(argument: str, value: str = "") -> str:
    """The source to write for a secret argument: `env:NAME`.

    NAME is an environment variable of this process whose value is `value`, the value of the argument. If
    there is no such variable, NAME is made from the name of the argument.
    """
    known = [name for name, each in os.environ.items() if each == value and len(value) >= _LEAST_KNOWN]
    usual = re.sub(r"[^A-Za-z0-9]", "_", argument).upper()
    return f"env:{known[0] if known else f'_{usual}' if usual[:1].isdigit() else usual}"


def secret_values(saved: SavedCall) -> dict[str, str]:
    """The values of a call's secrets by argument, from the environment or the keyring. Raises UsageError."""
    return {name: _secret(saved, name, source) for name, source in saved.secrets.items()}


def written(saved: SavedCall) -> Iterator[str]:
    """A call as lines of TOML."""
    table = f"calls.{_key(saved.name)}"
    yield f"[{table}]"
    if saved.server:
        yield f"server = {_string(saved.server)}"
    yield f"tool = {_string(saved.tool)}"
    if saved.arguments:
        as_table = _value(saved.arguments)
        # TOML has no null, so arguments with null are written as JSON in a string.
        yield f"arguments = {as_table if as_table is not None else _string(dump_text(saved.arguments))}"
    if saved.secrets:
        yield f"secrets = {_value(dict(saved.secrets))}"
    expect = saved.expect
    yield f"[{table}.expect]"
    if expect.fits_schema:
        yield "fits_schema = true"
    if expect.equals:
        yield f"equals = {_value(expect.equals)}"
    if expect.contains:
        yield f"contains = {_value(list(expect.contains))}"
    if expect.matches is not None:
        yield f"matches = {_value(expect.matches)}"
    if expect.withheld:
        yield f"withheld = {_value(list(expect.withheld))}"
    if expect.error:
        yield f"error = {_string(expect.error)}"


def _text(path: str) -> str:
    try:
        with Path(path).open("rb") as opened:
            raw = opened.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            raise UsageError(f"{path} is larger than {MAX_BYTES:,} bytes", "Is this the right file?")
        return raw.decode("utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot read {path}: {error.strerror}", "sightline call … --save NAME makes one."
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 (byte {error.start})", "Save it as UTF-8.") from error


def _call(path: str, name: str, held: dict[str, object]) -> SavedCall:
    where = f"{path}, call {name}"
    try:
        call = msgspec.convert(held, _Call)
    except msgspec.ValidationError as error:
        raise UsageError(f"{where}: {error}", _FORM) from error
    for argument, source in call.secrets.items():
        if not _SOURCE.fullmatch(source):
            # The text may be the secret itself, so it is not quoted.
            raise UsageError(
                f"{where}: the secret {argument} has no valid source",
                "Write env:NAME or keyring:SERVICE/USER.",
            )
    expect = call.expect
    if expect.error and expect.error not in set(ErrorCode):
        raise UsageError(f"{where}: {expect.error} is not an error code", f"Codes: {', '.join(ErrorCode)}.")
    pointers = (*expect.equals, *_listed(expect.withheld))
    for pointer in pointers:
        _check_pointer(pointer, where)
    return SavedCall(
        name=name,
        tool=call.tool,
        arguments=_arguments(call.arguments, where),
        secrets=call.secrets,
        server=call.server,
        expect=Expectations(
            fits_schema=expect.fits_schema,
            equals={pointer: _json(value, where) for pointer, value in expect.equals.items()},
            contains=_listed(expect.contains),
            matches=_schema(expect.matches, where),
            withheld=_listed(expect.withheld),
            absent_for=_hosts(_listed(expect.absent_for), where),
            at_most_tokens=expect.at_most_tokens,
            at_most_ms=expect.at_most_ms,
            error=expect.error,
        ),
    )


def _check_pointer(pointer: str, where: str) -> None:
    try:
        split(pointer)
    except ValueError as error:
        raise UsageError(f"{where}: {pointer} is not a JSON pointer", "Write it as /member/0.") from error


def _hosts(names: tuple[str, ...], where: str) -> tuple[str, ...]:
    if names:
        from inspector.hosts.registry import host  # noqa: PLC0415 - loads every profile

        unknown = [name for name in names if name != ALL_HOSTS and host(name) is None]
        if unknown:
            raise UsageError(
                f"{where}: no host {unknown[0]}", f'sightline hosts lists them; "{ALL_HOSTS}" means all.'
            )
    return names


def _listed(value: str | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _arguments(value: dict[str, object] | str, where: str) -> JsonObject:
    arguments = _json(value, where) if isinstance(value, dict) else _parsed(value, where)
    if not isinstance(arguments, dict):
        raise UsageError(f"{where}: the arguments are not an object", _FORM)
    return arguments


def _schema(value: dict[str, object] | bool | str | None, where: str) -> Json:  # noqa: FBT001 - a schema may be a bool
    return _parsed(value, where) if isinstance(value, str) else _json(value, where)


def _parsed(text: str, where: str) -> Json:
    match parse(text):
        case JsonText(value=value):
            return value
        case _:
            raise UsageError(f"{where}: a string in place of a table must contain JSON", _FORM)


def _json(value: object, where: str) -> Json:
    """A TOML value as JSON. Raises UsageError for dates and other values that JSON does not have."""
    match value:
        case float() if not isfinite(value):
            raise UsageError(f"{where}: JSON has no {value}", "Write it as text, in quotes.")
        case None | bool() | int() | float() | str():
            return value
        case list():
            return [_json(each, where) for each in cast("list[object]", value)]
        case dict():
            return {key: _json(each, where) for key, each in cast("dict[str, object]", value).items()}
        case _:
            raise UsageError(f"{where}: JSON has no {type(value).__name__}", "Write it as text, in quotes.")


def _secret(saved: SavedCall, argument: str, source: str) -> str:
    where = f"call {saved.name}: the secret {argument}"
    variable, service, user = (_SOURCE.fullmatch(source) or re.fullmatch("()()()", "")).groups()  # pyright: ignore[reportOptionalMemberAccess]
    if variable:
        value = os.environ.get(variable)
        hint = f"Set {variable} in the environment."
    else:
        value = _from_keyring(service, user, where)
        hint = f"Add it with: keyring set {service} {user}"
    if value is None:
        raise UsageError(f"{where} has no value", hint)
    return value


def _from_keyring(service: str, user: str, where: str) -> str | None:
    try:
        keyring = cast("_Keyring", importlib.import_module("keyring"))
    except ImportError as error:
        raise UsageError(f"{where} needs the package keyring", "pip install keyring") from error
    try:
        return keyring.get_password(service, user)
    except Exception as error:  # noqa: BLE001 - backends raise any exception, and may quote the secret
        raise UsageError(f"{where} cannot be read: {type(error).__name__}", "Unlock the keyring.") from None


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else _string(name)


def _string(text: str) -> str:
    """A basic string of TOML, which escapes like JSON."""
    return _UNWRITABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))


def _value(value: Json | Mapping[str, Json]) -> str | None:
    """A value as TOML in one line; None if TOML cannot express it."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() if -(2**63) <= value < 2**63:
            return str(value)
        case str():
            return _string(value)
        case float():
            text = dump_text(value)
            return text if set(text) & set(".eE") else f"{text}.0"
        case list():
            items = [_value(each) for each in value]
            return None if None in items else f"[{', '.join(str(item) for item in items)}]"
        case dict():
            pairs = [(key, _value(each)) for key, each in value.items()]
            if any(each is None for _, each in pairs):
                return None
            return f"{{ {', '.join(f'{_key(key)} = {each}' for key, each in pairs)} }}" if pairs else "{}"
        case _:
            return None
