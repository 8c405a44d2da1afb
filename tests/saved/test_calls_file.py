"""`calls.toml`: written calls are read back, errors name their place, and no secret is written."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from inspector.errors import UsageError
from inspector.json.exact import Json, JsonObject
from inspector.saved.call import Expectations, SavedCall
from inspector.saved.files.calls import append_call, read_calls, secret_values, without_secrets

SECRET = "hunter2-planted"

ARGUMENTS: tuple[JsonObject, ...] = (
    {},
    {"text": 'a"b\\c\n\t\x00\x7f é \u2028 \U0001f600', "": "", "a b": "x", "n.m": 1},
    {"numbers": [0, -1, 2**62, 1.0, 1e300, -0.5, 1.5e-9], "deep": {"list": [[], {}, [{"a": [True, False]}]]}},
    {"nothing": None},
    {"big": 2**80, "deep": [None, {"a": None}]},
)


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_a_written_call_is_read_back_unchanged(arguments: JsonObject, tmp_path: Path) -> None:
    path = tmp_path / "calls.toml"
    path.write_text("# mine\n[calls.own]\ntool = 'x'  # stays\n")
    saved = SavedCall(
        name="a name",
        tool="tool\n",
        arguments=arguments,
        secrets={"token": "env:TOKEN"},
        server="-- python 'a b.py'",
        expect=Expectations(fits_schema=True, withheld=("/secret", "/a~1b"), error="tool_error"),
    )
    append_call(str(path), saved)
    assert read_calls(str(path)) == (SavedCall(name="own", tool="x"), saved)
    assert path.read_text().startswith("# mine\n[calls.own]\ntool = 'x'  # stays\n")
    with pytest.raises(UsageError, match="has a call a name already"):
        append_call(str(path), saved)


WRONG = {
    "x": "is not TOML",
    "[other.a]": "unknown field `other`",
    "[calls.a]": "call a: Object missing required field `tool`",
    "[calls.a]\ntool = 1": "call a: Expected `str`",
    "[calls.a]\ntool = 'x'\narguments = '[1]'": "the arguments are not an object",
    "[calls.a]\ntool = 'x'\narguments = 'x'": "must contain JSON",
    "[calls.a]\ntool = 'x'\narguments = { at = nan }": "JSON has no nan",
    "[calls.a]\ntool = 'x'\n[calls.a.expect.equals]\n'/at' = inf": "JSON has no inf",
    "[calls.a]\ntool = 'x'\narguments = { at = 2026-01-01 }": "JSON has no date",
    f"[calls.a]\ntool = 'x'\nsecrets = {{ token = '{SECRET}' }}": "the secret token has no valid source",
    "[calls.a]\ntool = 'x'\n[calls.a.expect]\nerror = 'bad'": "bad is not an error code",
    "[calls.a]\ntool = 'x'\n[calls.a.expect]\nwithheld = ['secret']": "secret is not a JSON pointer",
    "[calls.a]\ntool = 'x'\n[calls.a.expect]\nabsent_for = 'someone'": "no host someone",
    "[calls.a]\ntool = 'x'\n[calls.a.expect]\nfits = true": "unknown field `fits`",
    "a = " + "[" * 100_000: "nested too deep",
}


def test_a_wrong_file_is_a_usage_error_that_names_the_call(tmp_path: Path) -> None:
    path = tmp_path / "calls.toml"
    for text, message in WRONG.items():
        path.write_text(text)
        with pytest.raises(UsageError) as caught:
            read_calls(str(path))
        assert message in caught.value.message, text
        assert SECRET not in caught.value.message + caught.value.hint
        assert caught.value.hint


def test_secrets_are_read_from_the_environment_or_the_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    saved = SavedCall(name="a", tool="x", secrets={"one": "env:MINE", "two": "keyring:mine/me@host/x"})
    monkeypatch.setenv("MINE", SECRET)
    kept: dict[tuple[str, ...], str] = {("mine", "me@host/x"): "kept"}

    def get_password(*names: str) -> str | None:
        return kept.get(names)

    monkeypatch.setitem(
        sys.modules,
        "keyring",
        SimpleNamespace(get_password=get_password),
    )
    assert secret_values(saved) == {"one": SECRET, "two": "kept"}
    kept.clear()
    with pytest.raises(UsageError, match="the secret two has no value"):
        secret_values(saved)
    monkeypatch.delenv("MINE")
    with pytest.raises(UsageError, match="the secret one has no value"):
        secret_values(saved)
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(UsageError, match="needs the package keyring"):
        secret_values(SavedCall(name="a", tool="x", secrets={"two": "keyring:mine/me"}))


def test_an_argument_that_may_be_secret_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    marked: Json = {"type": "object", "properties": {"pin": {"type": "string", "format": "password"}}}
    assert without_secrets({"pin": "1", "name": "n", "api_key": SECRET}, marked) == (
        {"name": "n"},
        {"pin": "env:PIN", "api_key": "env:API_KEY"},
    )
    monkeypatch.setenv("OF_MINE", SECRET)
    assert without_secrets({"api_key": SECRET}, {})[1] == {"api_key": "env:OF_MINE"}
    github: Json = ["ghp_16C7e42F292c6912E7710c838347Ae178B4a"]
    inside: Json = {"type": "object", "properties": {"o": {"properties": {"mark": {"x-sensitive": True}}}}}
    with pytest.raises(UsageError, match="the argument o may hold a secret"):
        without_secrets({"o": {"mark": SECRET}}, inside)
    assert without_secrets({"n": SECRET, "m": "x"}, {}, also=("n",)) == ({"m": "x"}, {"n": "env:OF_MINE"})
    refused: tuple[JsonObject, ...] = ({"a": {"password": SECRET}}, {"password": 5}, {"keys": github})
    for deeper in refused:
        with pytest.raises(UsageError, match="may hold a secret") as caught:
            without_secrets(deeper, {})
        assert SECRET not in caught.value.message
