"""The search for a canary in all traces of a run."""

import base64
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from tests.secrets.redemption.redeeming import spellings

_CLIPBOARD = re.compile(rb"\x1b\]52;[^;\x07\x1b]*;([A-Za-z0-9+/=]*)")


def encoded(word: str) -> Iterator[str]:
    """A word in every form in which it could leak."""
    yield from spellings(word)
    for spelt in spellings(word):
        yield spelt.translate({ord("+"): "-", ord("/"): "_"})
    for form in ("%{:02x}", "\\u{:04x}", "\\x{:02x}", "&#{};", "&#x{:x};"):
        yield "".join(form.format(ord(character)) for character in word)
    for order in ("utf-16-le", "utf-16-be"):
        yield word.encode(order).decode("latin-1")


@lru_cache(maxsize=512)
def _forms(word: str) -> tuple[str, ...]:
    """The forms of a word, each once, in the case in which they are looked for."""
    return tuple(dict.fromkeys(form.casefold() for form in encoded(word)))


@lru_cache(maxsize=64)
def _folded(raw: bytes) -> str:
    """A whole sink, in which several canaries are looked for, one after the other."""
    return raw.decode("latin-1").casefold()


def found_in(raw: bytes, canary: str) -> list[str]:
    """Every form of a canary, or of a half of it, that occurs in `raw`."""
    half, low = len(canary) // 2, _folded(raw)
    return [form for word in (canary[:half], canary[half:]) for form in _forms(word) if form in low]


def clipboard_of(written: bytes) -> list[bytes]:
    """The texts that the terminal put on the clipboard."""
    return [base64.b64decode(payload) for payload in _CLIPBOARD.findall(written)]


def files_below(root: Path) -> dict[str, bytes]:
    """Every file by its name, with its content; including the names themselves."""
    return {
        str(path): path.read_bytes() if path.is_file() else b""
        for path in root.rglob("*")
        if not path.is_socket()
    }


def processes_from(pid: int) -> list[int]:
    """A process and all processes that it has started."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
    found = [pid]
    for one in found:
        found.extend(child for child, parent in parents.items() if parent == one)
    return found


def seen_from_outside(pids: Sequence[int]) -> bytes:
    """Command lines and environments of processes, as far as another process may read them."""
    seen: list[bytes] = []
    for pid in pids:
        for name in ("cmdline", "environ"):
            try:
                seen.append(Path("/proc", str(pid), name).read_bytes())
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                # Ended, or not readable by others.
                continue
    return b"\n".join(seen)
