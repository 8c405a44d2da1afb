"""`mcp-apps`: user interfaces that servers ship with tools, for hosts that show them beside the model."""

from collections.abc import Mapping

from inspector.claims.claim import Standing, Subject
from inspector.claims.layout import BOOLEAN, TEXT, TEXTS, Branch, Leaf, ValueForm, VocabularyLayout, some_of
from inspector.json.exact import Json


def _no_object(value: Json) -> str:
    return "" if isinstance(value, dict) else "is not an object"


_GRANT = ValueForm(words="object", problem=_no_object)

_OF_TOOL: Mapping[str, Leaf | Branch] = {
    "resourceUri": Leaf(
        form=TEXT, meaning="the resource (`ui://`) that the host shows as the interface of the tool"
    ),
    "visibility": Leaf(
        form=some_of("model", "app"),
        default="[model, app]",
        meaning="who may call the tool; without `model` a host keeps it from the model",
        effect="none; what hosts make of it was not observed",
    ),
}

_OF_RESOURCE: Mapping[str, Leaf | Branch] = {
    "csp": Branch(
        own=True,
        dotted=True,
        members={
            "connectDomains": Leaf(form=TEXTS, meaning="origins that the interface may send requests to"),
            "resourceDomains": Leaf(
                form=TEXTS, meaning="origins that the interface may load scripts, images and fonts from"
            ),
            "frameDomains": Leaf(form=TEXTS, meaning="origins that the interface may show in frames"),
            "baseUriDomains": Leaf(form=TEXTS, meaning="origins that the base URL of the interface may have"),
        },
    ),
    "permissions": Branch(
        own=True,
        dotted=True,
        members={
            name: Leaf(form=_GRANT, meaning=f"the interface asks for {what}")
            for name, what in (
                ("camera", "the camera"),
                ("microphone", "the microphone"),
                ("geolocation", "the place of the user"),
                ("clipboardWrite", "writing to the clipboard"),
            )
        },
    ),
    "domain": Leaf(form=TEXT, meaning="an origin of its own for the interface"),
    "prefersBorder": Leaf(form=BOOLEAN, meaning="the interface wants a border"),
}


def _in_meta(members: Mapping[str, Leaf | Branch]) -> Branch:
    return Branch(members={"_meta": Branch(members={"ui": Branch(members=members, own=True)})})


_LAYOUT = VocabularyLayout(
    name="mcp-apps",
    standing=Standing.EXTENSION,
    roots={
        Subject.TOOL: _in_meta(_OF_TOOL),
        Subject.RESOURCE: _in_meta(_OF_RESOURCE),
        Subject.BLOCK: _in_meta(_OF_RESOURCE),
    },
)

VOCABULARY = _LAYOUT.vocabulary(
    title="MCP Apps",
    source="github.com/modelcontextprotocol/ext-apps, `io.modelcontextprotocol/ui`; SEP-1865",
    as_of="2026-11",
    where="`tool._meta.ui`, `resource._meta.ui`, `contents[]._meta.ui`",
)
