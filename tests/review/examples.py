"""Servers for review tests, in the form that a review gets."""

import dataclasses
from typing import cast

from inspector.json.exact import Json, JsonObject
from inspector.pins.pins import definitions_of
from inspector.protocol.catalogue import Catalogue, Kind, Listing, Tool
from inspector.protocol.outcome import Result
from inspector.protocol.page import (
    Evidence,
    Exposure,
    FramePolicy,
    PageDocument,
    PageFacts,
    Reach,
    RefusedTool,
    ToolKind,
)
from inspector.protocol.server_requests import ELICIT, SAMPLE, ServerRequest
from inspector.review.finding import Finding
from inspector.review.registry import findings_of, rules
from inspector.review.reviewed import Reviewed, ReviewedCall, reviewed
from inspector.review.rule import ReviewRule
from inspector.review.seen import (
    FaultKind,
    ListingKind,
    LoggedCredential,
    Neighbour,
    OtherListing,
    ProtocolFault,
    Resolved,
    SharedAnswer,
    Traffic,
)
from tests.review.rule_examples import Example


def catalogue_of(example: Example) -> Catalogue:
    """The lists of a server, read as a session reads them; with `page`, every tool belongs to a page of these facts."""
    lists = {kind: Listing(kind) for kind in Kind if kind.value in example}
    for kind, listing in lists.items():
        listing.take({kind.value: example[kind.value]})
    page = example.get("page")
    facts = page_facts(page) if isinstance(page, dict) else None
    reasons = cast("list[str]", page.get("refused", [])) if isinstance(page, dict) else []
    refused = tuple(
        RefusedTool(pointer=f"/0/{index}", reason=reason, value={}, name="late", document=facts.document)
        for index, reason in enumerate(reasons)
        if facts is not None
    )
    return Catalogue(
        entries={
            kind: tuple(
                Tool(name=entry.name, definition=entry.definition, page=facts)
                if isinstance(entry, Tool)
                else entry
                for entry in listing.entries
            )
            + (refused if kind is Kind.TOOL else ())
            for kind, listing in lists.items()
        },
        problems=tuple(problem for listing in lists.values() for problem in listing.problems),
    )


def page_facts(said: JsonObject) -> PageFacts:
    """Facts of a page's tool: `dropped`, `faults`, `evidence`, `false_reports`, `exposures`, and of a frame its `element` and `allow`."""
    element, allow = said.get("element"), said.get("allow")
    policy = FramePolicy(element=str(element), allow=allow if isinstance(allow, str) else None)
    document = PageDocument(
        frame_id="f",
        loader_id="l",
        url="https://page.example/",
        origin="https://page.example",
        parent_id="top" if element else None,
        false_reports=cast("int", said.get("false_reports", 0)),
        policy=policy if element else None,
    )
    exposures = cast("list[list[str]]", said.get("exposures", []))
    return PageFacts(
        document=document,
        kind=ToolKind.SCRIPT,
        tool_id=None,
        place=None,
        exposed_to=tuple(text for text, _ in exposures),
        kept=None,
        declared=None,
        options=None,
        agent=None,
        dropped=tuple(cast("list[str]", said.get("dropped", []))),
        faults=tuple(cast("list[str]", said.get("faults", []))),
        exposures=tuple(Exposure(text=text, reach=Reach(reach)) for text, reach in exposures),
        evidence=Evidence(str(said.get("evidence", "seen"))),
    )


def reviewed_of(example: Example) -> Reviewed:
    """The example in the form that a review gets; all its calls are of the first tool."""
    found = reviewed(
        catalogue_of(example),
        server={"instructions": example["instructions"]} if "instructions" in example else {},
        listings=tuple(listings_of(example)),
        neighbours=tuple(
            Neighbour(target=target, tools=tuple(map(str, names)))
            for target, names in cast("dict[str, list[str]]", example.get("neighbours", {})).items()
        ),
        traffic=traffic_of_example(example),
    )
    results = example.get("calls")
    calls = [
        ReviewedCall(offer=found.tools[0], outcome=Result(value=result))
        for result in (results if isinstance(results, list) else [])
    ]
    return dataclasses.replace(found, calls=tuple(calls))


def traffic_of_example(example: Example) -> Traffic:
    """The traffic of the example."""
    named = cast("list[str]", example.get("faults", []))
    answers = cast("list[JsonObject]", example.get("answers", []))
    resolved = cast("list[JsonObject]", example.get("resolved", []))
    return Traffic(
        faults=tuple(
            ProtocolFault(kind=kind, count=named.count(kind.name.lower()), example="example")
            for kind in FaultKind
            if kind.name.lower() in named
        ),
        logged=tuple(
            LoggedCredential(title="GitHub token", where=where)
            for where in cast("list[str]", example.get("logged", []))
        ),
        shared=tuple(
            SharedAnswer(method=str(answer["method"]), name=str(answer.get("name", "")), result=answer)
            for answer in answers
            if answer.get("cacheScope") == "public"
        ),
        asks=(
            *(
                ServerRequest(method=ELICIT, params={"requestedSchema": form})
                for form in cast("list[Json]", example.get("forms", []))
            ),
            *(
                ServerRequest(method=SAMPLE, params=params)
                for params in cast("list[JsonObject]", example.get("samplings", []))
            ),
        ),
        resolved=tuple(Resolved(name=str(answer["name"]), result=answer) for answer in resolved),
    )


def listings_of(example: Example) -> list[OtherListing]:
    """Other listings, by the names of their kinds in lower case: their tools, or the lists that differ."""
    found: list[OtherListing] = []
    for kind in ListingKind:
        other = example.get(kind.name.lower())
        if other is not None:
            lists = other if isinstance(other, dict) else {"tools": other}
            found.append(
                OtherListing(
                    kind=kind,
                    definitions=definitions_of(catalogue_of({**example, **lists}), None),
                    announced=frozenset(Kind if example.get("announced") is True else ()),
                )
            )
    return found


def review_of(*tools: JsonObject, **members: Json) -> tuple[Finding, ...]:
    """All findings about a server with these tools and these other members."""
    return findings_of(reviewed_of({"tools": list(tools), **members}))


def tool(name: str = "lookup", **members: Json) -> JsonObject:
    """A tool definition."""
    return {"name": name, "inputSchema": {"type": "object"}, **members}


def rule(identifier: str) -> ReviewRule:
    """The rule with that id."""
    return next(found for found in rules() if found.id == identifier)
