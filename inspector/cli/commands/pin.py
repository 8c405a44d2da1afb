"""`sightline pin TARGET`: keep the definitions of a server, and report later changes."""

from pathlib import Path

import click
from msgspec import Struct
from msgspec.structs import replace

from inspector.cli.commands.diff import listed
from inspector.cli.definitions import Instructions, change_lines, changes_shape
from inspector.cli.help import SectionedCommand
from inspector.cli.installed import agreed_servers
from inspector.cli.options import (
    ConnectionOptions,
    RecordingOptions,
    format_option,
    quiet_option,
    takes,
)
from inspector.cli.output import DIAGNOSTICS, columns, print_json, print_lines, table
from inspector.cli.prompts import agreed, can_ask
from inspector.cli.start import Invocation, in_session, launch_of, target_of
from inspector.errors import ExitCode, NotConfirmedError, UsageError
from inspector.json.exact import Json, JsonObject
from inspector.pins.files import (
    UnreadablePins,
    all_pins,
    known_as,
    read_pin,
    read_pin_at,
    remove_pin,
    write_pin,
)
from inspector.pins.identity import Identity
from inspector.pins.pins import Pinned, ServerDefinitions, changes_between, pin_state
from inspector.protocol.catalogue import Catalogue, Entry, Kind
from inspector.protocol.targets import Target
from inspector.safe_text import safe_line

_SHORT = 12
"""The number of digits of a fingerprint that a table shows."""


@click.command(
    name="pin",
    cls=SectionedCommand,
    exits=(ExitCode.STOPPED, ExitCode.DIFFERS),
    examples=("sightline pin -- node server.js", "sightline pin --check -- node server.js"),
)
@click.argument("target", required=False)
@click.option(
    "--installed",
    "is_installed",
    is_flag=True,
    help="Pin or check all configured servers (see sightline discover), after asking once.",
)
@click.option(
    "--yes",
    "is_agreed",
    is_flag=True,
    help="Accept what changed since an earlier pin, without a question; with --installed, also agree to start all servers.",
)
@click.option("--list", "shows_all", is_flag=True, help="List all pins.")
@click.option(
    "--check", "checks", is_flag=True, help="Report changes since the pin; exit with 12 if there are any."
)
@click.option("--remove", "removes", is_flag=True, help="Remove the pin.")
@click.option(
    "--file",
    metavar="FILE",
    help="Write the pin to this file, for example in a repository. With --check: compare with the pin in it.",
)
@format_option("text", "json")
@quiet_option
@takes("connection", ConnectionOptions)
@takes("recording", RecordingOptions)
@click.pass_obj
def command(  # noqa: PLR0913 - its four modes, and the groups of options
    invocation: Invocation,
    *,
    target: str | None,
    is_installed: bool,
    is_agreed: bool,
    shows_all: bool,
    checks: bool,
    removes: bool,
    file: str | None,
    format_: str,
    connection: ConnectionOptions,
    recording: RecordingOptions,
) -> int:
    """Pin the tools, resources, templates, prompts and instructions of TARGET, as they are listed now.

    If they differ from an earlier pin, the changes are shown, and you are asked whether to accept them.

    Sightline then reports later changes wherever you use the server, and asks before it calls a changed tool.
    """
    if shows_all + checks + removes > 1:
        raise UsageError("--list, --check and --remove do not work together", "Choose one of them.")
    if recording.path is not None and (shows_all or removes):
        raise UsageError("--record does not work with --list or --remove", "Leave it out.")
    if file is not None and (shows_all or removes or is_installed):
        raise UsageError("--file only works with one server", "Pin one server, or check it.")
    as_json = format_ == "json"
    has_target = target is not None or invocation.command_line is not None
    if shows_all:
        if has_target or is_installed:
            raise UsageError("--list takes no target", "It lists the pins of all servers.")
        return _list(as_json=as_json)
    if is_installed:
        if has_target or removes or recording.path is not None:
            raise UsageError("--installed takes no target, --remove or --record", "Leave it out.")
        servers = agreed_servers(connection, is_agreed=is_agreed)
        done = list(
            servers.each(lambda each: _done(each, connection, recording, checks=checks, is_agreed=is_agreed))
        )
        left_out: list[Json] = [{"server": each.server, "reason": each.why} for each in servers.left_out]
        _print(
            {"servers": [each.shape for each in done], "left_out": left_out},
            [line for each in done for line in (*each.lines, "")]
            + [f"! left out: {each.server}: {each.why}" for each in servers.left_out],
            as_json=as_json,
        )
        return max(servers.code, *(each.code for each in done), ExitCode.OK)
    chosen = target_of(target, connection, invocation.command_line)
    if removes:
        identity = known_as(chosen)
        removed = remove_pin(identity)
        if removed is None:
            raise UsageError(f"there is no pin of {identity}", "sightline pin --list shows all pins.")
        shape: JsonObject = {"server": str(removed), "removed": True}
        return _print(shape, [f"no longer pinned: {removed}"], as_json=as_json)
    path = Path(file) if file is not None else None
    made = _done(chosen, connection, recording, checks=checks, is_agreed=is_agreed, path=path)
    _print(made.shape, made.lines, as_json=as_json)
    return made.code


