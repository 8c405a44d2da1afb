"""The client that the conformance suite starts. It passes on what the suite asks of it, and how that ended.

Usage: python -S -E relay.py SOCKET URL, with the scenario, its context and the revision in the environment, as the suite
sets them.
"""

import json
import os
import socket
import sys

FROM = "MCP_CONFORMANCE_"


def main(path: str, url: str) -> int:
    """Pass one scenario on. Returns the exit code."""
    given = {
        "url": url,
        "scenario": os.environ.get(f"{FROM}SCENARIO", ""),
        "revision": os.environ.get(f"{FROM}PROTOCOL_VERSION", ""),
        "context": json.loads(os.environ.get(f"{FROM}CONTEXT") or "{}"),
    }
    with socket.socket(socket.AF_UNIX) as relay:
        relay.connect(path)
        relay.sendall(json.dumps(given).encode() + b"\n")
        with relay.makefile("rb") as answer:
            code, stderr = json.loads(answer.read())
    sys.stderr.write(stderr)
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
