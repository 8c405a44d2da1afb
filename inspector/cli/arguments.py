"""The arguments of a call, as the options of a command name them."""

import sys
from collections.abc import Sequence
from pathlib import Path

from inspector.errors import UsageError
from inspector.json.exact import JsonObject
from inspector.protocol.catalogue import Tool
from inspector.schema.arguments import assigned, from_json


def given_arguments(whole: str | None, single: Sequence[str], tool: Tool | None) -> JsonObject:
    """`--args` (JSON, `@FILE` or `-` for stdin) with each `--arg` on top. Raises UsageError."""
    return {**whole_arguments(whole), **assigned(single, tool.input_schema if tool else {})}


def whole_arguments(whole: str | None) -> JsonObject:
    """`--args`: JSON, `@FILE` or `-` for stdin; nothing where it is not given. Raises UsageError."""
    return from_json(_read(whole)) if whole is not None else {}


def _read(word: str) -> str:
    if word == "-":
        return sys.stdin.read()
    if word.startswith("@"):
        try:
            return Path(word[1:]).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"cannot read {word[1:]}: {error}", "Check --args @FILE.") from error
    return word
