"""Skills (folders with instructions for models), and their entries as a server lists them.

Source: SEP-2640, extension `io.modelcontextprotocol/skills`.
"""

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct

from inspector.json.exact import Json, JsonObject
from inspector.json.members import text_at
from inspector.safe_text import safe_line

EXTENSION = "io.modelcontextprotocol/skills"
LIST, GET, READ_DIRECTORY = "skills/list", "skills/get", "resources/directory/read"
DIRECTORY_READ = "directoryRead"
"""The setting of the skills extension with which a server announces the method `READ_DIRECTORY`."""
DIRECTORY_TYPE = "inode/directory"
DYNAMIC = "dynamic"
MOST_FILES, MOST_BYTES = 512, 16 * 1024 * 1024
"""The number of files and of bytes that every host accepts for one skill."""

_MAIN = "/SKILL.md"
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_DOTS = re.compile(r"(?:\.|%2e){1,2}", re.IGNORECASE)
_QUOTED = 80


class SkillFile(Struct, frozen=True, kw_only=True):
    """A file that the entry of a skill lists."""

    uri: str
    digest: str
    """`sha256:` and 64 hexadecimal digits."""
    size: int
    """The size in bytes."""


class Manifest(Struct, frozen=True, kw_only=True):
    """The files of a skill, as the skill's entry lists them."""

    files: Mapping[str, SkillFile]
    """The files by their URIs; empty for a dynamic skill."""
    is_dynamic: bool = False
    """True if the server declares neither digests nor sizes of the skill's files."""
    fault: str = ""
    """The reason why the skill's entry is invalid; empty if it is valid.

    Safe to show. If it is set, ignore `files`.
    """

    @property
    def size_bytes(self) -> int:
        return sum(file.size for file in self.files.values())


def root_of(uri: str) -> str | None:
    """The folder of a skill, from the URI of its `SKILL.md`; None for any other URI."""
    root = uri.removesuffix(_MAIN)
    return root if root and root != uri and not root.endswith("/") else None


def is_within(uri: str, root: str) -> bool:
    """True if a URI is in the folder `root`, compared by segments. A URI with `.` or `..` is in no folder."""
    return uri.startswith(f"{root}/") and not any(
        _DOTS.fullmatch(segment) for segment in uri.removeprefix(f"{root}/").split("/")
    )


def is_direct_child(uri: str, folder: str) -> bool:
    """True if a URI names a file or folder directly in `folder`."""
    name = uri.removeprefix(f"{folder}/")
    return is_within(uri, folder) and bool(name) and "/" not in name


def holding(uri: str, entries: Iterable[tuple[str, JsonObject]]) -> tuple[JsonObject, ...]:
    """The entries of the innermost skill that contains the file `uri`; several if the server gives several.

    `entries`: pairs of a skill's URI and its entry. A URI with `..` belongs to the folder that it begins
    with, unless an entry has exactly that URI.
    """
    found: list[JsonObject] = []
    longest = 0
    for own, entry in entries:
        root = root_of(own)
        if root is None:
            held = uri == own
            root = own
        else:
            held = uri.startswith(f"{root}/")
        if held and len(root) >= longest:
            found = [entry] if len(root) > longest else [*found, entry]
            longest = len(root)
    return tuple(found)


def manifest_of(entry: JsonObject) -> Manifest:
    """The files of a skill, or the reason why its entry is invalid. Linear in the number of files."""
    uri, name = text_at(entry, "uri") or "", text_at(entry, "frontmatter", "name")
    root = root_of(uri)
    if root is None:
        return _faulty("its URI does not end in FOLDER/SKILL.md")
    if not name or text_at(entry, "frontmatter", "description") is None:
        return _faulty("its frontmatter has no name, or no description")
    last = root.rpartition("/")[2]
    if name != last:
        return _faulty(f"its frontmatter names {_quoted(name)}, its folder is {_quoted(last)}")
    listed = entry.get("resources")
    if listed == DYNAMIC:
        return Manifest(files={}, is_dynamic=True)
    if not isinstance(listed, list):
        return _faulty('its `resources` is neither a list of files nor "dynamic"')
    files: dict[str, SkillFile] = {}
    for each in listed:
        file = _file(each)
        if file is None:
            return _faulty("a file in it has no URI, no SHA-256 digest, or no size")
        if not is_within(file.uri, root):
            return _faulty(f"it lists {_quoted(file.uri)}, which is not in its folder")
        if file.uri in files:
            return _faulty(f"it lists {_quoted(file.uri)} twice")
        files[file.uri] = file
    if uri not in files:
        return _faulty("it does not list its own SKILL.md")
    return Manifest(files=files)


def _file(value: Json) -> SkillFile | None:
    if not isinstance(value, dict):
        return None
    uri, digest, size = value.get("uri"), value.get("digest"), value.get("size")
    if not isinstance(uri, str) or not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        return None
    if not isinstance(size, int) or isinstance(size, bool) or size < 0:
        return None
    return SkillFile(uri=uri, digest=digest, size=size)


def _faulty(reason: str) -> Manifest:
    return Manifest(files={}, fault=f"the entry of the skill is not valid: {reason}")


def _quoted(text: str) -> str:
    shown = safe_line(text)
    return shown if len(shown) <= _QUOTED else f"{shown[:_QUOTED]}…"
