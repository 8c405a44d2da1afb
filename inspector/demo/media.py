"""A picture and a sound, made on the spot: small, valid and the same every time."""

import base64
import struct
import zlib


def picture(side: int = 16) -> str:
    """A square gradient as PNG, in base64."""
    rows = b"".join(
        b"\0" + bytes(channel for x in range(side) for channel in (x * 255 // side, y * 255 // side, 128))
        for y in range(side)
    )
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    chunks = (_chunk(b"IHDR", header), _chunk(b"IDAT", zlib.compress(rows, 9)), _chunk(b"IEND", b""))
    return _text(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))


def sound(samples: int = 800) -> str:
    """A tenth of a second of a square wave as WAV, 8 kHz, 8 bits, one channel, in base64."""
    wave = bytes(96 if index // 10 % 2 else 160 for index in range(samples))
    form = struct.pack("<HHIIHH", 1, 1, 8000, 8000, 1, 8)
    body = b"WAVEfmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", len(wave)) + wave
    return _text(b"RIFF" + struct.pack("<I", len(body)) + body)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")
