import os

import pytest


@pytest.mark.parametrize("number", range(4))
def test_process(mcp_server, number):
    process = mcp_server.call("process").structured["result"]
    # Each pytest worker is a process, and has its own server as a child.
    with open(f"/proc/{process}/stat") as status:
        assert int(status.read().rpartition(")")[2].split()[1]) == os.getpid()