class Done(Struct, frozen=True, kw_only=True):
    """The outcome of pinning one server, or of comparing it with its pin."""

    shape: JsonObject
    lines: list[str]
    code: int = ExitCode.OK


def _done(
    target: Target,
    connection: ConnectionOptions,
    recording: RecordingOptions,
    *,
    checks: bool,
    is_agreed: bool,
    path: Path | None = None,
) -> Done:
    """Pin or check one server. Raises InspectorError.

    `is_agreed`: true if an option accepts all changes since an earlier pin. `path`: the pin file to use in place
    of the usual one.
    """
    identity = known_as(target)
    before = read_pin_at(path) if path else read_pin(identity)
    if before is None and checks:
        raise no_pin(path or identity)
    launch = launch_of(target, connection, recording=recording)
    DIAGNOSTICS.say(f"connecting to {target} …")
    now = in_session(launch, listed)
    if before is not None and checks:
        done = checked(before, now, identity)
        if path is None and identity.folder and not before.identity.folder:
            done = replace(done, lines=[*done.lines, _of_any_folder(identity)])
        return done
    accepted = before is None or is_agreed or not pin_state(now, pinned=before).altered
    if before is not None and not accepted:
        _accept(before, now, identity)
        # The question showed the changes, so they are not printed again.
        return _pinned(write_pin(identity, now, path), None)
    return _pinned(write_pin(identity, now, path), before)


def _accept(before: Pinned, now: ServerDefinitions, identity: Identity) -> None:
    """Show the changes since the pin, and ask whether to accept them. Raises NotConfirmedError if not."""
    lines = [safe_line(DIAGNOSTICS.mask(line)) for line in checked(before, now, identity).lines]
    if can_ask():
        click.echo("\n".join(lines), err=True)
        if agreed("Replace the pin?"):
            return
    else:
        DIAGNOSTICS.say("\n".join(lines))
    raise NotConfirmedError(
        f"the definitions differ from the pin of {before.at}, which is unchanged",
        "sightline pin --check shows the changes. To accept them, answer y in the terminal, or pass --yes.",
    )


def _of_any_folder(identity: Identity) -> str:
    return f"This pin is for all folders without a pin of their own, so it may be of another server. sightline pin makes one for {identity.folder}."


def no_pin(of: Path | Identity) -> UsageError:
    """The error that a server has no pin yet."""
    if isinstance(of, Path):
        return UsageError(f"there is no {of}", f"Pin the server first: sightline pin --file {of} TARGET.")
    hint = "Pin it first: sightline pin TARGET. A pin is found only if the target is written in the same way: see sightline pin --list."
    return UsageError(f"there is no pin of {of}", hint)


