"""A redemption endpoint on loopback that answers as a test scripts, byte for byte, plain or over TLS."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self, TypeAlias

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

Script: TypeAlias = Callable[[asyncio.StreamWriter], Awaitable[None]]


class Endpoint:
    """Listens while entered. Counts every connection, and keeps the head of every request."""

    def __init__(self, script: Script | bytes = b"", *, names: tuple[str, ...] = ()) -> None:
        """`script`: the answer. `names`: serve TLS with a certificate for these names; plain HTTP if there are none."""
        self.script = script
        self.connections = 0
        self.heads: list[str] = []
        self.server_names: list[str | None] = []
        """The names that clients requested by SNI."""
        self.port = 0
        self._names = names
        self._served: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        context = self._context() if self._names else None
        self._listener = await asyncio.start_server(self._connected, "127.0.0.1", 0, ssl=context)
        self.port = self._listener.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listener.close()
        for task in self._served:
            task.cancel()
        await asyncio.gather(*self._served, return_exceptions=True)

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"https://{self._names[0]}:{self.port}" if self._names else f"http://127.0.0.1:{self.port}"

    def header(self, name: str) -> list[str]:
        """Every value of a header field in the last request."""
        fields = [line.partition(":") for line in self.heads[-1].splitlines()[1:]]
        return [value.strip() for key, _, value in fields if key.lower() == name]

    def _context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with TemporaryDirectory() as folder:
            chain = Path(folder, "chain.pem")
            chain.write_bytes(certificate(self._names))
            context.load_cert_chain(chain)
        context.sni_callback = lambda _socket, name, _context: self.server_names.append(name)
        return context

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._served.add(asyncio.ensure_future(self._answer(reader, writer)))

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Many tests are about a client that disconnects in the middle of an answer.
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            try:
                self.heads.append((await reader.readuntil(b"\r\n\r\n")).decode("latin-1"))
                if isinstance(self.script, bytes):
                    writer.write(self.script)
                else:
                    await self.script(writer)
                await writer.drain()
            finally:
                writer.close()
            await writer.wait_closed()


def answer(
    body: bytes = b"", status: str = "200 OK", *fields: str, kind: str | None = "application/json"
) -> bytes:
    """A whole answer. Contains `no-store` unless `fields` sets Cache-Control."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *fields]
    if kind is not None:
        lines.append(f"Content-Type: {kind}")
    if not any(line.lower().startswith("cache-control:") for line in fields):
        lines.append("Cache-Control: no-store")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def authority() -> str:
    """The certificate (PEM) that signs the certificates of all endpoints."""
    made, _ = _authority()
    return made.public_bytes(serialization.Encoding.PEM).decode()


@cache
def certificate(names: tuple[str, ...]) -> bytes:
    """Certificate and key (PEM) for these names."""
    issuer, issuer_key = _authority()
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.SubjectAlternativeName([x509.DNSName(name) for name in names])
    made = _builder(names[0], issuer.subject, key).add_extension(subject, critical=False)
    signed = made.sign(issuer_key, hashes.SHA256())
    return signed.public_bytes(serialization.Encoding.PEM) + key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


@cache
def _authority() -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    key = ec.generate_private_key(ec.SECP256R1())
    made = _builder("authority", _name("authority"), key).add_extension(
        x509.BasicConstraints(ca=True, path_length=0), critical=True
    )
    return made.sign(key, hashes.SHA256()), key


def _name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _builder(name: str, issuer: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return x509.CertificateBuilder(
        issuer_name=issuer,
        subject_name=_name(name),
        public_key=key.public_key(),
        serial_number=x509.random_serial_number(),
        not_valid_before=now - timedelta(days=1),
        not_valid_after=now + timedelta(days=1),
    )
