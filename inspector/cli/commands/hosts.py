"""`sightline hosts`: the host profiles, with versions and sources.

With --compare, it shows what the model of each host gets of one result.
"""

from collections import Counter
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from inspector.boundary.options import Level
from inspector.cli.help import SectionedCommand, WordChoice
from inspector.cli.options import format_option, host_profile, server_name_option
from inspector.cli.output import columns, print_json, print_lines, table
from inspector.errors import ExitCode, UsageError
from inspector.hosts.registry import host, hosts, without_profile
from inspector.json.document import MAX_LINES
from inspector.json.exact import JsonObject
from inspector.safe_text import safe_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.hosts.comparison import Comparison, HostRow
    from inspector.hosts.leaks import LeakPlace
    from inspector.hosts.profile import Host

_HEAD = ("HOST", "VERSION", "BYTES", "LEAKS UNPROTECTED", "OBSERVED", "WHAT IT DOES")


@click.command(
    cls=SectionedCommand,
    examples=(
        "sightline hosts claude-code",
        "sightline hosts --compare --result result.json --tool tool.json",
    ),
)
@click.argument("name", required=False)
@click.option("--compare", is_flag=True, help="Show what the model of each host gets of one result.")
@click.option("--result", "result_file", metavar="FILE", help="The result to compare; - is stdin.")
@click.option(
    "--tool",
    "tool_file",
    metavar="FILE[#NAME]",
    help="The tool's definition, or FILE#NAME for a tool in the output of sightline list --json; - is stdin.",
)
@server_name_option
@click.option(
    "--boundary",
    type=WordChoice(Level),
    help="Which values are withheld from the models.  [default: declared]",
)
@click.option(
    "--host", "host_name", metavar="NAME", help="Also print what the model of this host sees, in full."
)
@click.option(
    "--unmask", is_flag=True, help="With --boundary open: show sensitive values in what the models see."
)
@format_option("text", "json")
def command(  # noqa: PLR0913 - an option each
    *,
    name: str | None,
    compare: bool,
    result_file: str | None,
    tool_file: str | None,
    server_name: str | None,
    boundary: Level | None,
    host_name: str | None,
    unmask: bool,
    format_: str,
) -> int:
    """List the hosts whose model view Sightline can show; describe the host NAME; or compare all on one result."""
    as_json = format_ == "json"
    if name is not None and host(name) is None:
        from inspector.cli.inputs import result_hint  # noqa: PLC0415 - as in `_compared`

        hint = result_hint(name)
        if hint:
            raise UsageError(
                f"no host {name}", f"{hint} With --compare, it compares all hosts on that result."
            )
    if compare and name is not None:
        raise UsageError(
            f"--compare compares all hosts, not only {name}", f"Add --host {name} to see its model in full."
        )
    if not compare:
        options = result_file, tool_file, server_name, boundary, host_name, unmask or None
        if any(given is not None for given in options):
            raise UsageError("these options only work with --compare", "Add --compare and --result FILE.")
        profile = host_profile(name) if name is not None else None
        if profile is not None and not as_json:
            print_lines(_description(profile))
        else:
            _list(hosts() if profile is None else (profile,), as_json=as_json)
        return ExitCode.OK
    if result_file is None:
        raise UsageError("--compare needs a result", "Add --result FILE; - is stdin.")
    if result_file == "-" and tool_file == "-":
        raise UsageError("--result - and --tool - both read stdin", "Put one of them into a file.")
    if unmask and boundary is not Level.OPEN:
        raise UsageError("--unmask only works with --boundary open", "The other boundaries show no secrets.")
    if host_name is not None:
        host_profile(host_name)
    found = _compared(
        result_file, tool_file, server_name or "server", boundary or Level.DECLARED, unmask=unmask
    )
    if as_json:
        print_json(_comparison_shape(found))
        return ExitCode.OK
    print_lines(_comparison_lines(found, columns(), has_tool=tool_file is not None))
    row = found.row(host_name) if host_name else None
    if row:
        print_lines(["", *_host_lines(row, found.level)])
    return ExitCode.OK


