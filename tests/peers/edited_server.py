"""The source of a server that a test edits while it is watched: quick to start, with the standard library only."""

SOURCE = """
import json, os, sys
with open({pids!r}, "a") as file:
    file.write(str(os.getpid()) + "\\n")
{code}
WRITES = {{
    "name": "write", "description": {writes!r}, "inputSchema": {{"type": "object"}}, "annotations": {hints!r},
}}
READS = {{
    "name": "read", "description": "Reads.", "inputSchema": {takes!r},
    "annotations": {{"readOnlyHint": True}}, "outputSchema": {schema!r},
}}
OTHER = {{"name": "other", "description": {other!r}, "inputSchema": {{"type": "object"}}}}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    answer = {{"error": {{"code": -32601, "message": "no such method"}}}}
    if asked["method"] == "initialize":
        answer = {{"result": {{
            "protocolVersion": "2025-11-25", "capabilities": {{"tools": {{}}}},
            "serverInfo": {{"name": "edited", "version": "1"}},
        }}}}
    elif asked["method"] == "tools/list":
        answer = {{"result": {{"tools": [READS, WRITES, OTHER]}}}}
    elif asked["method"] == "tools/call":
        with open({pids!r} + ".calls", "a") as file:
            file.write(asked["params"]["name"] + "\\n")
        answer = {{"result": {{"content": [], "structuredContent": {result}}}}}
    print(json.dumps({{"jsonrpc": "2.0", "id": asked["id"], **answer}}), flush=True)
"""


def source(  # noqa: PLR0913 - the parts of a server that tests edit
    pids: str,
    *,
    code: str = "",
    result: str = '{"value": 1}',
    other: str = "Other.",
    writes: str = "Writes.",
    secrets: tuple[str, ...] = (),
    hints: dict[str, bool] | None = None,
    takes: tuple[str, ...] = (),
) -> str:
    """The text of the server. It appends its process id to the file `pids`, and the tools that are called to `pids`.calls.

    `code`: runs at its start. `result`: a Python expression. `secrets`: members of the result that are declared sensitive. `hints`: the annotations of `write`.
    `takes`: the required arguments of `read`, which are texts.
    """
    schema = {"type": "object", "properties": {name: {"x-sensitive": True} for name in secrets}}
    return SOURCE.format(
        pids=pids,
        code=code,
        result=result,
        other=other,
        writes=writes,
        hints=hints or {},
        schema=schema,
        takes={
            "type": "object",
            "properties": {name: {"type": "string"} for name in takes},
            "required": list(takes),
        },
    )
