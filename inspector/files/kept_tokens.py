"""Keeps OAuth tokens in the keyring of the operating system, through the optional package keyring.

Sightline writes them to no file.
"""

from typing import TYPE_CHECKING

from inspector.errors import UsageError
from inspector.protocol.authorization import MemoryStore

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

SERVICE = "sightline"
_IN_FILES = ("keyrings.alt", "keyring.backends.null", "keyring.backends.fail")
"""Keyring backends that store nothing, or store it in a plain file."""
_INSTALL = "Install it with: pip install 'mcp-sightline[keyring]'."


class KeptTokens:
    """A token store in memory, backed by the keyring.

    It writes tokens to the keyring if the user wants them stored, or after it has read one from the keyring.
    """

    def __init__(self, *, remember: bool) -> None:
        """`remember`: whether to store new tokens in the keyring too.

        Tokens already stored are always updated. Raises UsageError if `remember` is true but there is no
        keyring.
        """
        self._memory = MemoryStore()
        self._is_kept = remember
        self._keyring = _keyring() if remember else None

    def read(self, url: str) -> str | None:
        known = self._memory.read(url)
        if known is not None:
            return known
        found = self._found()
        text = found.get_password(SERVICE, url) if found else None
        if text is not None:
            self._memory.write(url, text)
            self._is_kept = True
        return text

    def write(self, url: str, text: str) -> None:
        self._memory.write(url, text)
        found = self._found() if self._is_kept else None
        if found is not None:
            found.set_password(SERVICE, url, text)  # pyright: ignore[reportUnknownMemberType]

    def forget(self, url: str) -> bool:
        self._memory.forget(url)
        found = self._keyring or _keyring()
        if found.get_password(SERVICE, url) is None:
            return False
        found.delete_password(SERVICE, url)
        return True

    def _found(self) -> "KeyringBackend | None":
        if self._keyring is None:
            try:
                self._keyring = _keyring()
            except UsageError:
                return None
        return self._keyring


def _keyring() -> "KeyringBackend":
    """The system's keyring. Raises UsageError if there is none, or if the package keyring is not installed."""
    try:
        import keyring  # noqa: PLC0415 - an extra, which looks for backends when it is imported
    except ImportError as error:
        raise UsageError("the package keyring is not installed", _INSTALL) from error
    backend = keyring.get_keyring()
    used = [backend, *getattr(backend, "backends", ())]
    if any(type(each).__module__.startswith(_IN_FILES) for each in used):
        raise UsageError(
            "this system has no keyring that Sightline can use",
            "It needs the Keychain, the Credential Manager, or a Secret Service such as GNOME Keyring or KWallet.",
        )
    return backend
