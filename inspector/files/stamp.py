"""The time and the software version, as written to every file that Sightline stores."""

from datetime import UTC, datetime
from typing import Literal

from inspector import __version__

SOFTWARE = f"mcp-sightline {__version__}"


def now(timespec: Literal["seconds", "milliseconds"] = "seconds") -> str:
    """The current time as RFC 3339 in UTC."""
    return datetime.now(UTC).isoformat(timespec=timespec).replace("+00:00", "Z")
