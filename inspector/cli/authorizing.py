"""The settings for authorizing at HTTP targets, from a command's options, and the questions to the user."""

import asyncio
import dataclasses
import os
import sys
import termios
import webbrowser
from pathlib import Path

from inspector.asks.link import link_of
from inspector.cli.options import AuthorizationOptions
from inspector.cli.output import DIAGNOSTICS
from inspector.errors import UsageError
from inspector.files.kept_tokens import KeptTokens
from inspector.protocol.authorization import (
    AuthorizationAsk,
    Authorizer,
    Authorizing,
    ClientIdentity,
    are_scopes,
    redirect_fault,
)


def authorizing_of(options: AuthorizationOptions, configured: ClientIdentity | None = None) -> Authorizing:
    """The authorization settings of a session, from the options of a command. Raises UsageError.

    `configured`: the OAuth client that a configuration file describes; the options take precedence.
    """
    if options.remember and options.stored_only:
        raise UsageError(
            "--remember does not work with --stored-auth-only, which gets no new tokens",
            "Leave out one of them.",
        )
    return Authorizing(
        client=_identity(options, configured or ClientIdentity()),
        authorizer=_authorizer(options),
        store=KeptTokens(remember=options.remember),
        is_stored_only=options.stored_only,
    )


def _identity(options: AuthorizationOptions, configured: ClientIdentity) -> ClientIdentity:
    client = dataclasses.replace(configured, **dict.fromkeys(options.of_client))
    client_id = options.client_id or client.client_id
    secret = client.client_secret if options.client_secret is None else _secret(options.client_secret)
    key = _read(options.client_key, "--client-key") if options.client_key is not None else None
    if options.client_credentials and (client_id is None or (secret is None and key is None)):
        raise UsageError(
            "--client-credentials needs --client-id, and --client-secret or --client-key", "Add them."
        )
    if options.client_credentials and options.issuer is None:
        raise UsageError(
            "--client-credentials needs --issuer",
            "Otherwise the MCP server decides which authorization server gets your credentials.",
        )
    if client_id is None and (options.client_secret or options.issuer):
        raise UsageError("--client-secret and --issuer only work with --client-id", "Add --client-id.")
    if not options.client_credentials and key:
        raise UsageError(
            "--client-key only works with --client-credentials",
            "Add --client-credentials, or leave out --client-key.",
        )
    if options.scope is not None and not are_scopes(options.scope):
        raise UsageError(f"--scope {options.scope}: not a list of scopes", 'Write --scope "read write".')
    fault = redirect_fault(options.redirect_uri) if options.redirect_uri else ""
    if fault:
        raise UsageError(
            f"--redirect-uri {options.redirect_uri}: {fault}", "Write http://127.0.0.1:8765/callback."
        )
    url = options.client_metadata_url
    if url is not None and not (url.startswith("https://") and url.removeprefix("https://").find("/") > 0):
        raise UsageError(f"--client-metadata-url {url}: not an https URL with a path", "Check the URL.")
    return dataclasses.replace(
        client,
        client_id=client_id,
        client_secret=secret,
        signing_key=key,
        metadata_url=url,
        scope=options.scope or client.scope,
        issuer=options.issuer,
        is_machine=options.client_credentials,
        redirect_uri=options.redirect_uri or client.redirect_uri,
    )


def _authorizer(options: AuthorizationOptions) -> Authorizer | None:
    if options.no_browser:
        return _print
    return _ask if sys.stdin.isatty() and sys.stderr.isatty() else None


def lines_of(ask: AuthorizationAsk) -> list[str]:
    """The lines that ask the user to authorize Sightline, with the whole URL of the page."""
    link = link_of(ask.url.partition("?")[0], ask.server)
    lines = [
        f"{ask.server} asks for authorization.",
        f"  authorization server: {ask.issuer or link.origin}",
        f"  scopes: {' '.join(ask.scopes) or 'none named'}",
        f"  page: {ask.url}",
        *([f"  {link.ending}"] if link.ending else ()),
        *(f"  {warning}" for warning in link.warnings),
    ]
    return [*lines, f"  Do not open it: {link.refusal}."] if link.refusal else lines


async def _print(ask: AuthorizationAsk) -> bool:
    for line in lines_of(ask):
        DIAGNOSTICS.prompt(line)
    DIAGNOSTICS.prompt(f"Open the page. Sightline waits for the redirect to {ask.redirect_uri} …")
    return True


async def _ask(ask: AuthorizationAsk) -> bool:
    for line in lines_of(ask):
        DIAGNOSTICS.prompt(line)
    if link_of(ask.url.partition("?")[0]).refusal:
        return False
    # Text typed before the question does not answer it.
    termios.tcflush(sys.stdin, termios.TCIFLUSH)
    DIAGNOSTICS.prompt("Open it in your browser? [Y/n]")
    if (await _typed_line()).strip().lower() not in {"", "y", "yes"}:
        return False
    await asyncio.to_thread(webbrowser.open, ask.url)
    DIAGNOSTICS.prompt(f"Waiting for the redirect to {ask.redirect_uri}; Ctrl-C ends it …")
    return True


async def _typed_line() -> str:
    """Read one line of stdin on the event loop.

    No thread is used, because a thread could not be cancelled when the redirect comes before the line.
    """
    loop = asyncio.get_running_loop()
    ready = loop.create_future()
    loop.add_reader(sys.stdin, lambda: None if ready.done() else ready.set_result(None))
    try:
        await ready
        # The end of the input is not an agreement.
        return sys.stdin.readline() or "no"
    finally:
        loop.remove_reader(sys.stdin)


def _secret(word: str) -> str:
    """The secret that `--client-secret` refers to: the content of a file, or the value of a variable.

    Raises UsageError.
    """
    if word.startswith("@"):
        return _read(word[1:], "--client-secret")
    if word.startswith("env:"):
        value = os.environ.get(word[4:])
        if not value:
            raise UsageError(
                f"--client-secret {word}: the variable is not set, or is empty", "Set it, or name another."
            )
        return value
    raise UsageError(
        "--client-secret does not take the secret itself: every user of this machine can read command lines",
        "Write --client-secret @FILE or --client-secret env:NAME.",
    )


def _read(path: str, name: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        raise UsageError(f"{name}: cannot read {path}", "Check the path.") from error
