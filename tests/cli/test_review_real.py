"""Third-party servers: the findings about them withstand a careful reader."""

import pytest

from tests.cli.sightline import sightline
from tests.connect.real_servers import DEMO, REAL_SERVERS, RealServer

EXPECTED = {"server-everything": [("SL-SEN004", "get-env")]}
"""Its `get-env` gives a model the whole environment of the process, and declares nothing about it."""
OTHERS = [server for server in REAL_SERVERS if server is not DEMO]


@pytest.mark.parametrize("server", OTHERS, ids=[server.name for server in OTHERS])
def test_a_sound_server_gives_no_alarm(server: RealServer) -> None:
    ran = sightline("review", "-q", "--format", "json", "--", *server.command)
    assert ran.code == 0, ran.err
    assert [(found["id"], found["tool"]) for found in ran.json["findings"]] == EXPECTED.get(server.name, [])
