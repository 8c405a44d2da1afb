"""What a review of a session does not speak of: silence is not a pass."""

from collections.abc import Collection, Iterator

from inspector.protocol.catalogue import Catalogue
from inspector.review.report import NotChecked
from inspector.review.reviewed import ReviewedCall
from inspector.review.texts import LONGEST_READ, READ

_ALWAYS = (
    NotChecked(
        what="other arguments",
        why="of each tool the last result is looked at; others may differ, as may answers to arguments that its schema forbids",
    ),
    NotChecked(
        what="redemption", why="no secret reference is redeemed for it: whether it can be twice is not known"
    ),
    NotChecked(
        what="other clients",
        why="the server was asked under one client name only, that announces no sampling, elicitation or roots: it may hide tools from such clients",
    ),
    NotChecked(what="other servers", why="names were compared within this server only"),
    NotChecked(
        what="what the tools do",
        why="declarations are compared with each other, with names and with results, not with the server's code",
    ),
)


def partly_read(call: ReviewedCall) -> tuple[NotChecked, ...]:
    """What is not known of a long result, and of an answer that does not end its call."""
    if call.unfinished:
        return (NotChecked(what=f"results of {call.offer.name}", why=call.unfinished),)
    if call.is_read:
        return ()
    why = f"it is long: orders to a model are looked for in its first {READ:,} characters, and {LONGEST_READ:,} of a text"
    return (NotChecked(what=f"all of the result of {call.offer.name}", why=why),)


def not_checked(
    catalogue: Catalogue, called: Collection[str], *, still: int, total: int
) -> tuple[NotChecked, ...]:
    """What is not known. `called`: names of tools with a result. `still`: how many of `total` definitions are to come."""
    return tuple(_not_checked(catalogue, called, still, total))


def _not_checked(
    catalogue: Catalogue, called: Collection[str], still: int, total: int
) -> Iterator[NotChecked]:
    if still:
        yield NotChecked(
            what=f"{still:,} of {total:,} definitions", why="the review has not come to them yet"
        )
    if not called and catalogue.tools:
        yield NotChecked(what="results", why="no tool was called: call those whose results matter")
    else:
        for tool in catalogue.tools:
            if tool.name not in called:
                yield NotChecked(what=f"results of {tool.name}", why="it was not called in this session")
    yield from _ALWAYS
