"""The time and the software version, as written to every file that Sightline stores."""

from datetime import UTC, datetime
from typing import Literal

from inspector import __version__

SOFTWARE = f"mcp-sightline {__version__}"


def now(timespec: Literal["seconds", "milliseconds"] = "seconds") -> str:
    """The current time as RFC 3339 in UTC."""
    return _written(datetime.now(UTC), timespec)


def at(epoch_s: float) -> str:
    """A time in seconds since 1970 as RFC 3339 in UTC, with milliseconds."""
    return _written(datetime.fromtimestamp(epoch_s, UTC), "milliseconds")


def _written(moment: datetime, timespec: Literal["seconds", "milliseconds"]) -> str:
    return moment.isoformat(timespec=timespec).replace("+00:00", "Z")
