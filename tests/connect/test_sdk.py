"""What is imported of the SDK, in a process of its own, because this one has imported more."""

import subprocess
import sys

SCRIPT = """
import sys
import inspector.connect.http, inspector.connect.oauth.provider
print(*sys.modules)
from mcp import *
from mcp.client import Client as same
import mcp, mcp.client.stdio
from mcp.server.lowlevel import Server
assert ClientSession is mcp.ClientSession and Server.__module__ == "mcp.server.lowlevel.server"
assert Client is same is mcp.Client is mcp.client.Client
assert mcp.client.sse.sse_client is inspector.connect.http.sse_client
assert mcp.client.stdio.stdio_client and mcp.types.Tool
"""


def test_http_loads_neither_servers_nor_models_of_the_sdk_and_programs_find_all_of_it() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loaded = done.stdout.split()
    assert "mcp.client.streamable_http" in loaded
    assert [
        name for name in loaded if name.startswith(("mcp.server", "mcp.types", "mcp_types.methods"))
    ] == []
