"""`sightline pin TARGET`: take the definitions of a server for good, and tell later what changed."""

from dataclasses import dataclass

import click

from inspector.cli.changes import change_lines, changes_shape
from inspector.cli.commands.diff import listed
from inspector.cli.diagnostics import DIAGNOSTICS, DIFFERS, OK
from inspector.cli.options import Invocation, in_session, reach_of, reaching
from inspector.cli.output import columns, print_json, print_lines, table
from inspector.cli.recording import recording, wish_of
from inspector.errors import UsageError
from inspector.json.exact import Json, JsonObject
from inspector.pins.diff import definition_changes
from inspector.pins.files import Unreadable, all_pins, known_as, read_pin, remove_pin, write_pin
from inspector.pins.pins import Definitions, Pinned, pin_state

_SHORT = 12
"""Digits of a fingerprint that a table shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    shows_all: bool
    checks: bool
    removes: bool
    as_json: bool


@click.command(name="pin")
@reaching
@recording
@click.option("--list", "shows_all", is_flag=True, help="List what is pinned.")
@click.option(
    "--check",
    "checks",
    is_flag=True,
    help="Tell what changed since; exit 12 where anything did, pin nothing.",
)
@click.option("--remove", "removes", is_flag=True, help="Let go of the pin of TARGET.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    target: str | None,
    shows_all: bool,
    checks: bool,
    removes: bool,
    format_: str,
    **options: object,
) -> int:
    """Pin the tools and the instructions of TARGET, as they are listed now.

    A definition that changes later is told wherever the server is used, and asked about before it is called.
    """
    if shows_all + checks + removes > 1:
        raise UsageError("--list, --check and --remove exclude each other", "Choose one of them.")
    wish = _Wish(shows_all=shows_all, checks=checks, removes=removes, as_json=format_ == "json")
    reach, recorded = reach_of(options), wish_of(options)
    if recorded.path is not None and (shows_all or removes):
        raise UsageError("--record records a session, and this needs none", "Leave it out.")
    if shows_all:
        if target is not None or invocation.command_line is not None:
            raise UsageError("--list takes no target", "It lists what is pinned of every server.")
        return _list(wish)
    chosen = reach.target(target, invocation)
    identity = known_as(chosen)
    if removes:
        if not remove_pin(identity):
            raise UsageError(f"nothing is pinned of {identity}", "sightline pin --list shows what is.")
        _tell(wish, {"server": str(identity), "removed": True}, [f"no longer pinned: {identity}"])
        return OK
    before = read_pin(identity)
    if before is None and checks:
        raise UsageError(f"nothing is pinned of {identity}", "Pin it first: sightline pin TARGET.")
    DIAGNOSTICS.say(f"connecting to {chosen} …")
    now = in_session(chosen, recorded.taken(reach.options(), chosen), listed)
    if before is not None and checks:
        return _check(before, now, wish)
    pinned = write_pin(identity, now)
    _pinned(pinned, before, wish)
    return OK


def _check(before: Pinned, now: Definitions, wish: _Wish) -> int:
    state = pin_state(now, pinned=before)
    found = state.altered[0] if state.altered else None
    tools, instructions = (found.tools, found.instructions_changed) if found else ((), False)
    shape = changes_shape(tools, instructions=instructions)
    lines = change_lines(tools, instructions=instructions)
    _tell(
        wish,
        {"server": str(before.identity), "pinned": before.at} | shape,
        [f"{before.identity}, pinned {before.at}", *lines],
    )
    return DIFFERS if state.altered else OK


def _pinned(pinned: Pinned, before: Pinned | None, wish: _Wish) -> None:
    now = pinned.definitions
    old = before.definitions if before else now
    changes = definition_changes(old.tools, now.tools)
    instructions = old.instructions != now.instructions
    count = len(now.tools)
    said = "no instructions" if now.instructions is None else "its instructions"
    lines = [
        f"pinned {count} tool{'' if count == 1 else 's'} and {said} of {pinned.identity}",
        f"fingerprint {now.fingerprint}",
    ]
    if before is not None:
        lines += [f"since {before.at}:", *change_lines(changes, instructions=instructions)]
    _tell(wish, _shape(pinned) | (changes_shape(changes, instructions=instructions) if before else {}), lines)


def _list(wish: _Wish) -> int:
    found = list(all_pins())
    good = [pin for pin in found if isinstance(pin, Pinned)]
    bad = [pin for pin in found if isinstance(pin, Unreadable)]
    shape: JsonObject = {
        "pins": [_shape(pin) for pin in good],
        "unreadable": [{"file": str(one.path), "reason": one.reason} for one in bad],
    }
    rows = [("PINNED", "TOOLS", "FINGERPRINT", "SERVER")]
    rows += [
        (pin.at, str(len(pin.definitions.tools)), pin.definitions.fingerprint[:_SHORT], str(pin.identity))
        for pin in good
    ]
    lines = table(rows, columns()) if good else ["Nothing is pinned: sightline pin TARGET does."]
    lines += [f"! {one.path}: {one.reason}. Remove it, and pin the server again." for one in bad]
    _tell(wish, shape, lines)
    return OK


def _shape(pin: Pinned) -> JsonObject:
    tools: list[Json] = [tool.name for tool in pin.definitions.tools]
    return {
        "server": str(pin.identity),
        "pinned": pin.at,
        "fingerprint": pin.definitions.fingerprint,
        "instructions": pin.definitions.instructions is not None,
        "tools": tools,
    }


def _tell(wish: _Wish, shape: JsonObject, lines: list[str]) -> None:
    if wish.as_json:
        print_json(shape)
    else:
        print_lines(lines)
