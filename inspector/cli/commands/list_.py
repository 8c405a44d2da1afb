"""`sightline list TARGET`: tools with all that they declare, and what else the server lists."""

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from inspector.claims.registry import claims_of_tool
from inspector.claims.traits import badges, traits
from inspector.cli.diagnostics import DIAGNOSTICS, OK
from inspector.cli.lenses import Lens, lenses, lenses_of
from inspector.cli.options import Invocation, in_session, reach_of, reaching
from inspector.cli.output import clipped, columns, print_json, print_lines, table
from inspector.cli.overseeing import agreeing, agreement_of, policy_of, ruling
from inspector.cli.pages import page_lines, page_shape, refused_lines, refused_shape
from inspector.cli.recording import recording, wish_of
from inspector.cli.shapes import (
    claim_shape,
    client_shape,
    findings_shape,
    items_shape,
    malformed_shape,
    server_shape,
)
from inspector.hidden_characters import hidden_sentences
from inspector.json.exact import Json, JsonObject
from inspector.protocol.catalogue import Catalogue, Item, Kind, Tool
from inspector.protocol.targets import Era, PageTarget, Target
from inspector.session.facts import ServerFacts
from inspector.session.live import Session
from inspector.session.wording import ANNOUNCES_NOTHING

if TYPE_CHECKING:
    from inspector.hosts.definitions.projection import ProjectedDefinition
    from inspector.policy.rules import Policy


@click.command(name="list")
@reaching
@click.option(
    "--definitions", is_flag=True, help="Show what a model is given of each tool: see --boundary, --host."
)
@lenses
@recording
@ruling
@agreeing
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_obj
def command(
    invocation: Invocation, *, target: str | None, definitions: bool, format_: str, **options: object
) -> int:
    """List the tools of TARGET with their raw definitions, claims and traits; malformed ones apart."""
    lens = lenses_of(options)
    if definitions:
        lens.profile()
    reach, wish = reach_of(options), wish_of(options)
    policy, agreement = policy_of(options), agreement_of(options)
    chosen = reach.target(target, invocation)
    DIAGNOSTICS.say(f"connecting to {chosen} …")
    session_options = replace(reach.options(), recorder=wish.recorder(chosen, lens))
    server, catalogue = in_session(chosen, session_options, _listed)
    if format_ == "json":
        tools: list[Json] = [
            _tool_shape(tool, lens if definitions else None) | _decision(tool, policy, chosen)
            for tool in catalogue.tools
        ]
        print_json(
            {
                "server": server_shape(str(chosen), server),
                "client": client_shape(server),
                "tools": tools,
                **{kind.value: items_shape(catalogue, kind) for kind in Kind if kind is not Kind.TOOL},
                "pages": {kind.method: list[Json](pages) for kind, pages in catalogue.pages.items()},
                "malformed": [malformed_shape(item) for item in catalogue.malformed],
                **_refused(chosen, catalogue),
            }
        )
    elif definitions:
        print_lines(_heading(str(chosen), server, catalogue))
        for tool in catalogue.tools:
            print_lines(["", *_given_text(tool, lens)])
    else:
        print_lines(_text(str(chosen), server, catalogue))
    if policy is not None and format_ == "text":
        from inspector.cli.decisions import listing_lines  # noqa: PLC0415 - few listings are decided on

        print_lines(listing_lines(catalogue.tools, policy, chosen, agreement))
    return OK


async def _listed(session: Session) -> tuple[ServerFacts, Catalogue]:
    catalogue = await session.list_all()
    if session.server is None:
        raise RuntimeError("listed without a connection")
    return session.server, catalogue


def _refused(target: Target, catalogue: Catalogue) -> JsonObject:
    """`refused` of a page, whose browser decides what is registered."""
    if not isinstance(target, PageTarget):
        return {}
    return {"refused": [refused_shape(each) for each in catalogue.refused]}