def _description(host: "Host") -> list[str]:
    """Lines that describe a host profile in full, with one fact on each line."""
    facts = (
        ("host", f"{host.name}: {host.title}, version {host.version}"),
        ("evidence", f"{host.how}; as of {host.as_of}"),
        ("source", host.source),
        ("its model gets", host.model_gets),
        ("notes", host.notes),
    )
    return [f"{label:<16}{words}" for label, words in facts if words]


def _list(profiles: "Sequence[Host]", *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "hosts": [
                    {
                        "name": host.name,
                        "title": host.title,
                        "version": host.version,
                        "asOf": host.as_of,
                        "how": host.how,
                        "source": host.source,
                        "notes": host.notes,
                    }
                    for host in profiles
                ]
            }
        )
        return
    rows = [("HOST", "VERSION", "AS OF", "EVIDENCE", "NOTES")]
    rows += [(host.name, host.version, host.as_of, host.how, host.notes) for host in profiles]
    print_lines([*table(rows, columns(), is_whole=True), "", without_profile()])


def _compared(
    result_file: str, tool_file: str | None, server_name: str, level: Level, *, unmask: bool
) -> "Comparison":
    """Compare what the models of all hosts get of one result.

    At the boundary level `open`, secrets are masked in the views, unless `unmask` is true.
    """
    from inspector.boundary.judgement import Judgement  # noqa: PLC0415
    from inspector.boundary.options import DEFAULT_POLICY  # noqa: PLC0415
    from inspector.cli.inputs import nonce_of, read_outcome, read_tool  # noqa: PLC0415 - a list needs no rules
    from inspector.hosts.comparison import compare  # noqa: PLC0415
    from inspector.hosts.masks import masks_of  # noqa: PLC0415
    from inspector.hosts.profile import Call  # noqa: PLC0415

    outcome = read_outcome(result_file)
    tool = read_tool(tool_file) if tool_file else None
    call = Call(server=server_name, tool=tool.name if tool else "tool", nonce=nonce_of(outcome))
    found = compare(outcome, tool, level, call=call)
    if unmask or level is not Level.OPEN:
        return found
    masks = masks_of(Judgement(outcome, tool, nonce=call.nonce), DEFAULT_POLICY)
    rows = (
        replace(row, context=replace(row.context, model=masks.model(row.context.model))) for row in found.rows
    )
    return replace(found, rows=tuple(rows))


def _comparison_shape(found: "Comparison") -> JsonObject:
    """A comparison as JSON, with the view of each model."""
    from inspector.cli.results import withheld_shape  # noqa: PLC0415 - as in `_compared`

    return {
        "boundary": found.level.value,
        "rawBytes": found.raw_bytes,
        "withheld": withheld_shape(found.bounded.removals),
        "sensitive": withheld_shape(found.sensitive),
        "hosts": [_row_shape(row) for row in found.rows],
    }


def _row_shape(row: "HostRow") -> JsonObject:
    return {
        "host": row.host.name,
        "title": row.host.title,
        "version": row.host.version,
        "asOf": row.host.as_of,
        "how": row.host.how,
        "observed": row.observed,
        "refused": row.context.refused or None,
        "bytes": row.size_bytes,
        "changes": [{"pointer": change.pointer, "what": change.what} for change in row.context.changes],
        "model": row.context.model,
        "open": {
            "observed": row.observed_open,
            "refused": row.refused_open or None,
            "leak": row.leak.value,
            "leaked": [places[0].pointer for places in row.leak_places],
            "places": [[place.pointer for place in places] for places in row.leak_places],
            "unknown_count": row.leaked.unknown,
        },
    }


