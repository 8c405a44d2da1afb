"""A call written as a `sightline call` command."""

import shlex
from collections.abc import Callable, Iterable

import msgspec
from msgspec import Struct

from inspector.json.exact import Json, JsonObject, dump, dump_text
from inspector.json.pointer import child, split
from inspector.protocol.catalogue import Kind, Tool, item_of
from inspector.protocol.targets import DemoTarget, HttpTarget, PageTarget, StdioTarget, Target, shown_command
from inspector.safe_text import safe, safe_line
from inspector.tui.call.arguments import sensitive_pointers


def editable(value: Json) -> str:
    """`value` as indented JSON without control and invisible characters, for an editor.

    The text parses to the same value. It is not indented if `value` contains NaN or is nested too deep.
    """
    raw = dump(value)
    try:
        text = msgspec.json.format(raw, indent=2).decode("utf-8", "surrogatepass")
    except (msgspec.MsgspecError, RecursionError):
        # The value contains NaN, or is nested too deep to be indented.
        text = dump_text(value)
    return _printable(text)


def _printable(text: str) -> str:
    """JSON text with control and invisible characters as escapes."""
    if safe(text) == text:
        return text
    return "".join(character if safe(character) == character else _escaped(character) for character in text)


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[index]:02x}{units[index + 1]:02x}" for index in range(0, len(units), 2))


class CommandLine(Struct, frozen=True, kw_only=True):
    """A command that makes a call again, and what was left out of the command."""

    text: str
    left_out: tuple[str, ...] = ()
    """Phrases for the user that name what was left out. They may quote untrusted text."""


def call_command(
    target: Target, name: str, arguments: JsonObject, sensitive: Iterable[str]
) -> CommandLine | str:
    """The command for a call, or the reason why there is none.

    `sensitive`: pointers into `arguments` to values that are left out. A terminal may run text that is pasted
    into it, so a command never contains control or invisible characters.
    """
    left_out: list[str] = []
    kept = arguments
    for pointer in sensitive:
        without = _without(kept, pointer)
        if without is not kept:
            kept = without
            left_out.append(f"the sensitive argument {pointer}")
    words = ["sightline", *_call_words(name, kept)]
    words += _target_words(target, left_out)
    if any(safe_line(word) != word for word in words):
        return "Not copied: the command would contain control or invisible characters."
    return CommandLine(text=shlex.join(words), left_out=tuple(left_out))


def _call_words(name: str, arguments: JsonObject) -> list[str]:
    item = item_of(name)
    if item is None:
        return ["call", name, *(["--args", _printable(dump_text(arguments))] if arguments else [])]
    words = ["prompt" if item.kind is Kind.PROMPT else "read", item.name]
    for key, value in arguments.items():
        words += ["--arg", f"{key}={value}" if isinstance(value, str) else f"{key}:={dump_text(value)}"]
    return words


def _target_words(target: Target, left_out: list[str]) -> list[str]:
    match target:
        case DemoTarget():
            return ["demo"]
        case HttpTarget(url=url, older_sse=older, headers=headers):
            left_out += [f"the value of the header {name}" for name, _ in headers]
            shown = str(target)
            if shown != url:
                left_out.append("user name and query of the URL")
            return [f"sse+{shown}" if older else shown]
        case PageTarget(url=url):
            shown = str(target)
            if shown.removeprefix("web+") != url:
                left_out.append("user name and query of the URL")
            return [*_browser_words(target), shown]
        case StdioTarget(command=command, environment=environment, cwd=cwd):
            left_out += [f"the value of the environment variable {name}" for name in environment]
            shown_words = shown_command(command)
            if shown_words != command:
                left_out.append("what looks like a credential in the command")
            return [*(["--cwd", cwd] if cwd else []), "--", *shown_words]


def _browser_words(target: PageTarget) -> list[str]:
    words = ["--cdp", target.cdp] if target.cdp else []
    words += ["--headed"] if target.is_headed else []
    words += ["--chromium", target.chromium] if target.chromium else []
    return [*words, *(["--polyfill"] if target.polyfill else [])]


def _without(arguments: JsonObject, pointer: str) -> JsonObject:
    """The arguments without the value at `pointer`; the same object if there is no such value."""
    path: list[JsonObject] = [arguments]
    tokens = split(pointer)
    for token in tokens[:-1]:
        inner = path[-1].get(token)
        if not isinstance(inner, dict):
            return arguments
        path.append(inner)
    if not tokens or tokens[-1] not in path[-1]:
        return arguments
    changed: JsonObject = {key: value for key, value in path[-1].items() if key != tokens[-1]}
    for container, token in zip(reversed(path[:-1]), reversed(tokens[:-1]), strict=True):
        changed = {**container, token: changed}
    return changed


def copied(
    target: Target, tool: Tool | str, arguments: JsonObject, repeats: Callable[[str], bool]
) -> CommandLine | str:
    """A call as a command, or the reason why there is none. Sensitive arguments are left out.

    `tool`: the tool, or its name if the server does not list it. With a name alone, no schema says which
    arguments are sensitive. `repeats`: returns true for a text that repeats a withheld value. Arguments with
    such a text are left out too, because even a default in the schema may repeat a withheld value.
    """
    withheld = [child("", name) for name, value in arguments.items() if repeats(f"{name} {dump_text(value)}")]
    if isinstance(tool, str):
        return call_command(target, tool, arguments, withheld)
    return call_command(target, tool.name, arguments, dict.fromkeys((*sensitive_pointers(tool), *withheld)))
