"""URI templates: the tables of RFC 6570, and invalid templates."""

import pytest

from inspector.json.exact import Json, JsonObject
from inspector.protocol.catalogue import Kind, unlisted
from inspector.protocol.templates import MAX_CHARACTERS, expanded, variables

VALUES: JsonObject = {
    "var": "value",
    "hello": "Hello World!",
    "half": "50%",
    "path": "/foo/bar",
    "empty": "",
    "x": "1024",
    "y": "768",
    "number": 7,
    "list": ["red", "green", "blue"],
    "keys": {"semi": ";", "dot": ".", "comma": ","},
}


@pytest.mark.parametrize(
    ("template", "uri"),
    [
        # Level 1 and 2.
        ("{var}/{hello}", "value/Hello%20World%21"),
        ("{+path}/here{#hello}", "/foo/bar/here#Hello%20World!"),
        ("{half}{+half}", "50%2550%25"),
        # Level 3.
        ("map?{x,y}", "map?1024,768"),
        ("X{.x,y}", "X.1024.768"),
        ("{/var,x}/here", "/value/1024/here"),
        ("{;x,y,empty}", ";x=1024;y=768;empty"),
        ("{?x,y,empty}", "?x=1024&y=768&empty="),
        ("?fixed=yes{&x,undef}", "?fixed=yes&x=1024"),
        # Level 4.
        ("{var:3}{list}", "valred,green,blue"),
        ("{/list*}{/list*,path:4}", "/red/green/blue/red/green/blue/%2Ffoo"),
        ("{keys}", "semi,%3B,dot,.,comma,%2C"),
        ("{?keys*}", "?semi=%3B&dot=.&comma=%2C"),
        ("{&list*}", "&list=red&list=green&list=blue"),
        ("n://{number}", "n://7"),
        ("plain://uri", "plain://uri"),
    ],
)
def test_a_template_is_expanded_as_in_rfc_6570(template: str, uri: str) -> None:
    assert expanded(template, VALUES) == uri


@pytest.mark.parametrize(
    ("template", "values"),
    [
        ("{var:abc}", {"var": "x"}),
        ("{a}", {"a": {"b": {}}}),
        ("{a}", {"a": "x" * (MAX_CHARACTERS + 1)}),
        ("{a}" * MAX_CHARACTERS, {}),
    ],
)
def test_a_template_that_cannot_be_expanded_raises_an_error(template: str, values: dict[str, Json]) -> None:
    with pytest.raises(ValueError, match=r"."):
        expanded(template, values)


def test_variables_become_an_input_schema() -> None:
    template = "db://{table}/{+key}{?limit,tags*}{&table}"
    assert [each.name for each in variables(template)] == ["table", "key", "limit", "tags"]
    schema = unlisted(Kind.TEMPLATE, template).input_schema
    assert schema["required"] == ["table", "key"]
    assert schema["properties"] == {
        "table": {"type": "string"},
        "key": {"type": "string"},
        "limit": {"type": "string"},
        "tags": {"type": ["string", "array", "object"]},
    }
    assert variables("{var:abc}") == variables("none") == ()
