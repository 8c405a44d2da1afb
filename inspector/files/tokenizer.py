"""The tokenizer that this machine has: `o200k_base` of tiktoken, if its vocabulary is on disk.

Nothing is fetched.
"""

import hashlib
import os
import tempfile
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from inspector.hosts.tokens import ESTIMATE, ESTIMATED, Tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable

ENCODING = "o200k_base"
_URL = f"https://openaipublic.blob.core.windows.net/encodings/{ENCODING}.tiktoken"
_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
"""The digest of the vocabulary. Source: tiktoken 0.14, `tiktoken_ext/openai_public.py`."""
_NOT_INSTALLED = f"{ESTIMATE}; to count with {ENCODING}: pip install mcp-sightline[tokens]"
_NO_FILE = f"{ESTIMATE}; the vocabulary of {ENCODING} is not on this machine: see docs/commands.md"


class _Encoding(Protocol):
    def encode_ordinary(self, text: str) -> list[int]: ...


@cache
def tokenizer() -> Tokenizer:
    """The tokenizer that this machine has, or an estimate whose label says why there is no tokenizer.

    Takes a second the first time.
    """
    try:
        module = import_module("tiktoken")
    except ImportError:
        return Tokenizer(label=_NOT_INSTALLED)
    # tiktoken would fetch the vocabulary if the file is missing or has other content.
    if not _is_there():
        return Tokenizer(label=_NO_FILE)
    try:
        get = cast("Callable[[str], _Encoding]", module.get_encoding)
        encoding = get(ENCODING)
    except Exception:  # noqa: BLE001 - any error of the library; the number can be estimated
        return ESTIMATED
    return Tokenizer(label=f"{ENCODING}, of tiktoken", exact=lambda text: len(encoding.encode_ordinary(text)))


def _is_there() -> bool:
    """True if the right vocabulary is in the folder where tiktoken looks for it."""
    named = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    folder = Path(tempfile.gettempdir(), "data-gym-cache") if named is None else Path(named)
    if named == "":
        return False
    try:
        # tiktoken uses this digest as the name of the file.
        content = (folder / hashlib.sha1(_URL.encode(), usedforsecurity=False).hexdigest()).read_bytes()
    except OSError:
        return False
    return hashlib.sha256(content).hexdigest() == _SHA256
