"""Skills of a server: fetches the entry of an unlisted skill, and lists a skill's folder. Reads no file."""

from msgspec import Struct

from inspector.errors import ToolFailedError, UsageError
from inspector.json.exact import JsonObject, Malformed
from inspector.json.members import text_at, value_at
from inspector.protocol.catalogue import Item, Kind, Listing, skill_in
from inspector.protocol.outcome import Result
from inspector.protocol.skills import (
    DIRECTORY_READ,
    DIRECTORY_TYPE,
    EXTENSION,
    GET,
    READ_DIRECTORY,
    is_direct_child,
    is_within,
    manifest_of,
    root_of,
)
from inspector.session.live import Session
from inspector.session.wording import reason_of

NOT_LISTED = "not in the entry of the skill: the skill has changed, so Sightline does not read this file"
NOT_SERVED = "the server no longer lists it"
OUTSIDE = "not in this folder"
MOST_CHILDREN = 10_000


class FolderFile(Struct, frozen=True, kw_only=True):
    """A file or folder in a folder of a skill."""

    uri: str
    """The URI of the file or folder. Untrusted text."""
    is_folder: bool = False
    size: int | None = None
    digest: str = ""
    problem: str = ""
    """The difference between the server's list and the skill's entry for this file; empty if they agree."""


class FolderView(Struct, frozen=True, kw_only=True):
    """A folder of a skill, according to the skill's entry and to the server's current list."""

    skill: str
    folder: str
    files: tuple[FolderFile, ...]
    is_dynamic: bool
    fault: str
    """The reason why the skill's entry is invalid; empty if it is valid."""
    is_asked: bool
    """True if the server was asked to list the folder."""


async def get_skill(session: Session, uri: str) -> Item:
    """Fetch the entry of a skill that is not listed, and keep it in the session. Raises InspectorError."""
    capabilities = session.server.capabilities if session.server else None
    if not Kind.SKILL.is_announced(capabilities):
        raise ToolFailedError("the server announces no skills", "sightline read reads any resource.")
    outcome = await session.request(GET, {"uri": uri})
    got = next(iter(skill_in(outcome.value)), None) if isinstance(outcome, Result) else None
    if got is None or got.name != uri:
        why = "its answer does not contain the entry" if isinstance(outcome, Result) else reason_of(outcome)
        raise ToolFailedError(
            f"the server has no skill {uri}: {session.own.mask(why)}",
            "sightline list shows what the server lists.",
        )
    session.hold_skill(got)
    return got


async def folder_of(session: Session, skill: Item, path: str) -> FolderView:
    """The contents of a folder of a skill.

    `path`: relative to the skill's folder, empty for that folder itself.

    Raises InspectorError.
    """
    root, manifest = root_of(skill.name) or skill.name, manifest_of(skill.definition)
    folder = f"{root}/{path}".rstrip("/")
    if path and not is_within(folder, root):
        raise UsageError(f"{path} is not in the folder of the skill", "Leave out . and .. from the path.")
    held: dict[str, FolderFile] = {}
    for file in manifest.files.values():
        below = file.uri.removeprefix(f"{folder}/")
        if is_direct_child(file.uri, folder):
            held[file.uri] = FolderFile(uri=file.uri, size=file.size, digest=file.digest)
        elif below != file.uri:
            uri = f"{folder}/{below.partition('/')[0]}"
            held[uri] = FolderFile(uri=uri, is_folder=True)
    capabilities = session.server.capabilities if session.server else None
    is_asked = value_at(capabilities, "extensions", EXTENSION, DIRECTORY_READ) is True
    if is_asked:
        knows_all = not manifest.is_dynamic and not manifest.fault
        held = _compared(held, await _children(session, folder), folder, knows_all=knows_all)
    return FolderView(
        skill=skill.name,
        folder=folder,
        files=tuple(held.values()),
        is_dynamic=manifest.is_dynamic,
        fault=manifest.fault,
        is_asked=is_asked,
    )


def _compared(
    held: dict[str, FolderFile], served: dict[str, JsonObject], folder: str, *, knows_all: bool
) -> dict[str, FolderFile]:
    """Merge the files in a skill's entry (`held`) with those that the server lists (`served`), by URI.

    `knows_all`: whether the entry must list every file.
    """
    found: dict[str, FolderFile] = {}
    for uri, file in held.items():
        problem = "" if uri in served else NOT_SERVED
        found[uri] = FolderFile(
            uri=uri, is_folder=file.is_folder, size=file.size, digest=file.digest, problem=problem
        )
    for uri, definition in served.items():
        if uri not in found:
            is_inside = is_direct_child(uri, folder)
            problem = OUTSIDE if not is_inside else NOT_LISTED if knows_all else ""
            is_folder = text_at(definition, "mimeType") == DIRECTORY_TYPE
            found[uri] = FolderFile(uri=uri, is_folder=is_folder, problem=problem)
    return found


async def _children(session: Session, folder: str) -> dict[str, JsonObject]:
    """The resources that the server lists in a folder, by URI. Raises ToolFailedError."""
    listing = Listing(Kind.RESOURCE)
    while (params := listing.next_params()) is not None and len(listing.entries) < MOST_CHILDREN:
        outcome = await session.request(READ_DIRECTORY, {"uri": folder, **params})
        if not isinstance(outcome, Result):
            raise ToolFailedError(
                f"the folder cannot be listed: {session.own.mask(reason_of(outcome))}",
                "sightline skill NAME --files shows the folder of the skill.",
            )
        listing.take(outcome.value)
    problems = [entry for entry in (*listing.problems, *listing.entries) if isinstance(entry, Malformed)]
    if problems:
        raise ToolFailedError(
            f"the server's list of the folder is malformed: {problems[0].reason}",
            "Sightline did not use the list.",
        )
    return {entry.name: entry.definition for entry in listing.entries if isinstance(entry, Item)}