def checked(before: Pinned, now: ServerDefinitions, listed_from: Identity | None = None) -> Done:
    """The changes of a server's definitions since it was pinned.

    `listed_from`: the server that was listed; None for the pinned one.
    """
    state = pin_state(now, pinned=before)
    altered = state.altered[0] if state.altered else None
    tools = altered.tools if altered else ()
    instructions = Instructions(before=before.definitions.instructions, after=now.instructions)
    identity = listed_from or before.identity
    # A pin in a file may be of another server. Folders are not compared, because they differ by machine.
    is_other = (identity.kind, identity.name) != (before.identity.kind, before.identity.name)
    other = f", compared with the pin of {before.identity}" if is_other else ""
    lines = [f"{identity}{other}, pinned {before.at}", *change_lines(tools, instructions=instructions)]
    shape = changes_shape(tools, instructions=instructions)
    pin_of: JsonObject = {"pinOf": str(before.identity)} if is_other else {}
    return Done(
        shape={"server": str(identity), "pinned": before.at} | pin_of | shape,
        lines=lines,
        code=ExitCode.DIFFERS if state.altered else ExitCode.OK,
    )


def _pinned(pinned: Pinned, before: Pinned | None) -> Done:
    now = pinned.definitions
    old = before.definitions if before else now
    changes = changes_between(old, now)
    instructions = Instructions(before=old.instructions, after=now.instructions)
    count = len(now.tools)
    described = "no instructions" if now.instructions is None else "its instructions"
    others = len(now.items or ())
    more = f", {others} other definition{'' if others == 1 else 's'}" if others else ""
    lines = [
        f"pinned {count} tool{'' if count == 1 else 's'}{more} and {described} of {pinned.identity}",
        f"fingerprint {now.fingerprint}",
        *_findings_lines(now, pinned.identity),
    ]
    shape = _shape(pinned)
    if before is not None:
        lines += [f"since {before.at}:", *change_lines(changes, instructions=instructions)]
        shape |= changes_shape(changes, instructions=instructions)
    return Done(shape=shape, lines=lines)


def _findings_lines(now: ServerDefinitions, identity: Identity) -> list[str]:
    """A line that counts the findings about the pinned definitions, if any is of high severity."""
    from inspector.review.finding import Severity  # noqa: PLC0415 - the rules are only applied after pinning
    from inspector.review.registry import findings_of  # noqa: PLC0415 - as above
    from inspector.review.reviewed import reviewed  # noqa: PLC0415 - as above

    items = [each.item for each in now.items or () if each.item]
    entries: dict[Kind, tuple[Entry, ...]] = {
        kind: tuple(item for item in items if item.kind is kind) for kind in Kind if kind is not Kind.TOOL
    }
    server: JsonObject = {} if now.instructions is None else {"instructions": now.instructions}
    found = findings_of(reviewed(Catalogue(entries={**entries, Kind.TOOL: now.tools}), server=server))
    high = sum(finding.severity.rank >= Severity.HIGH.rank for finding in found)
    if not high:
        return []
    command = f"-- {identity.name}" if identity.kind == "stdio" else identity.name
    number = f"{len(found):,} finding{'' if len(found) == 1 else 's'}"
    return [f"! {number} in these definitions, {high:,} high: sightline review {command}"]


def _list(*, as_json: bool) -> int:
    pins = list(all_pins())
    good = [pin for pin in pins if isinstance(pin, Pinned)]
    bad = [pin for pin in pins if isinstance(pin, UnreadablePins)]
    shape: JsonObject = {
        "pins": [_shape(pin) for pin in good],
        "unreadable": [{"file": str(one.path), "reason": one.reason} for one in bad],
    }
    rows = [("PINNED", "TOOLS", "FINGERPRINT", "SERVER")]
    rows += [
        (pin.at, str(len(pin.definitions.tools)), pin.definitions.fingerprint[:_SHORT], str(pin.identity))
        for pin in good
    ]
    lines = table(rows, columns()) if good else ["No pins. sightline pin TARGET makes one."]
    lines += [f"! {one.path}: {one.reason}. Remove it, and pin the server again." for one in bad]
    return _print(shape, lines, as_json=as_json)


def _shape(pin: Pinned) -> JsonObject:
    tools: list[Json] = [tool.name for tool in pin.definitions.tools]
    return {
        "server": str(pin.identity),
        "pinned": pin.at,
        "fingerprint": pin.definitions.fingerprint,
        "instructions": pin.definitions.instructions is not None,
        "tools": tools,
    }


def _print(shape: JsonObject, lines: list[str], *, as_json: bool) -> int:
    if as_json:
        print_json(shape)
    else:
        print_lines(lines)
    return ExitCode.OK
