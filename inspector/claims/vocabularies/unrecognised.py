"""`unrecognised`: members that no other vocabulary defines.

This module yields all members; the registry leaves out those that another vocabulary owns.
"""

from collections.abc import Iterator

from inspector.claims.claim import Claim, Standing, Subject, Vocabulary
from inspector.claims.layout import REPEATED, WRONG_CONTAINER, Member, members
from inspector.json.exact import DuplicateKeys, JsonObject

_NAME = "unrecognised"
_HOLDERS = ("annotations", "_meta")
OF_PROTOCOL = frozenset(
    f"io.modelcontextprotocol/{name}"
    for name in (
        "clientCapabilities",
        "clientInfo",
        "logLevel",
        "protocolVersion",
        "related-task",
        "serverInfo",
        "subscriptionId",
    )
)
"""Keys of `_meta` that the protocol defines for clients and servers. They claim nothing. Source: MCP 2026-07-28."""
_WITH_NESTED = (Subject.RESULT, Subject.REQUEST)
"""Subjects whose `_meta` may hold `annotations`."""


def _read(subject: Subject, root: JsonObject | DuplicateKeys) -> Iterator[Claim]:
    roots = ("tool", *_HOLDERS) if subject is Subject.RESOLUTION else _HOLDERS
    for holder in members(root, among=roots):
        if holder.key in _HOLDERS:
            yield from _read_holder(subject, holder)
        else:
            for inner in members(holder.value, holder.pointer, repeated=holder.repeated, among=_HOLDERS):
                yield from _read_holder(subject, inner)


def _read_holder(subject: Subject, holder: Member) -> Iterator[Claim]:
    if not isinstance(holder.value, (dict, DuplicateKeys)):
        yield _claim(subject, holder, WRONG_CONTAINER, container=True)
    for member in members(holder.value, holder.pointer, repeated=holder.repeated):
        if member.key in OF_PROTOCOL and holder.key == "_meta":
            continue
        yield _claim(subject, member, REPEATED if member.repeated else "")
        if member.pointer == "/_meta/annotations" and subject in _WITH_NESTED:
            for inner in members(member.value, member.pointer, repeated=member.repeated):
                yield _claim(subject, inner, REPEATED if inner.repeated else "")


def _claim(subject: Subject, member: Member, problem: str, *, container: bool = False) -> Claim:
    return Claim(
        subject=subject,
        pointer=member.pointer,
        vocabulary=_NAME,
        key=member.key,
        value=member.value,
        standing=Standing.UNRECOGNISED,
        well_formed=not problem,
        problem=problem,
        container=container,
    )


VOCABULARY = Vocabulary(
    name=_NAME,
    title="Unknown members",
    source="none",
    standing=Standing.UNRECOGNISED,
    as_of="2026-11",
    where="anywhere else in `annotations` or `_meta`",
    keys=(),
    read=_read,
    owns=lambda _subject, _pointer: False,
)
