"""Each host's profile gives what was observed of that host, to the last character."""

import json
from pathlib import Path
from typing import cast

import pytest

from inspector.boundary.bounded import Bounded, Level
from inspector.hosts.profile import Call
from inspector.hosts.registry import host
from inspector.json.exact import Json, JsonObject, dump_text

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
SERVER = "fx"
OBSERVED = cast(
    "dict[str, JsonObject]",
    json.loads(
        Path(__file__)
        .with_name("observed.json")
        .read_text(encoding="utf-8")
        .replace("<PNG>", PNG)
        .replace("<WAV>", WAV)
    ),
)
SHAPES = OBSERVED["shapes"]
HOSTS = cast("dict[str, dict[str, JsonObject]]", OBSERVED["hosts"])


def result_of(shape: str) -> Json:
    sent = SHAPES[shape]
    assert isinstance(sent, dict)
    return {"error": sent["$rpc_error"]} if "$rpc_error" in sent else sent


@pytest.mark.parametrize("name", HOSTS)
def test_a_profile_agrees_with_the_observation(name: str, subtests: pytest.Subtests) -> None:
    for shape in SHAPES:
        with subtests.test(shape):
            profile = host(name)
            assert profile is not None
            bounded = Bounded(level=Level.OPEN, result=result_of(shape))
            context = profile.model_view(bounded, Call(server=SERVER, tool=shape))
            # As text, so that the order of keys matters, and 1 differs from 1.0.
            assert dump_text(context.model) == dump_text(HOSTS[name]["outputs"][shape])
            assert context.observed, context.changes


@pytest.mark.parametrize("name", HOSTS)
def test_a_profile_states_the_observed_version(name: str) -> None:
    profile = host(name)
    assert profile is not None
    seen = HOSTS[name]
    # The file keeps the words that the observers wrote.
    title = str(seen["title"]).replace("bundled metadata", "metadata in Codex")
    assert (profile.title, profile.version) == (title, seen["version"])
    how = str(seen["how"])
    for noted, shown in (
        ("provider API", "provider's API"),
        ("binary", "by running the binary"),
        ("adapter code run", "by running the code of the adapter"),
    ):
        how = how.replace(noted, shown)
    assert profile.how == f"observed: {how}"
