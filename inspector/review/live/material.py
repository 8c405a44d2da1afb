"""What a review of a session looks at."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from inspector.boundary.judgement import Judgement
from inspector.json.exact import JsonObject
from inspector.protocol.catalogue import Catalogue
from inspector.protocol.timeline import Timeline

if TYPE_CHECKING:
    from inspector.review.seen import OtherListing


@dataclass(frozen=True, slots=True, kw_only=True)
class LastCall:
    """The last call of a tool."""

    number: int
    """Of the call within its session."""
    name: str
    """Foreign text."""
    judgement: Judgement
    """The answer, and the tool as it was listed then."""
    left_out: tuple[tuple[str, str], ...] = ()
    """Of a recorded call: what the recording does not hold of it, by pointer and rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What there is to be reviewed."""

    catalogue: Catalogue
    server: JsonObject
    """`name`, `version` and `instructions`, as the server said them."""
    timeline: Timeline
    """Frames may be added to it meanwhile."""
    calls: tuple[LastCall, ...] = ()
    """The last one of each tool that was called."""
    listings: "tuple[OtherListing, ...]" = ()
    origin: str | None = None
    """The server's own address, where it has one."""
