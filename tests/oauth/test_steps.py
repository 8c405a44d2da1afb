"""The text that a step of an authorization shows of its request and answer, wherever a secret is repeated or cut."""

import base64
import secrets
from urllib.parse import urlencode

import httpx2
import pytest

from inspector.connect.oauth.steps import answer_of, step_of
from inspector.json.exact import dump
from inspector.protocol.authorization import StepLog
from inspector.secrets.own_credentials import OwnCredentials

URL = "https://login.test/token"


def drawn() -> str:
    return secrets.token_hex(32)


def noted(step: str, detail: str, is_failed: bool) -> None:  # noqa: FBT001 - a state
    del step, detail, is_failed


def form(**members: str) -> httpx2.Request:
    kind = {"content-type": "application/x-www-form-urlencoded"}
    return httpx2.Request("POST", URL, headers=kind, content=urlencode(members).encode())


def with_secret(secret: str, kind: str) -> httpx2.Request:
    """A request that carries a secret."""
    match kind:
        case "refresh":
            return form(grant_type="refresh_token", refresh_token=secret)
        case "verifier":
            return form(grant_type="authorization_code", code=drawn(), code_verifier=secret)
        case "assertion":
            return form(grant_type="client_credentials", client_assertion=secret)
        case "client secret in the body":
            return form(grant_type="client_credentials", client_secret=secret)
        case _:
            request = form(grant_type="client_credentials")
            pair = base64.b64encode(f"me:{secret}".encode()).decode()
            request.headers["authorization"] = f"Basic {pair}"
            return request


@pytest.mark.parametrize(
    "kind", ["refresh", "verifier", "assertion", "client secret in the body", "client secret in the header"]
)
def test_secrets_that_an_error_repeats_are_masked_at_any_cut(kind: str) -> None:
    for padding in range(0, 321, 8):
        own, secret = OwnCredentials(()), drawn()
        step_log = StepLog(note=noted, conceal=own.add, mask=own.mask)
        step = step_of(with_secret(secret, kind), step_log)
        said = {"error": "invalid_grant", "error_description": "." * padding + f" {secret} is bad"}
        answer = answer_of(step, httpx2.Response(400), dump({**said, secret: "x"}), step_log)
        assert "invalid_grant" in answer.text
        parts = [secret[at : at + 8] for at in range(len(secret) - 7)]
        assert not [part for part in parts if part in step.asked + answer.text], padding


@pytest.mark.parametrize("name", ["registration_access_token", "client_secret", "access_token", "id_token"])
def test_granted_secrets_are_masked_from_then_on(name: str) -> None:
    own, secret = OwnCredentials(()), drawn()
    step_log = StepLog(note=noted, conceal=own.add, mask=own.mask)
    step = step_of(form(grant_type="refresh_token"), step_log)
    answer = answer_of(step, httpx2.Response(200), dump({name: secret, "scope": f"call {secret}"}), step_log)
    assert secret not in answer.text
    assert f"{name}: •••" in answer.text
    assert secret not in own.mask(f"later: {secret}")
