"""Sightline reads results as the TypeScript SDK did.

zod_recorded.json: what `CallToolResultSchema.safeParse` of npm @modelcontextprotocol/sdk 1.32.2 with zod 4.6.7 made of
each result: the JSON of what it kept, or the message with which it refused.
"""

import json
from pathlib import Path
from typing import cast

import pytest

from inspector.hosts import javascript
from inspector.hosts.received import Received
from inspector.hosts.typescript_client import Unread, ZodRefused, receive
from inspector.json.exact import JsonObject

RECORDED = cast("list[JsonObject]", json.loads(Path(__file__).with_name("zod_recorded.json").read_bytes()))


@pytest.mark.parametrize("record", RECORDED, ids=lambda record: json.dumps(record["sent"])[:60])
def test_a_result_is_accepted_or_refused_as_by_the_sdk(record: JsonObject) -> None:
    sent = record["sent"]
    assert isinstance(sent, dict)
    received = receive(sent)
    if isinstance(received, Received):
        assert javascript.stringify(received.value) == record["kept"]
    else:
        assert isinstance(received, ZodRefused)
        assert received.message == record["refused"]


@pytest.mark.parametrize("meta", [5, None, {"progressToken": {}}])
def test_invalid_metadata_makes_the_message_unread(meta: object) -> None:
    assert isinstance(receive(cast("JsonObject", {"content": [], "_meta": meta})), Unread)
