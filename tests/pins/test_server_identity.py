import pytest

from inspector.pins.identity import identity_of
from inspector.protocol.targets import COVERED, DemoTarget, HttpTarget, PageTarget, StdioTarget, Target
from tests.credentials.examples import FINDS


def key(target: Target) -> str:
    identity = identity_of(target)
    assert identity is not None
    return identity.key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            StdioTarget(command=("node", "s.js")),
            StdioTarget(command=("node", "s.js"), environment={"A": "b"}),
        ),
        (
            StdioTarget(command=("serve", "--api-key", "one")),
            StdioTarget(command=("serve", "--api-key", "other")),
        ),
        (StdioTarget(command=("serve", "--token=one")), StdioTarget(command=("serve", "--token=other"))),
        (HttpTarget(url="https://HOST:443/mcp?key=a"), HttpTarget(url="https://u:p@host/mcp#there")),
        (HttpTarget(url="http://host"), HttpTarget(url="http://host:80/", headers=(("A", "b"),))),
        (PageTarget(url="https://host/a?b=c"), PageTarget(url="https://host/a", is_headed=True)),
        (DemoTarget(), DemoTarget()),
    ],
)
def test_targets_that_connect_in_the_same_way_are_the_same_server(one: Target, other: Target) -> None:
    assert key(one) == key(other)


def test_targets_that_connect_in_different_ways_are_different_servers() -> None:
    targets: list[Target] = [
        StdioTarget(command=("node", "s.js")),
        StdioTarget(command=("node s.js",)),
        StdioTarget(command=("node", "s.js", "--flag")),
        StdioTarget(command=("node", "s.js"), cwd="/a"),
        StdioTarget(command=("node", "s.js"), cwd="/b"),
        StdioTarget(command=("node", "s.js", "(in", "/a)")),
        StdioTarget(command=("demo",)),
        DemoTarget(),
        HttpTarget(url="https://host/mcp"),
        HttpTarget(url="https://host/mcp/"),
        HttpTarget(url="https://host:8443/mcp"),
        HttpTarget(url="http://host/mcp"),
        HttpTarget(url="https://[::1]/mcp"),
        HttpTarget(url="https://host/mcp", older_sse=True),
        PageTarget(url="https://host/mcp"),
        StdioTarget(command=("https://host/mcp",)),
    ]
    assert len({key(target) for target in targets}) == len(targets)


def test_a_page_without_an_address_has_no_identity() -> None:
    assert identity_of(PageTarget(url="", cdp="http://127.0.0.1:9222")) is None


def test_the_name_of_a_server_contains_no_secret_of_its_command_or_url() -> None:
    find = next(find for find in FINDS if len(find.secret) < 100 and not find.before)
    told = "--db=postgres://me:hunter2hunter@db/x?sslkey=abcdef"
    command = ("serve", "--api-key", "s3cr3t", "--password=pa55", told, find.secret)
    shown = str(identity_of(StdioTarget(command=command, environment={"KEY": "serve"}, cwd="/work")))
    assert not [
        secret for secret in ("s3cr3t", "pa55", "hunter2", "abcdef", find.secret) if secret in shown
    ], shown
    assert shown.startswith("serve --api-key")
    assert shown.endswith("(in /work)")
    assert COVERED in shown
    address = str(identity_of(HttpTarget(url="https://me:pass@host/mcp?key=s3cr3t")))
    assert address == "https://host/mcp"
