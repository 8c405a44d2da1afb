"""`sightline list TARGET`: tools with all their declarations, and everything else that the server lists."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from inspector.claims.claim import Claim
from inspector.claims.registry import claims_of_tool
from inspector.claims.traits import badges, traits
from inspector.cli.help import SectionedCommand
from inspector.cli.options import (
    LENS,
    WITHHOLDING,
    ConnectionOptions,
    LensOptions,
    PolicyOptions,
    RecordingOptions,
    format_option,
    quiet_option,
    takes,
)
from inspector.cli.output import DIAGNOSTICS, clipped, columns, print_json, print_lines, table
from inspector.cli.start import Invocation, in_session, launch_of, target_of
from inspector.errors import ExitCode
from inspector.hidden_characters import hidden_sentences
from inspector.json.exact import Json, JsonObject, Malformed, dump_text
from inspector.json.members import object_at, text_at
from inspector.launch import Launch
from inspector.pins.files import Watch
from inspector.pins.pins import PinState, Since
from inspector.protocol.catalogue import Catalogue, Item, Kind, Tool
from inspector.protocol.page import FramePolicy, PageDocument, PageFacts, RefusedTool
from inspector.protocol.skills import manifest_of
from inspector.protocol.targets import Era, PageTarget
from inspector.safe_text import safe_name
from inspector.session.facts import ServerFacts
from inspector.session.live import Session
from inspector.session.wording import announces

if TYPE_CHECKING:
    from inspector.hosts.definitions.projection import ProjectedDefinition
    from inspector.hosts.profile import Host


@click.command(
    name="list",
    cls=SectionedCommand,
    examples=("sightline list demo", "sightline list --format json -- node server.js"),
)
@click.argument("target", required=False)
@click.option(
    "--definitions",
    is_flag=True,
    help="Show each definition as a model gets it, with --boundary and --host.",
)
@format_option("text", "json")
@quiet_option
@takes("connection", ConnectionOptions)
@takes("lens", LensOptions)
@takes("recording", RecordingOptions)
@takes("rules", PolicyOptions, "policy", "yes")
@click.pass_obj
def command(  # noqa: PLR0913 - one parameter for each group of options
    invocation: Invocation,
    *,
    target: str | None,
    definitions: bool,
    format_: str,
    connection: ConnectionOptions,
    lens: LensOptions,
    recording: RecordingOptions,
    rules: PolicyOptions,
) -> int:
    """List the tools, resources and prompts of TARGET, and what each tool declares.

    Malformed items are listed separately.
    """
    if recording.path is None:
        # A recording stores these options, which apply when its results are shown. A listing has no result.
        lens.refuse(WITHHOLDING, "only works with --record", "A listing has no result: leave it out.")
        if not definitions:
            lens.refuse(LENS, "only works with --definitions", "Add --definitions, or leave it out.")
    host = lens.profile() if definitions else None
    terms = rules.read()
    launch = launch_of(
        target_of(target, connection, invocation.command_line),
        connection,
        lens=lens,
        recording=recording,
        terms=terms,
        agreement=rules.agreement,
    )
    DIAGNOSTICS.say(f"connecting to {launch.target} …")
    server, catalogue = in_session(launch, _listed)
    pins = Watch(launch.target).listed(catalogue, server.instructions)
    if format_ == "json":
        print_json(_shape(launch, server, catalogue, host, pins))
        return ExitCode.OK
    if host:
        print_lines([*_heading(launch, server, catalogue), *_pin_lines(pins)])
        for tool in catalogue.tools:
            print_lines(["", *_given_lines(tool, launch, host)])
    else:
        print_lines(_text(launch, server, catalogue, pins))
    if terms.policy is not None:
        from inspector.cli.decisions import listing_lines  # noqa: PLC0415 - few listings are decided on

        print_lines(listing_lines(catalogue.tools, terms.policy, launch.target, launch.agreement, pins))
    return ExitCode.OK


async def _listed(session: Session) -> tuple[ServerFacts, Catalogue]:
    catalogue = await session.list_all()
    if session.server is None:
        raise RuntimeError("listed without a connection")
    return session.server, catalogue


def _shape(
    launch: Launch, server: ServerFacts, catalogue: Catalogue, host: "Host | None", pins: PinState
) -> JsonObject:
    """The whole listing as JSON. `host`: adds each tool's definition as the model of this host gets it."""
    shape: JsonObject = {
        "server": _server_shape(str(launch.target), server),
        "client": _client_shape(launch, server),
        "pin": _pin_shape(pins),
        "tools": [
            _tool_shape(tool, launch, host) | _decision(tool, launch, pins) for tool in catalogue.tools
        ],
        **{kind.value: _items_shape(catalogue, kind) for kind in Kind if kind is not Kind.TOOL},
        "pages": {kind.method: list[Json](pages) for kind, pages in catalogue.pages.items()},
        "malformed": [_malformed_shape(item) for item in catalogue.malformed],
    }
    if isinstance(launch.target, PageTarget):
        shape["refused"] = [_refused_shape(each) for each in catalogue.refused]
    return shape


