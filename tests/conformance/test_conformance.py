"""The scored client scenarios of the official conformance suite, driven through a session of the product.

The suite needs Node 22; `make test` installs it, and a Node of its own, with the other third-party servers.
"""

from collections.abc import Iterator

import pytest
from httpx2 import Timeout

from inspector.connect import http
from inspector.connect.http_tap import HttpTap
from tests.conformance.client import RETRIED, TIME_LIMIT_S, noting_streams, served
from tests.conformance.report import (
    OF_SKILLS,
    PAGE,
    REVISIONS,
    SKILLS,
    SUITE,
    documented,
    node,
    outcome_of,
    outcomes_of,
    relay,
    scenarios,
)

SCORED = [each for each, cell in documented().items() if cell] if PAGE.exists() else []
UNSCORED_BELOW = "Run, and not scored"


def scored() -> list[tuple[str, str]]:
    """The scenarios in the first table of the page."""
    first = PAGE.read_text(encoding="utf-8").partition(UNSCORED_BELOW)[0]
    return [(name, revision) for name, revision in SCORED if f"`{name}`" in first]


def extensions() -> list[tuple[str, str]]:
    """The scenarios of extensions that pass, although they are not scored."""
    page = PAGE.read_text(encoding="utf-8").partition(UNSCORED_BELOW)[2].partition(OF_SKILLS)[0]
    return [each for each in SCORED if f"`{each[0]}`" in page and "✗" not in documented()[each]]


def skills() -> list[tuple[str, str]]:
    """The scenarios in the table of the extension for skills."""
    last = PAGE.read_text(encoding="utf-8").partition(OF_SKILLS)[2]
    return [(name, revision) for name, revision in SCORED if f"`{name}`" in last]


def program() -> str:
    found = node() if SUITE.exists() else None
    if found is None:
        pytest.skip("the conformance suite is not installed, or there is no Node 22")
    return found


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The command of the client."""
    path = tmp_path_factory.mktemp("client") / "socket"
    with pytest.MonkeyPatch.context() as patch, served(path):
        patch.setattr(http, "TIME_LIMITS", Timeout(TIME_LIMIT_S, read=None))
        patch.setattr(HttpTap, "handle_async_request", noting_streams(HttpTap.handle_async_request))
        yield relay(path)


# The suite registers its client at no particular server.
@pytest.mark.filterwarnings("ignore:Omitting `issuer` is deprecated")
@pytest.mark.parametrize("revision", REVISIONS)
def test_the_scenarios_of_a_revision_have_the_outcomes_stated_on_the_page(client: str, revision: str) -> None:
    cells, text = outcomes_of(program(), revision, client)
    wanted = {name for name, each in (*scored(), *extensions()) if each == revision} - {RETRIED}
    found = {name: cells.get(name, "not run ✗") for name in wanted}
    assert not {name: cell for name, cell in found.items() if "✗" in cell or cell.startswith("0/")}, text
    assert not [name for name in wanted if "✗" in documented()[name, revision]]


@pytest.mark.filterwarnings("ignore:Omitting `issuer` is deprecated")
@pytest.mark.parametrize(
    ("scenario", "revision"), [*(each for each in scored() if each[0] == RETRIED), *skills()]
)
def test_a_scenario_has_the_outcome_stated_on_the_page(client: str, scenario: str, revision: str) -> None:
    outcome = outcome_of(program(), scenario, revision, client)
    assert outcome.is_good, outcome.text[-6_000:]
    assert "✗" not in documented()[scenario, revision]


def test_the_page_has_every_scored_scenario_and_all_pass() -> None:
    found = program()
    wanted = {
        (name, revision)
        for revision in ("2025-11-25", "2026-07-28")
        for name in scenarios(found, revision)[0]
    }
    assert set(scored()) == wanted
    assert len(wanted) == 50
    assert {name for name, _ in extensions()} == {
        "auth/client-credentials-basic",
        "auth/client-credentials-jwt",
        "json-schema-2020-12-preservation",
    }
    assert set(skills()) == {(name, revision) for name in SKILLS for revision in REVISIONS}
    assert "**50 of 50 scored scenarios pass.**" in PAGE.read_text(encoding="utf-8")
