"""What a server would say, as a review gets it."""

from inspector.core.catalogue import Catalogue, Kind, Listing
from inspector.core.findings.finding import Finding
from inspector.core.findings.registry import findings_of, rules
from inspector.core.findings.reviewed import Reviewed, ReviewedCall, reviewed
from inspector.core.findings.rule import Example, Rule
from inspector.core.json_text import Json, JsonObject
from inspector.core.outcome import Result


def catalogue_of(example: Example) -> Catalogue:
    """Its lists, read as a session reads them."""
    lists = {kind: Listing(kind) for kind in Kind if kind.value in example}
    for kind, listing in lists.items():
        listing.take({kind.value: example[kind.value]})
    return Catalogue(
        entries={kind: tuple(listing.entries) for kind, listing in lists.items()},
        problems=tuple(problem for listing in lists.values() for problem in listing.problems),
    )


def reviewed_of(example: Example) -> Reviewed:
    """The example as a review gets it; its calls are all of the first tool."""
    found = reviewed(
        catalogue_of(example),
        server={"instructions": example["instructions"]} if "instructions" in example else {},
    )
    results = example.get("calls")
    calls = [
        ReviewedCall(offer=found.tools[0], outcome=Result(value=result))
        for result in (results if isinstance(results, list) else [])
    ]
    return Reviewed(offers=found.offers, calls=tuple(calls))


def review_of(*tools: JsonObject, **members: Json) -> tuple[Finding, ...]:
    """All findings of a server that lists these tools and says these members beside them."""
    return findings_of(reviewed_of({"tools": list(tools), **members}))


def tool(name: str = "lookup", **members: Json) -> JsonObject:
    """A definition."""
    return {"name": name, "inputSchema": {"type": "object"}, **members}


def rule(identifier: str) -> Rule:
    """The rule of that id."""
    return next(found for found in rules() if found.id == identifier)
