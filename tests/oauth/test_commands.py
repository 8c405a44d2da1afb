"""Authorization on the command line: options, output, exit codes, the keyring, certificates."""

import asyncio
import datetime as dt
import ipaddress
import json
import os
import re
import select
import ssl
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from inspector.cli.authorizing import authorizing_of
from inspector.cli.options import AuthorizationOptions
from inspector.protocol.authorization import ClientIdentity
from tests.cli.sightline import ROOT, sightline
from tests.peers.authorizing_server import Issued, authorizing_server
from tests.peers.http_server import http_peer, result
from tests.peers.ports import free_port
from tests.peers.terminal import terminal

PAGE = re.compile(rb"page: (http\S+)\s")
PAGE_S = 40.0
BACKEND = """
import json, os
from keyring.backend import KeyringBackend
class Keyring(KeyringBackend):
    priority = 9
    def _all(self):
        return json.load(open(os.environ["FAKE"])) if os.path.exists(os.environ["FAKE"]) else {}
    def get_password(self, service, username):
        return self._all().get(service + " " + username)
    def set_password(self, service, username, password):
        json.dump({**self._all(), service + " " + username: password}, open(os.environ["FAKE"], "w"))
    def delete_password(self, service, username):
        json.dump({}, open(os.environ["FAKE"], "w"))
"""


@contextmanager
def running(*argv: str, **environment: str) -> Generator[tuple[subprocess.Popen[bytes], str]]:
    """A command that waits for its redirect, and the page URL that it printed."""
    command = [sys.executable, "-m", "inspector", *argv, "--no-browser"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as process:
        try:
            yield process, page_of(process)[0]
        finally:
            process.kill()


def page_of(process: subprocess.Popen[bytes]) -> tuple[str, bytes]:
    """The page URL that a command prints on stderr, and all output until then."""
    assert process.stderr
    printed, until = b"", time.monotonic() + PAGE_S
    while not (found := PAGE.search(printed)):
        ready, _, _ = select.select([process.stderr], [], [], max(0.0, until - time.monotonic()))
        part = os.read(process.stderr.fileno(), 1 << 16) if ready else b""
        if not part:
            ended = f"exit code {process.wait(5)}" if ready else f"no page within {PAGE_S:g} s"
            pytest.fail(f"{ended}; on stderr: {printed.decode(errors='replace') or 'nothing'}")
        printed += part
    return found[1].decode(), printed


def test_without_a_browser_the_page_url_is_printed_and_the_redirect_awaited() -> None:
    issued = Issued()
    with authorizing_server(issued) as url, running("list", url, "--format", "json") as (process, page):
        shown = subprocess.run(
            ["ps", "-o", "args=", "-p", str(process.pid)], capture_output=True, text=True, check=True
        ).stdout
        assert urllib.request.urlopen(page, timeout=10).status == 200  # noqa: S310 - on loopback
        out, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    assert b'"name":"t"' in out
    assert len(issued.secrets) == 4
    assert not [secret for secret in issued.secrets if secret in shown + out.decode() + err.decode()]


def test_in_a_terminal_the_browser_opens_only_after_a_yes(tmp_path: Path) -> None:
    issued, opened = Issued(), tmp_path / "opened"
    browser = tmp_path / "browser.py"
    browser.write_text(
        "import sys, urllib.request\n"
        f"open({str(opened)!r}, 'w').write(sys.argv[1])\n"
        "urllib.request.urlopen(sys.argv[1]).read()\n"
    )
    command = (sys.executable, "-m", "inspector", "auth")
    with authorizing_server(issued) as url:
        with terminal((*command, url), BROWSER=f"{sys.executable} {browser} %s", NO_COLOR="1") as screen:
            screen.wait_for("[Y/n]")
            assert not opened.exists()
            screen.press("y", "\r")
            screen.wait_for_end()
        assert screen.process.returncode == 0
        assert "code_challenge_method=S256" in opened.read_text()
        opened.unlink()
        with terminal((*command, url), BROWSER=f"{sys.executable} {browser} %s", NO_COLOR="1") as screen:
            screen.wait_for("[Y/n]")
            screen.press("n", "\r")
            screen.wait_for_end()
        assert screen.process.returncode == 3
        assert not opened.exists()


def test_tokens_are_kept_in_the_keyring_only_on_request(tmp_path: Path) -> None:
    (tmp_path / "fakering.py").write_text(BACKEND)
    kept = tmp_path / "kept"
    fake = {
        "PYTHON_KEYRING_BACKEND": "fakering.Keyring",
        "FAKE": str(kept),
        "PYTHONPATH": f"{ROOT}:{tmp_path}",
    }
    command = [sys.executable, "-m", "inspector"]

    def ran(*argv: str) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, **fake}
        return subprocess.run(
            [*command, *argv], capture_output=True, text=True, env=env, timeout=60, check=False
        )

    issued = Issued()
    with authorizing_server(issued) as url:
        with running("list", url, **fake) as (process, page):
            urllib.request.urlopen(page, timeout=10)  # noqa: S310 - on loopback
            process.communicate(timeout=30)
        assert not kept.exists()
        assert ran("list", url, "--stored-auth-only").returncode == 3
        with running("auth", url, "--remember", **fake) as (process, page):
            urllib.request.urlopen(page, timeout=10)  # noqa: S310 - on loopback
            process.communicate(timeout=30)
        assert process.returncode == 0
        assert f"sightline {url}" in kept.read_text()
        for argv in (("list", url), ("list", url, "--stored-auth-only")):
            assert ran(*argv).returncode == 0
        assert ran("auth", "--forget", url).stdout == f"removed from the keyring: {url}\n"
        assert ran("auth", "--forget", url).stdout == f"the keyring has no tokens for {url}\n"
        assert ran("list", url).returncode == 3
    fake["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
    refused = ran("auth", url, "--remember")
    assert (refused.returncode, "no keyring that Sightline can use" in refused.stderr) == (2, True)


def entry_of(folder: Path, url: str, oauth: dict[str, Any]) -> str:
    """A file with one entry, as a target."""
    path = folder / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {"it": {"type": "http", "url": url, "oauth": oauth}}}))
    return f"{path}:it"


