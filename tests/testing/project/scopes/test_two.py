import os

import pytest


@pytest.mark.parametrize("number", range(2))
def test_process(mcp_server, number):
    with open(os.environ["SEEN"], "a") as seen:
        print(mcp_server.call("process").structured["result"], file=seen)
