"""Fakes: every secret the demo gives out is made here, at run time, and says that it is one."""

import hashlib
import secrets
import string

MARK = "DEMO-SECRET-"
"""Every plain fake starts with it."""
SHAPED_MARK = "DEMOSECRET"
"""Every fake in the shape of a real credential holds it."""

_ALPHABET = string.ascii_letters + string.digits


class Mint:
    """A source of fakes that never repeats itself; the same seed gives the same ones in the same order."""

    def __init__(self, seed: str | None) -> None:
        self._seed = seed if seed is not None else secrets.token_hex(16)
        self._drawn = 0

    def letters(self, length: int) -> str:
        """`length` characters out of letters and digits."""
        text = ""
        while len(text) < length:
            self._drawn += 1
            drawn = hashlib.sha256(f"{self._seed}:{self._drawn}".encode("utf-8", "surrogatepass")).digest()
            text += "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in drawn)
        return text[:length]

    def secret(self, kind: str) -> str:
        """An obvious fake, as in `DEMO-SECRET-key-…`."""
        return f"{MARK}{kind}-{self.letters(20)}"

    def access_token(self) -> str:
        """A fake in the shape of a source host's access token: a prefix and 36 characters."""
        return "_".join(("ghp", SHAPED_MARK + self.letters(26)))

    def oauth_token(self) -> str:
        """A fake in the shape of an OAuth bearer token."""
        return ".".join(("ya29", f"a0{SHAPED_MARK}{self.letters(40)}"))

    def key_id(self) -> str:
        """A fake in the shape of a cloud access key's identifier: 20 capitals and digits."""
        return "AKIA" + SHAPED_MARK + self.letters(6).upper()