@pytest.mark.parametrize(
    ("secret", "options", "environment", "is_good"),
    [
        ("a secret of the entry", (), {}, True),
        ("${CLIENT_SECRET}", (), {"CLIENT_SECRET": "a secret of the entry"}, True),
        ("another one", (), {}, False),
        ("another one", ("--client-secret", "env:GIVEN"), {"GIVEN": "a secret of the entry"}, True),
        ("${NOT_SET}", ("--client-secret", "env:GIVEN"), {"GIVEN": "a secret of the entry"}, True),
    ],
)
def test_the_client_of_an_entry_is_used_unless_the_command_line_names_another(
    secret: str,
    options: tuple[str, ...],
    environment: dict[str, str],
    is_good: bool,  # noqa: FBT001
    tmp_path: Path,
) -> None:
    issued, port = Issued(), free_port()
    issued.know("mine", "a secret of the entry", f"http://localhost:{port}/callback")
    oauth = {"clientId": "mine", "clientSecret": secret, "callbackPort": port, "scopes": "call"}
    with (
        authorizing_server(issued) as url,
        running("list", entry_of(tmp_path, url, oauth), *options, **environment) as (process, page),
    ):
        assert f"redirect_uri=http%3A%2F%2Flocalhost%3A{port}%2Fcallback&" in page
        assert "client_id=mine&" in page
        urllib.request.urlopen(page, timeout=10)  # noqa: S310 - on loopback
        out, err = process.communicate(timeout=30)
    assert (process.returncode, b"invalid_client" in err) == ((0, False) if is_good else (3, True)), err
    assert issued.clients.keys() == {"mine"}
    assert [word for word in (b"a secret of the entry", b"another one") if word in out + err] == []


ENTRY = ClientIdentity(
    client_id="entry",
    client_secret="of the entry",
    scope="entry",
    redirect_uri="http://localhost:1/entry",
    token_url="https://auth.test/token",
)
GIVEN = "http://localhost:2/given"


