from html.parser import HTMLParser

import pytest

from inspector.claims.safety import COLUMNS, SafetyRow, safety_rows
from inspector.json.exact import Json, JsonObject, Malformed
from inspector.protocol.catalogue import Catalogue, Kind, Tool, decode_page
from inspector.review.formats.safety import FORMATS, html_lines, markdown_lines
from tests.terminal.payloads import PAYLOADS

ACTION = "io.modelcontextprotocol/action-metadata"


def row(**members: Json) -> dict[str, str]:
    tool = Tool(name="t", definition={"name": "t", "inputSchema": {"type": "object"}, **members})
    (found,) = safety_rows([tool])
    return {
        name: ", ".join(cell.values) + (f" ({cell.note})" if cell.note else "")
        for name, cell in zip(COLUMNS[1:], found.cells, strict=True)
    }


def test_undeclared_traits_are_shown_as_defaults() -> None:
    assert row() == {
        "Effect": "not declared",
        "Reversible": "no (default)",
        "Idempotent": "no (default)",
        "Open world": "yes (default)",
        "Destinations": "not declared",
        "Data classes": "not declared",
        "Sensitive outputs": "no (default)",
        "Untrusted outputs": "no (default)",
        "Confirmation": "no (default)",
    }


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ({"annotations": {"readOnlyHint": True}}, {"Effect": "read", "Reversible": "changes nothing"}),
        ({"annotations": {"destructiveHint": True}}, {"Reversible": "no"}),
        ({"annotations": {"destructiveHint": False}}, {"Reversible": "not declared"}),
        (
            {"annotations": {"readOnlyHint": True}, "_meta": {"mcp.dev/effect": "delete"}},
            {"Effect": "delete (disputed)"},
        ),
        ({"annotations": {ACTION: {"outcome": "irreversible"}}}, {"Reversible": "no"}),
        ({"annotations": {ACTION: {"outcome": "benign"}, "readOnlyHint": False}}, {"Reversible": "yes"}),
        ({"annotations": {"idempotentHint": True}}, {"Idempotent": "yes"}),
        (
            {"annotations": {"idempotentHint": True}, "_meta": {"mcp.dev/idempotent": False}},
            {"Idempotent": "no (disputed)"},
        ),
        (
            {"_meta": {"mcp.dev/requiresConfirmation": True, "mcp.dev/resultSensitivity": "restricted"}},
            {"Confirmation": "yes", "Sensitive outputs": "the whole result, level restricted"},
        ),
        (
            {
                "annotations": {
                    "inputMetadata": {"destination": ["public", "internal"]},
                    "returnMetadata": {
                        "source": "untrustedPublic",
                        "sensitivity": ["pii", {"regulated": {"scopes": ["GDPR"]}}],
                    },
                }
            },
            {
                "Destinations": "internal, public",
                "Data classes": "pii, regulated, regulated:GDPR",
                "Untrusted outputs": "yes",
            },
        ),
        (
            {
                "outputSchema": {
                    "type": "object",
                    "properties": {"key": {"type": "string", "x-sensitive": True}},
                }
            },
            {"Sensitive outputs": "/properties/key"},
        ),
        ({"annotations": {"sensitiveHint": True}}, {"Sensitive outputs": "the whole result"}),
    ],
)
def test_declared_traits_are_shown(members: JsonObject, told: dict[str, str]) -> None:
    found = row(**members)
    assert {name: found[name] for name in told} == told


def hostile(text: str) -> tuple[tuple[SafetyRow, ...], tuple[Malformed, ...]]:
    items: list[Json] = [
        {
            "name": f"a{text}",
            "inputSchema": {},
            "annotations": {
                "returnMetadata": {"sensitivity": {"regulated": {"scopes": [f"c{text}"]}}},
                "readOnlyHint": True,
                "destructiveHint": True,
            },
            "outputSchema": {"properties": {f"k{text}": {"x-sensitive": True}}},
        },
        {"name": f"m{text}", "inputSchema": 5},
    ]
    page = decode_page(Kind.TOOL, {"tools": items})
    assert not isinstance(page, Malformed)
    catalogue = Catalogue(entries={Kind.TOOL: page})
    return safety_rows(catalogue.tools), catalogue.malformed


INJECTIONS = (
    *PAYLOADS.values(),
    "|x|y|",
    "\\|x|",
    "`|`",
    "``` x",
    "\n\n# Heading\n| a | b |\n",
    "</code></td></tr></table><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](https://elsewhere.example/i.png)",
    "[x](javascript:alert(1))",
    "https://elsewhere.example",
    '" onmouseover="x',
    "&lt;b&gt;",
    "=HYPERLINK(1)",
)


def test_no_name_adds_a_cell_a_row_or_a_control_character(subtests: pytest.Subtests) -> None:
    for text in INJECTIONS:
        with subtests.test(text=text):
            rows, malformed = hostile(text)
            lines = list(markdown_lines(f"s{text}", rows, malformed))
            assert all(line.isprintable() for line in lines)
            table = [line for line in lines if line.startswith("|")]
            assert len(table) == 3
            assert [line.count("|") for line in table] == [len(COLUMNS) + 1] * 3
            assert [line for line in lines if line.startswith("#")][1:] == [
                "## Contradictions",
                "## Malformed",
            ]
            for line in lines:
                assert "](" not in line.replace("`", "\x00").split("\x00")[0]


class Elements(HTMLParser):
    """The elements of a page, with their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(name for name, _ in attrs)))


def elements(text: str) -> list[tuple[str, tuple[str, ...]]]:
    rows, malformed = hostile(text)
    lines = list(html_lines(f"s{text}", rows, malformed))
    assert all(line.isprintable() for line in lines)
    parser = Elements()
    parser.feed("\n".join(lines))
    return parser.found


def test_no_name_adds_an_element_or_an_attribute(subtests: pytest.Subtests) -> None:
    for text in INJECTIONS:
        with subtests.test(text=text):
            assert elements(text) == elements("")


@pytest.mark.parametrize("name", FORMATS)
def test_long_names_and_many_values_are_cut(name: str) -> None:
    scopes: list[Json] = [f"S{number}" for number in range(1_000)]
    tool = Tool(
        name="n" * 100_000,
        definition={
            "name": "n" * 100_000,
            "inputSchema": {},
            "annotations": {"returnMetadata": {"sensitivity": {"regulated": {"scopes": scopes}}}},
        },
    )
    text = "\n".join(FORMATS[name]("t", safety_rows([tool]), ()))
    assert "and 981 more" in text
    assert "n" * 300 not in text