def _changed(pins: PinState) -> tuple[str, ...]:
    """The names of what has changed since the pin, each once. Untrusted text."""
    altered = [each for each in pins.altered if each.since is Since.PINNED]
    instructions = any(each.instructions_changed for each in altered)
    names = dict.fromkeys(change.tool for each in altered for change in each.tools)
    return (*names, *(("the instructions",) if instructions else ()))


def _pin_shape(pins: PinState) -> Json:
    """The member `pin`: the time of the pin, and the names of what has changed since.

    Null if nothing is pinned. If the pin cannot be read, an object with `fault`.
    """
    if pins.pinned is None:
        return {"fault": pins.fault} if pins.fault else None
    return {"pinned": pins.pinned.at, "changed": [*_changed(pins)]}


def _pin_lines(pins: PinState) -> list[str]:
    """A line that names what has changed since the pin, or says that the pin cannot be read; otherwise empty."""
    if pins.fault:
        return [f"! the pin cannot be read: {pins.fault}"]
    changed = _changed(pins)
    if pins.pinned is None or not changed:
        return []
    named = ", ".join(safe_name(clipped(name, 60)) for name in changed[:_NAMED])
    more = f" and {len(changed) - _NAMED:,} more" if len(changed) > _NAMED else ""
    return [f"! changed since the pin of {pins.pinned.at}: {named}{more}. sightline pin --check shows how."]


_NAMED = 8
"""The maximum number of changed definitions that a line names."""


def _decision(tool: Tool, launch: Launch, pins: PinState) -> JsonObject:
    """The member `decision` of an entry of `tools`; empty without --policy."""
    if launch.terms.policy is None:
        return {}
    from inspector.cli.decisions import of_listed  # noqa: PLC0415 - few listings are decided on

    return {"decision": of_listed(tool, launch.terms.policy, launch.target, pins).as_json()}


def _tool_shape(tool: Tool, launch: Launch, host: "Host | None") -> JsonObject:
    """One entry of the member `tools`. `host`: adds the definition as the model of this host gets it."""
    claims = claims_of_tool(tool)
    shape: JsonObject = {
        "name": tool.name,
        "definition": tool.definition,
        "claims": [_claim_shape(claim) for claim in claims],
        "traits": traits(claims).as_json(),
        "remarks": [{"message": sentence} for sentence in hidden_sentences(tool.definition)],
    }
    if tool.page:
        shape["page"] = page_shape(tool.page)
    if host:
        from inspector.cli.definitions import definition_shape  # noqa: PLC0415 - most listings need no schemas

        shape["given"] = definition_shape(_given(tool, launch, host), host.name)
    return shape


def _given(tool: Tool, launch: Launch, host: "Host") -> "ProjectedDefinition":
    from inspector.hosts.definitions.projection import project_definition  # noqa: PLC0415 - as in `_tool_shape`

    return project_definition(tool, launch.level, host)


def _given_lines(tool: Tool, launch: Launch, host: "Host") -> list[str]:
    from inspector.cli.definitions import definition_lines  # noqa: PLC0415 - as in `_tool_shape`

    return definition_lines(_given(tool, launch, host), host.name)


def _heading(launch: Launch, server: ServerFacts, catalogue: Catalogue) -> list[str]:
    named = f"{server.name} {server.version}".strip() or "a server without a name"
    # The heading of a review has the same order.
    lines = [f"{launch.target}: {named}, {_protocol(server)}, {_counts(catalogue)}"]
    return lines if server.era is Era.AUTO else [*lines, announces(launch.options.client.profile)]


def _protocol(server: ServerFacts) -> str:
    # A page has no protocol era; its version is the name of the browser's API.
    is_page = server.era is Era.AUTO
    return server.protocol_version if is_page else f"protocol {server.protocol_version}"


