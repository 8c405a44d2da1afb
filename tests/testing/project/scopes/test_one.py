import os

import pytest


@pytest.mark.parametrize("number", range(2))
def test_process(mcp_server, number):
    with open(os.environ["SEEN"], "a") as seen:
        print(mcp_server.call("process").structured["result"], file=seen)


def test_variables(mcp_server):
    for name, value in (("GIVEN", "7"), ("SEEN", os.environ["SEEN"]), ("NOWHERE", ""), ("COLUMNS", "")):
        assert mcp_server.call("variable", name=name).structured == {"value": value}