@pytest.mark.parametrize(
    ("options", "client"),
    [
        (AuthorizationOptions(), ENTRY),
        (
            AuthorizationOptions(client_id="given"),
            replace(ENTRY, client_id="given", client_secret=None, token_url=None),
        ),
        (AuthorizationOptions(client_secret="env:GIVEN"), replace(ENTRY, client_secret="of the option")),
        (AuthorizationOptions(scope="given"), replace(ENTRY, scope="given")),
        (AuthorizationOptions(redirect_uri=GIVEN), replace(ENTRY, redirect_uri=GIVEN)),
        (AuthorizationOptions(issuer="https://auth.test"), replace(ENTRY, issuer="https://auth.test")),
        (
            AuthorizationOptions(client_credentials=True, issuer="https://auth.test"),
            replace(ENTRY, issuer="https://auth.test", is_machine=True),
        ),
    ],
)
def test_each_option_has_precedence_over_its_member_of_an_entry(
    options: AuthorizationOptions, client: ClientIdentity, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIVEN", "of the option")
    assert authorizing_of(options, ENTRY).client == client


@pytest.mark.parametrize(
    ("oauth", "says"),
    [
        ({"tokenUrl": "https://auth.test/token"}, b"token endpoint differs: http://127.0.0.1:"),
        ({"authorizationUrl": "https://auth.test/a"}, b"authorization page differs: http://127.0.0.1:"),
    ],
)
def test_a_code_goes_only_where_the_entry_says(oauth: dict[str, str], says: bytes, tmp_path: Path) -> None:
    issued = Issued()
    with authorizing_server(issued) as url:
        target = entry_of(tmp_path, url, oauth)
        if "tokenUrl" in oauth:
            with running("list", target) as (process, page):
                urllib.request.urlopen(page, timeout=10)  # noqa: S310 - on loopback
                err = process.communicate(timeout=30)[1]
        else:
            err = sightline("list", target, "--no-browser").err.encode()
    assert says in err
    assert b"and the configuration names https://auth.test/" in err
    assert not issued.verifiers


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--client-id", "a", "--client-secret", "hunter2hunter2"], "every user of this machine"),
        (["--client-id", "a", "--client-secret", "env:NOT_THERE"], "the variable is not set, or is empty"),
        (["--client-credentials", "--client-id", "a"], "--client-secret or --client-key"),
        (["--client-credentials", "--client-id", "a", "--client-secret", "env:HOME"], "needs --issuer"),
        (["--client-id", "a", "--scope", 'a"b'], "not a list of scopes"),
        (["--redirect-uri", "https://elsewhere.example/x"], "127.0.0.1"),
        (["--remember", "--stored-auth-only"], "--remember does not work with --stored-auth-only"),
        (["--insecure", "--cacert", "x.pem"], "Leave one of them out"),
        (["--cacert", "/not/there.pem"], "No such file"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_sent(options: list[str], says: str) -> None:
    ran = sightline("list", "http://127.0.0.1:1/mcp", *options)
    assert (ran.code, says in ran.err, "hunter2" in ran.err) == (2, True, False), ran.err
    assert sightline("list", "demo", "--stored-auth-only").code == 2


def certificate(folder: Path) -> tuple[str, str]:
    """A self-signed certificate for 127.0.0.1, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "sightline test")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    paths = folder / "cert.pem", folder / "key.pem"
    paths[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return str(paths[0]), str(paths[1])


def test_the_certificate_option_applies_to_the_authorization_server_too(tmp_path: Path) -> None:
    files = certificate(tmp_path)
    with authorizing_server(Issued(), files) as url:
        bare = sightline("list", url, "--no-browser")
        assert (bare.code, "certificate" in bare.err.lower()) == (4, True), bare.err
        for options in (["--cacert", files[0]], ["--insecure"]):
            with running("list", url, *options) as (process, page):
                context = ssl.create_default_context(cafile=files[0])
                urllib.request.urlopen(page, timeout=10, context=context)  # noqa: S310
                out, err = process.communicate(timeout=30)
            assert process.returncode == 0, err
            assert b"authorizing" in out
    said = sightline("list", "http://127.0.0.1:1/mcp", "--insecure")
    assert "certificates are not checked (--insecure)" in said.err


async def test_the_oauth_code_is_imported_only_when_a_server_requires_it() -> None:
    script = (
        "import sys\n"
        "from inspector.cli.main import run\n"
        "out, sys.stdout = sys.stdout, sys.stderr\n"
        "code = run(['list', sys.argv[1]], None)\n"
        "sys.stdout = out\n"
        "print(code)\n"
        "print(*(n for n in sys.modules if n.startswith(('mcp.client.auth', 'inspector.connect.oauth', 'keyring', 'jwt'))))\n"
    )

    async def loaded(url: str) -> list[str]:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-c", script, url),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
        )
        out, _ = await asyncio.wait_for(process.communicate(), 60)
        return out.decode().split()

    listed: Any = {"tools": [{"name": "t", "inputSchema": {"type": "object"}}]}
    modern: Any = {"supportedVersions": ["2026-07-28"], "capabilities": {}}
    async with http_peer({"server/discover": result(modern), "tools/list": result(listed)}) as peer:
        code, *modules = await loaded(peer.url())
    assert code == "0"
    assert set(modules) == {
        "inspector.connect.oauth",
        "inspector.connect.oauth.auth",
        "inspector.connect.oauth.held",
    }
    with authorizing_server(Issued()) as url:
        code, *modules = await loaded(url)
    assert (code, "mcp.client.auth" in modules) == ("3", True)