def _comparison_lines(found: "Comparison", width: int, *, has_tool: bool) -> list[str]:
    """A comparison as a table with a row for each host, and a summary.

    `has_tool`: whether the definition of the tool was given, which may declare values sensitive.
    """
    from inspector.hosts.leaks import Leak  # noqa: PLC0415 - as in `_compared`

    leaking = len(found.leaking)
    unknown = Counter(row.leaked.why for row in found.rows if row.leak is Leak.UNKNOWN)
    withheld = "; ".join(filter(None, (found.withheld.words, found.withheld.other_words)))
    is_declared = bool(found.secret_count or leaking)
    undeclared = "nothing declared" if has_tool else "unknown: no --tool"
    lines = [
        f"boundary: {found.level.value}; server sent {found.raw_bytes:,} B; `declared`: {withheld}",
        "",
        *table(
            [_HEAD, *(_row(row, "" if is_declared else undeclared) for row in found.rows)],
            width,
            is_whole=True,
        ),
        "",
        *(f"! {sentence}" for sentence in found.bounded.remarks),
    ]
    if found.unfinished:
        return [*lines, f"Nothing reaches any model: {found.unfinished}."]
    if not is_declared:
        return [
            *lines,
            "Nothing is declared sensitive, so Sightline cannot detect leaks: undeclared values pass."
            if has_tool
            else "The result itself declares nothing sensitive. Its tool may: add --tool FILE with its definition, "
            "or --tool FILE#NAME with the output of sightline list --json.",
        ]
    what = "withheld values" if found.secret_count else "metadata"
    leaks = f"Without protection, {leaking} of {len(found.rows)} hosts would leak {what} to their models"
    reasons = (f"for {number} it is not known: {why}" for why, number in unknown.items())
    return [*lines, f"{'; '.join((leaks, *reasons))}."]


def _row(row: "HostRow", undeclared: str) -> tuple[str, ...]:
    """The cells of the table row of one host.

    `undeclared`: the reason why no leak can be found; empty if something is declared sensitive.
    """
    from inspector.hosts.leaks import Leak  # noqa: PLC0415 - as in `_compared`
    from inspector.hosts.profile import evidence  # noqa: PLC0415 - as in `_compared`

    kind = evidence(row.host.how)
    unprotected = undeclared or _leaks(row)
    if row.refused_open and row.leak is not Leak.YES:
        unprotected = "refuses it"
    return (
        row.host.name,
        row.host.version,
        f"{row.size_bytes:,}",
        unprotected,
        kind if kind == "specification" else "yes" if row.observed else "not observed",
        _does(row),
    )


def _host_lines(row: "HostRow", level: Level) -> list[str]:
    """The view of one host's model in full, with the host's changes and leaks."""
    from inspector.cli.results import value_lines  # noqa: PLC0415 - as in `_compared`

    context = row.context
    seen = "" if row.observed else ", not observed"
    lines = [
        f"MODEL SEES (boundary: {level.value}, host: {row.host.name}{seen})",
        *value_lines(context.model),
    ]
    lines += [
        f"~ {safe_line(change.pointer) or '(the whole result)'}  [host] {safe_line(change.what)}"
        for change in context.changes[:MAX_LINES]
    ]
    if row.refused_open:
        lines.append(f"without protection, {safe_line(row.refused_open)}")
    lines.append(f"leaks without protection: {_leaks(row)}{'' if row.observed_open else ' (not observed)'}")
    lines += [f"! {', '.join(map(_place, places))}" for places in row.leak_places]
    return lines


def _place(place: "LeakPlace") -> str:
    words = safe_line(place.pointer) or "(the whole result)"
    return f"within {words}" if place.is_within else words


def _leaks(row: "HostRow") -> str:
    """The cell that says if the host leaks: `yes`, `no` or `not known`, with the number of values."""
    from inspector.hosts.leaks import Leak  # noqa: PLC0415 - as in `_compared`

    leaked = row.leaked
    if row.leak is Leak.YES and leaked.pointers:
        count = len(leaked.pointers)
        more = f", {leaked.unknown:,} not known" if leaked.unknown else ""
        return f"yes: {count:,} value{'' if count == 1 else 's'}{more}"
    return row.leak.value


def _does(row: "HostRow") -> str:
    """The number of changes that the host makes to the result, and the first three kinds of changes."""
    count = row.change_count
    if not count:
        return "no changes"
    kinds = list(dict.fromkeys(change.what for change in row.changes))
    return f"{count:,} change{'' if count == 1 else 's'}: {'; '.join(kinds[:3])}"