def _text(launch: Launch, server: ServerFacts, catalogue: Catalogue, pins: PinState) -> list[str]:
    lines = [*_heading(launch, server, catalogue), *_pin_lines(pins), ""]
    rows = [("TOOL", "TRAITS", "CLAIMS", "DESCRIPTION")]
    for tool in catalogue.tools:
        claims = claims_of_tool(tool)
        words = ", ".join(badge.word for badge in badges(traits(claims)))
        rows.append(
            (
                safe_name(clipped(tool.name, 40)),
                words or "-",
                str(len(claims)),
                _first_line(tool.description or tool.title),
            )
        )
    lines += table(rows, columns()) if len(rows) > 1 else ["No tools."]
    if any(tool.page for tool in catalogue.tools):
        lines += ["", *_page_lines(catalogue.tools, columns())]
    lines += _refused_lines(catalogue.refused)
    for kind, heading in _HEADINGS.items():
        items = [entry for entry in catalogue.entries.get(kind, ()) if isinstance(entry, Item)]
        if items:
            lines += [
                "",
                heading,
                *table([(*_identity(i), _described(i)) for i in items], columns()),
            ]
    found = [
        f"! {safe_name(clipped(tool.name, 40))}: {sentence}"
        for tool in catalogue.tools
        for sentence in hidden_sentences(tool.definition)
    ]
    if found:
        lines += ["", "HIDDEN CHARACTERS (sightline review applies all rules)", *found]
    if catalogue.malformed:
        lines += ["", "MALFORMED"]
        lines += table([(m.name or m.pointer or "-", m.reason) for m in catalogue.malformed], columns())
    return lines


_HEADINGS = {
    Kind.RESOURCE: "RESOURCES",
    Kind.TEMPLATE: "RESOURCE TEMPLATES",
    Kind.PROMPT: "PROMPTS",
    Kind.SKILL: "SKILLS",
}


def _identity(item: Item) -> tuple[str, ...]:
    """The first cells of an item in a table: its URI, or the name of a prompt.

    A resource or template also has its declarations. A skill has its name before the URI, which tells skills of the
    same name apart.
    """
    uri = clipped(item.name, 60)
    if item.kind in {Kind.RESOURCE, Kind.TEMPLATE}:
        return (uri, clipped(_declared(item), 70))
    return (clipped(item.title or "-", 40), uri) if item.kind is Kind.SKILL else (uri,)


def _declared(item: Item) -> str:
    """The claims of a resource or template about its content: `text/plain, 1,204 B, audience user, priority 0.5`."""
    length = item.definition.get("size")
    known = [text_at(item.definition, "mimeType") or ""]
    known += [f"{length:,} B"] if isinstance(length, int) and not isinstance(length, bool) else []
    for name, value in object_at(item.definition, "annotations").items():
        listed = value if isinstance(value, list) else [value]
        words = " and ".join(each if isinstance(each, str) else dump_text(each) for each in listed)
        known.append(f"{name} {words}")
    return ", ".join(filter(None, known)) or "-"


def _counts(catalogue: Catalogue) -> str:
    counted = [
        (len(catalogue.tools), "tool"),
        (len(catalogue.malformed), "malformed item"),
        (len(catalogue.refused), "refused tool"),
    ]
    return ", ".join(
        f"{count} {word}{'' if count == 1 else 's'}" for count, word in counted if count or word == "tool"
    )


def _described(item: Item) -> str:
    if item.kind is Kind.SKILL:
        return manifest_of(item.definition).fault or _first_line(item.description)
    text = item.definition.get("description", item.definition.get("title"))
    return _first_line(text if isinstance(text, str) else None)


def _first_line(text: str | None) -> str:
    return text.strip().partition("\n")[0] if text else ""


def _claim_shape(claim: Claim) -> JsonObject:
    """One claim, with `note` if a browser dropped or changed it."""
    shape: JsonObject = {
        "vocabulary": claim.vocabulary,
        "key": claim.key,
        "pointer": claim.pointer,
        "value": claim.value,
        "standing": claim.standing.value,
        "wellFormed": claim.well_formed,
    }
    if claim.note:
        shape["note"] = claim.note
    return shape


def _malformed_shape(item: Malformed) -> JsonObject:
    """One entry of the member `malformed`: a malformed item of a list, with the reason."""
    return {"name": item.name, "pointer": item.pointer, "reason": item.reason, "value": item.value}


def _server_shape(target: str, server: ServerFacts) -> JsonObject:
    """The member `server`. Its `raw` is the answer in which the server described itself, as sent."""
    identity = server.identity
    raw = server.raw if isinstance(server.raw, dict) else {}
    return {
        "target": target,
        "name": server.name,
        "title": identity.get("title"),
        "version": server.version,
        "icons": identity.get("icons"),
        "protocolVersion": server.protocol_version,
        "era": server.era.value,
        "capabilities": server.capabilities,
        "instructions": server.instructions,
        "ttlMs": raw.get("ttlMs"),
        "cacheScope": raw.get("cacheScope"),
        "raw": server.raw,
    }


