"""A server on stdio with many tools and a large result.

Usage: `large_server.py TOOLS RESULT_BYTES [marked]`.

`marked`: the output schema marks one text of each row as sensitive.
"""

import json
import sys

TOOLS, RESULT_BYTES = int(sys.argv[1]), int(sys.argv[2])
TEXT = {"type": "string"}
FIELDS = {
    "id": {"type": "integer"},
    "name": TEXT,
    "mail": {"type": "string", "x-sensitive": True},
    "note": TEXT,
}
ROWS = {"type": "array", "items": {"type": "object", "properties": FIELDS}}
MARKED = {"type": "object", "properties": {"rows": ROWS}}
OUTPUT = f'"outputSchema":{json.dumps(MARKED)},' if "marked" in sys.argv else ""


def _rows() -> str:
    row = {
        "id": 9007199254740993,
        "name": "person",
        "mail": "p%07d@example.org",
        "note": "neither short nor long " * 4,
    }
    one = json.dumps(row)
    return "[" + ",".join(one % number for number in range(max(1, RESULT_BYTES // len(one)))) + "]"


def _serve() -> None:
    schema = '{"type":"object","properties":{"a":{"type":"string","description":"an argument"}}}'
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        match message["method"]:
            case "server/discover":
                result = (
                    '{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete"}'
                )
            case "tools/list":
                tools = (
                    f'{{"name":"tool_{n:05d}","description":"Does number {n}","inputSchema":{schema},{OUTPUT}'
                    f'"annotations":{{"readOnlyHint":true}}}}'
                    for n in range(TOOLS)
                )
                result = f'{{"tools":[{",".join(tools)}]}}'
            case _:
                result = f'{{"content":[],"structuredContent":{{"rows":{_rows()}}}}}'
        sys.stdout.write(f'{{"jsonrpc":"2.0","id":{message["id"]},"result":{result}}}\n')
        sys.stdout.flush()


_serve()