def _decision(tool: Tool, policy: "Policy | None", target: Target) -> JsonObject:
    """`decision` of one entry of `tools`; nothing without a policy."""
    if policy is None:
        return {}
    from inspector.cli.decisions import of_listed  # noqa: PLC0415 - as above

    return {"decision": of_listed(tool, policy, target).as_json()}


def _tool_shape(tool: Tool, lens: Lens | None) -> JsonObject:
    """One entry of `tools`; with a lens, what a model is given of it too."""
    claims = claims_of_tool(tool)
    shape: JsonObject = {
        "name": tool.name,
        "definition": tool.definition,
        "claims": [claim_shape(claim) for claim in claims],
        "traits": traits(claims).as_json(),
        "findings": findings_shape(hidden_sentences(tool.definition)),
    }
    if tool.page:
        shape["page"] = page_shape(tool.page)
    if lens:
        from inspector.cli.definitions import definition_shape  # noqa: PLC0415 - most listings need no schemas

        shape["given"] = definition_shape(_given(tool, lens), lens.host)
    return shape


def _given(tool: Tool, lens: Lens) -> "ProjectedDefinition":
    from inspector.hosts.definitions.projection import project_definition  # noqa: PLC0415 - as in `_tool_shape`

    return project_definition(tool, lens.level, lens.profile())


def _given_text(tool: Tool, lens: Lens) -> list[str]:
    from inspector.cli.definitions import definition_lines  # noqa: PLC0415 - as in `_tool_shape`

    return definition_lines(_given(tool, lens), lens.host)


def _heading(target: str, server: ServerFacts, catalogue: Catalogue) -> list[str]:
    named = f"{server.name} {server.version}".strip() or "a server without a name"
    lines = [
        f"{named} — {target}",
        f"protocol {_protocol(server)}, {_counts(catalogue)}",
    ]
    return lines if server.era is Era.AUTO else [*lines, ANNOUNCES_NOTHING]


def _protocol(server: ServerFacts) -> str:
    # A page has a browser and no era.
    is_page = server.era is Era.AUTO
    return server.protocol_version if is_page else f"{server.protocol_version} ({server.era.value})"


def _text(target: str, server: ServerFacts, catalogue: Catalogue) -> list[str]:
    lines = [*_heading(target, server, catalogue), ""]
    rows = [("TOOL", "TRAITS", "CLAIMS", "DESCRIPTION")]
    for tool in catalogue.tools:
        claims = claims_of_tool(tool)
        words = ", ".join(badge.word for badge in badges(traits(claims)))
        rows.append(
            (
                clipped(tool.name, 40),
                words or "-",
                str(len(claims)),
                _first_line(tool.description or tool.title),
            )
        )
    lines += table(rows, columns()) if len(rows) > 1 else ["No tools."]
    if any(tool.page for tool in catalogue.tools):
        lines += ["", *page_lines(catalogue.tools, columns())]
    lines += refused_lines(catalogue.refused)
    for kind in (Kind.RESOURCE, Kind.TEMPLATE, Kind.PROMPT):
        items = [entry for entry in catalogue.entries.get(kind, ()) if isinstance(entry, Item)]
        if items:
            lines += [
                "",
                _HEADINGS[kind],
                *table([(clipped(i.name, 60), _described(i)) for i in items], columns()),
            ]
    found = [
        f"! {clipped(tool.name, 40)}: {told}"
        for tool in catalogue.tools
        for told in hidden_sentences(tool.definition)
    ]
    if found:
        lines += ["", "FINDINGS", *found]
    if catalogue.malformed:
        lines += ["", "MALFORMED"]
        lines += table([(m.name or m.pointer or "-", m.reason) for m in catalogue.malformed], columns())
    return lines


_HEADINGS = {Kind.RESOURCE: "RESOURCES", Kind.TEMPLATE: "RESOURCE TEMPLATES", Kind.PROMPT: "PROMPTS"}


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
    text = item.definition.get("description", item.definition.get("title"))
    return _first_line(text if isinstance(text, str) else None)


def _first_line(text: str | None) -> str:
    return text.strip().partition("\n")[0] if text else ""