def _client_shape(launch: Launch, server: ServerFacts) -> Json:
    """The member `client`: the capabilities that Sightline announced, and a note on their effect.

    None for a page.
    """
    profile = launch.options.client.profile
    if server.era is Era.AUTO:
        return None
    return {
        "profile": profile.name,
        "capabilities": profile.announced_in(server.era),
        "note": announces(profile),
    }


def _items_shape(catalogue: Catalogue, kind: Kind) -> list[Json]:
    """The member `resources`, `resourceTemplates`, `prompts` or `skills`: the well-formed items, as sent."""
    return [
        {"name": entry.name, "definition": entry.definition, **_fault_shape(entry)}
        for entry in catalogue.entries.get(kind, ())
        if isinstance(entry, Item)
    ]


def _fault_shape(item: Item) -> JsonObject:
    """The member `fault` of a skill; empty for other items.

    It says why the content of the skill must not be used; null if its entry is valid.
    """
    return {"fault": manifest_of(item.definition).fault or None} if item.kind is Kind.SKILL else {}


def page_shape(page: PageFacts) -> JsonObject:
    """The member `page` of a page's tool: its document and registration, and what the browser changed."""
    place = page.place
    return {
        "frame": page.document.frame_id,
        "url": page.document.url,
        "origin": page.document.origin,
        "permitted": page.document.is_permitted,
        "policy": _policy_shape(page.document.policy),
        "falseReports": page.document.false_reports,
        "kind": page.kind.value,
        "registeredAt": None if place is None else str(place),
        "exposedTo": list[Json](page.exposed_to),
        "exposures": [{"text": each.text, "reach": each.reach.value} for each in page.exposures],
        "evidence": page.evidence.value,
        "declared": page.declared,
        "options": page.options,
        "kept": page.kept,
        "agent": page.agent,
        "dropped": list[Json](page.dropped),
        "changed": list[Json](page.changed),
        "faults": list[Json](page.faults),
    }


def _refused_shape(refused: RefusedTool) -> JsonObject:
    """One entry of the member `refused`: a tool that the browser refused to register, with the reason."""
    return {
        "name": refused.name,
        "reason": refused.reason,
        "frame": refused.document.frame_id,
        "url": refused.document.url,
        "origin": refused.document.origin,
        "permitted": refused.document.is_permitted,
        "registeredAt": None if refused.place is None else str(refused.place),
    }


def _refused_lines(refused: Iterable[RefusedTool]) -> list[str]:
    """The tools that the browser refused, each with the reason and the place of its registration."""
    lines: list[str] = []
    for each in refused:
        lines += [
            f"! {clipped(each.name or '(no name)', 40)}: {each.reason}",
            f"  at {each.place}" if each.place else f"  in {each.document.url}",
        ]
    return ["", "REFUSED BY THE BROWSER", *lines] if lines else []


def _policy_shape(policy: FramePolicy | None) -> Json:
    if policy is None:
        return None
    return {
        "element": policy.element,
        "allow": policy.allow,
        "grants": None if policy.grants is None else list[Json](policy.grants),
        "sandboxed": policy.is_sandboxed,
        "blockedBy": policy.blocked_by,
    }


def _page_lines(tools: Iterable[Tool], columns: int) -> list[str]:
    """Each document with its tools, the places of their registration, and the members that the browser dropped."""
    documents: dict[PageDocument, list[tuple[str, ...]]] = {}
    for tool in tools:
        if tool.page is None:
            continue
        rows = documents.setdefault(
            tool.page.document, [("TOOL", "KIND", "DROPPED BY THE BROWSER", "REGISTERED AT")]
        )
        rows.append(
            (
                clipped(tool.name, 40),
                tool.page.kind.value,
                _lost(tool.page),
                str(tool.page.place) if tool.page.place else "-",
            )
        )
    lines: list[str] = []
    for document, rows in documents.items():
        lines += [*([""] if lines else []), *table([(_named(document),)], columns), *table(rows, columns)]
    return lines


def _lost(page: PageFacts) -> str:
    if page.declared is None and page.kind.value == "script":
        return "not known: registered before Sightline watched the page"
    changed = [f"{pointer} (changed)" for pointer in page.changed]
    return ", ".join((*page.dropped, *changed, *page.faults)) or "-"


def _named(document: PageDocument) -> str:
    permission = {None: "", True: ", may offer tools", False: ", may not offer tools"}[document.is_permitted]
    frame = "frame" if document.parent_id else "page"
    forged = f", {document.false_reports} forged reports" if document.false_reports else ""
    return f"{frame} {document.url} (origin {document.origin}{permission}{forged})"
