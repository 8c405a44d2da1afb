"""Policy files: TOML or JSON, accepted completely or not at all.

A policy file that a project contains is used only if the user names it.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from json.decoder import scanstring  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]
from pathlib import Path
from typing import cast

from inspector.errors import UsageError
from inspector.json.exact import Json, JsonText, Malformed, parse
from inspector.json.members import value_at
from inspector.json.pointer import split
from inspector.policy.built_in import DEFAULT_POLICY
from inspector.policy.reading import policy_of
from inspector.policy.rules import Policy

MAX_BYTES = 1024 * 1024

_HINT = "docs/policy.md describes rules. Sightline makes no call with an incomplete policy."
_RULE = re.compile(r"^[ \t]*\[\[[ \t]*(?:rules|\"rules\"|'rules')[ \t]*\]\]", re.MULTILINE)
_SPACE = re.compile(r"[ \t\r\n]*")


def read_policy(path: str) -> Policy:
    """The policy in a file: JSON if it ends in `.json`, otherwise TOML.

    Raises UsageError with the line and the reason.
    """
    try:
        with Path(path).open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a path"
        raise UsageError(f"cannot read {path}: {reason}", "Check the path of the policy.") from error
    if len(raw) > MAX_BYTES:
        raise UsageError(f"{path} is larger than {MAX_BYTES:,} bytes", "Is this a policy?")
    return parse_policy(raw, path)


def parse_policy(raw: bytes, where: str) -> Policy:
    """The policy in the bytes of a file. `where`: the name of the file in errors. Raises UsageError."""
    is_json = where.lower().endswith(".json")
    value, lines = _from_json(raw, where) if is_json else _from_toml(raw, where)
    policy = policy_of(value, DEFAULT_POLICY)
    if isinstance(policy, Malformed):
        raise UsageError(f"{where}, {_place(policy.pointer, lines)}{policy.reason}", _HINT)
    return policy


def _from_json(raw: bytes, where: str) -> tuple[Json, tuple[int, ...]]:
    parsed = parse(raw)
    if isinstance(parsed, Malformed):
        raise UsageError(f"{where}: {parsed.reason}", _HINT)
    if parsed.faults:
        raise UsageError(f"{where}: not JSON: {'; '.join(parsed.faults)}", _HINT)
    try:
        return parsed.value, tuple(_lines_in_json(raw.decode(), parsed))
    except (RecursionError, ValueError):
        # JSON that nests too deeply, or has too long a number, is no policy. Errors name its rules by number.
        return parsed.value, ()


def _from_toml(raw: bytes, where: str) -> tuple[Json, tuple[int, ...]]:
    try:
        text = raw.decode()
        content = _plain(tomllib.loads(text), where)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: not TOML: {error}", _HINT) from error
    lines = tuple(text.count("\n", 0, rule.start()) + 1 for rule in _RULE.finditer(text))
    return content, lines


def _plain(value: object, where: str) -> Json:
    """The TOML value as JSON. Raises UsageError for dates and times."""
    match value:
        case dict():
            members = cast("dict[str, object]", value)
            return {key: _plain(member, where) for key, member in members.items()}
        case list():
            return [_plain(item, where) for item in cast("list[object]", value)]
        case bool() | int() | float() | str():
            return value
        case _:
            raise UsageError(
                f"{where}: {value} is a date or a time, but no fact has such a value", "Write it in quotes."
            )


def _place(pointer: str, lines: tuple[int, ...]) -> str:
    """The beginning of an error message: the line of the rule with the error, or else the rule's number."""
    parts = split(pointer)
    if len(parts) < 2 or parts[0] != "rules":
        return f"line 1: {pointer}: " if pointer else "line 1: "
    index = int(parts[1])
    place = f"line {lines[index]}" if index < len(lines) else f"rule number {index + 1}"
    within = "/".join(parts[2:])
    return f"{place}, {within}: " if within else f"{place}: "


def _lines_in_json(text: str, parsed: JsonText) -> Iterator[int]:
    """The line on which each item of the top-level `rules` begins; nothing if there is no such list."""
    rules = value_at(parsed.value, "rules")
    if not isinstance(rules, list) or not rules:
        return
    decoder = json.JSONDecoder(strict=False)
    position = _skip(text, _skip(text, 0) + 1)
    while True:
        key, position = cast("tuple[str, int]", scanstring(text, position + 1, False))
        position = _skip(text, _skip(text, position) + 1)
        if key == "rules":
            break
        position = _skip(text, _skip(text, decoder.raw_decode(text, position)[1]) + 1)
    for _ in rules:
        position = _skip(text, position + 1)
        yield text.count("\n", 0, position) + 1
        position = _skip(text, decoder.raw_decode(text, position)[1])


def _skip(text: str, position: int) -> int:
    blanks = _SPACE.match(text, position)
    return blanks.end() if blanks else position
