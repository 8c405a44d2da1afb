"""The pytest plugin. It imports only pytest until one of its fixtures is used. See docs/testing.md."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.testing import AsyncMcpServer, McpServer, McpSnapshots

_SCOPES = ("session", "module", "function")
_Scope = Literal["session", "module", "function"]


class _Chosen(NamedTuple):
    """The target and the cassette that the markers of a test give."""

    target: object
    """The target; None if the configuration names it."""
    cassette: str | None

    def __repr__(self) -> str:
        return "chosen"


_CHOSEN = pytest.StashKey[list[_Chosen]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options and settings of the plugin."""
    group = parser.getgroup("mcp", "MCP servers (Sightline)")
    group.addoption(
        "--mcp-server",
        metavar="TARGET",
        help="The server of the fixture mcp_server, written as on Sightline's command line.",
    )
    group.addoption(
        "--mcp-cassette", metavar="FILE", help="Answer from this recording; no server is started."
    )
    group.addoption(
        "--mcp-record",
        action="store_true",
        help="Start the server, and record the session into the file of --mcp-cassette.",
    )
    group.addoption("--mcp-update", action="store_true", help="Write the snapshots of mcp_snapshot.")
    parser.addini(
        "mcp_server",
        "The server of the fixture mcp_server, written as on Sightline's command line.",
        default="",
    )
    parser.addini("mcp_cassette", "A recording that answers instead of the server.", default="")
    parser.addini("mcp_scope", "How long a server runs: session, module or function.", default="session")
    parser.addini("mcp_boundary", "The boundary level: open, declared or closed.", default="declared")
    parser.addini("mcp_timeout", "The time limit for each answer, in seconds.", default="60")
    parser.addini(
        "mcp_environment",
        "Environment variables of the server: NAME=VALUE, or NAME to pass on pytest's own value.",
        type="linelist",
        default=[],
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers of the plugin."""
    config.addinivalue_line(
        "markers", "mcp_server(target): the server of the fixture mcp_server in this test."
    )
    config.addinivalue_line("markers", "mcp_cassette(file): the recording that answers in this test.")
    config.stash[_CHOSEN] = []
    if config.getoption("mcp_record") and config.getoption("numprocesses", None):
        raise pytest.UsageError("--mcp-record does not work with -n: leave -n out")


def _scope(fixture_name: str, config: pytest.Config) -> _Scope:
    del fixture_name
    scope = str(config.getini("mcp_scope"))
    if scope not in _SCOPES:
        raise pytest.UsageError(f"mcp_scope is {scope}; it must be one of {', '.join(_SCOPES)}")
    # A recording contains only one session.
    return "session" if config.getoption("mcp_record") else scope


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Turn the markers of a test into a parameter of the fixture `mcp_server`.

    A fixture of session scope cannot see the markers of a test.
    """
    if "mcp_server" not in metafunc.fixturenames:
        return
    target, cassette = (_marked(metafunc.definition, name) for name in ("mcp_server", "mcp_cassette"))
    if target is None and cassette is None:
        return
    chosen = _Chosen(target, None if cassette is None else str(cassette))
    known = metafunc.config.stash[_CHOSEN]
    # pytest reuses a fixture for the identical parameter, not for an equal one.
    same = next((each for each in known if each.target is target and each.cassette == cassette), None)
    same = same or next((each for each in known if isinstance(target, str) and each == chosen), None)
    if same is None:
        known.append(chosen)
    metafunc.parametrize("mcp_server", [same or chosen], ids=[pytest.HIDDEN_PARAM], indirect=True)


def _marked(item: pytest.Item, name: str) -> object:
    marker = item.get_closest_marker(name)
    if marker is None:
        return None
    if len(marker.args) != 1 or marker.kwargs:
        raise pytest.UsageError(f"{item.nodeid}: the marker {name} takes one argument")
    return marker.args[0]


@pytest.fixture(scope=_scope)
def mcp_target(pytestconfig: pytest.Config) -> object:
    """The target of `mcp_server`. Override it in a conftest.py to give a server object."""
    return pytestconfig.getoption("mcp_server") or str(pytestconfig.getini("mcp_server")) or None


@pytest.fixture(scope=_scope)
def mcp_server(request: pytest.FixtureRequest, mcp_target: object) -> "Iterator[McpServer]":
    """The MCP server of this project, started and ready to be called."""
    from inspector.testing import McpServerError  # noqa: PLC0415 - loaded by the first test that needs it

    param = getattr(request, "param", None)
    chosen = param if isinstance(param, _Chosen) else _Chosen(param, None)
    try:
        server = _server(request.config, chosen, mcp_target).__enter__()
    except (McpServerError, ValueError) as error:
        pytest.fail(f"mcp_server: {error}", pytrace=False)
    try:
        yield server
    finally:
        server.__exit__(None, None, None)


def _server(config: pytest.Config, chosen: _Chosen, usual: object) -> "McpServer":
    """The server for a test, not yet started. Raises ValueError.

    `chosen`: what the markers of the test name. `usual`: the target if no marker names one.
    """
    from inspector.testing import cassette, connect  # noqa: PLC0415 - as above

    is_other = chosen.target is not None
    target = chosen.target if is_other else usual
    file = _cassette(config, chosen)
    records = bool(config.getoption("mcp_record")) and not (is_other and file is None)
    if records and file is None:
        raise ValueError("--mcp-record needs a file: set mcp_cassette, or give --mcp-cassette FILE")
    if file is not None and not records:
        target = cassette(file)
    if target is None:
        raise ValueError(
            "no server: set it in the configuration of pytest, as in\n"
            '[tool.pytest.ini_options]\nmcp_server = "-- python server.py"'
        )
    is_given = bool(config.getoption("mcp_server")) and not is_other
    return connect(
        target,
        boundary=str(config.getini("mcp_boundary")),
        environment=_environment(config),
        cwd=config.invocation_params.dir if is_given else _folder(config),
        timeout_s=float(str(config.getini("mcp_timeout"))),
        record=file if records else None,
    )


@pytest.fixture(scope=_scope)
def async_mcp_server(mcp_server: "McpServer") -> "AsyncMcpServer":
    """The server of `mcp_server` for asynchronous tests, with anyio (asyncio, trio) or pytest-asyncio."""
    return mcp_server.asynchronous


@pytest.fixture
def mcp_snapshot(request: pytest.FixtureRequest) -> "McpSnapshots":
    """Compares a host's model view of a result with a file: `mcp_snapshot(result, "claude-code")`."""
    from inspector.testing.snapshots import FOLDER, McpSnapshots  # noqa: PLC0415 - as above

    path: Path = request.path
    test = cast("pytest.Item", request.node)
    name = test.nodeid.partition("::")[2] or test.name
    folder = path.parent / FOLDER / path.stem
    return McpSnapshots(folder, name.replace("::", "."), update=bool(request.config.getoption("mcp_update")))


def _folder(config: pytest.Config) -> Path:
    """The folder that paths in the configuration are relative to."""
    return config.rootpath if config.inipath is None else config.inipath.parent


def _cassette(config: pytest.Config, chosen: _Chosen) -> Path | None:
    """The cassette of a test: the marker's, else the command line's, else the configuration's.

    The last two apply only if no marker of the test names a target.
    """
    given = config.getoption("mcp_cassette")
    if chosen.cassette is None and chosen.target is not None:
        return None
    if chosen.cassette is None and given:
        return config.invocation_params.dir / str(given)
    written = chosen.cassette or str(config.getini("mcp_cassette"))
    return _folder(config) / written if written else None


def _environment(config: pytest.Config) -> dict[str, str]:

    found: dict[str, str] = {}
    for line in cast("list[str]", config.getini("mcp_environment")):
        name, equals, value = line.partition("=")
        if equals:
            found[name] = value
        elif name in os.environ:
            found[name] = os.environ[name]
    return found
