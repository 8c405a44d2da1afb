"""Helpers for the redemption tests: a redeemer for a test's own endpoint, and the search for leaks."""

import base64
import logging
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from inspector.boundary.secret_references import SecretReference
from inspector.secrets.http import HttpRedeemer, HttpServer
from inspector.secrets.outcomes import Outcome, Redeemer
from inspector.secrets.redemption.addresses import AddressClass
from tests.peers.redemption_server import authority

CANARY = "cAnary-7f3Qz~pLm/+9"
TOKEN = "t0ken-Xk8Wd2vR"
QUERY = "qUery-Bn5Hs1yT"

SECRET = b'{"value":"%s"}' % CANARY.encode()


@dataclass(slots=True)
class Clock:
    """A clock that a test sets forward."""

    now_s: float = 1000.0

    def __call__(self) -> float:
        return self.now_s


@dataclass(slots=True)
class Names:
    """A resolver that answers from a list, and repeats the last answer at its end."""

    answers: list[Sequence[str]] = field(default_factory=lambda: [["127.0.0.1"]])
    asked: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append((host, port))
        return self.answers[min(len(self.asked), len(self.answers)) - 1]


def reference(redeem_url: str = f"/secrets/1?token={QUERY}", ttl_s: float | None = None) -> SecretReference:
    return SecretReference(pointer="/content/0", label="API key", id="1", redeem_url=redeem_url, ttl_s=ttl_s)


def redeemer(
    url: str | None,
    *,
    names: Names | None = None,
    clock: Clock | None = None,
    reached_at: AddressClass = AddressClass.LOOPBACK,
    authorization: str | None = f"Bearer {TOKEN}",
    time_limit_s: float = 5,
) -> HttpRedeemer:
    return HttpRedeemer(
        HttpServer(url=url, reached_at=reached_at, authorization=authorization),
        clock=clock or Clock(),
        resolver=names or Names(),
        time_limit_s=time_limit_s,
        authorities=authority(),
    )


async def redeemed(
    url: str | None, redeem_url: str | None = None, *, names: Names | None = None, time_limit_s: float = 5
) -> Outcome:
    """One redemption for the MCP server at `url`."""
    asked = reference() if redeem_url is None else reference(redeem_url)
    return await _tried(redeemer(url, names=names, time_limit_s=time_limit_s), asked)


async def _tried(one: Redeemer, asked: SecretReference) -> Outcome:
    return await one.redeem(asked, received_s=1000)


def spellings(word: str) -> Iterator[str]:
    """A word in every encoding in which it could leak."""
    raw = word.encode()
    yield word
    yield word.casefold()
    yield word[::-1]
    yield raw.hex()
    for shift in range(3):
        whole = base64.b64encode(b"\0" * shift + raw).decode()
        # Only the characters that do not depend on their neighbours.
        yield whole[4 if shift else 0 : len(whole) // 4 * 4 - 4]


def found_in(text: str, *words: str) -> list[str]:
    """The spellings of `words` that occur in `text`."""
    low = text.casefold()
    return [spelt for word in words for spelt in spellings(word) if spelt.casefold() in low]


@contextmanager
def everything_logged() -> Generator[list[str]]:
    """Everything that any logger writes at any level, completely, including exception texts."""
    said: list[str] = []

    class Listening(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(f"{self.format(record)} {record.__dict__!r}")

    handler = Listening(level=1)
    names = ("", "httpx", "httpcore", "httpcore.connection", "httpcore.http11", "asyncio", "anyio")
    loggers = [logging.getLogger(name) for name in names]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(1)
        logger.addHandler(handler)
    try:
        yield said
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
            logger.removeHandler(handler)
