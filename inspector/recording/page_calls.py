"""Calls of a page's tools, which are in no frame that may be recorded."""

from dataclasses import dataclass

from inspector.json.exact import Json
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCall:
    """A call of a page's tool that has ended, raw."""

    number: int
    """Counts from 1 within a session."""
    name: str
    tool: Tool | None
    arguments: Json
    outcome: Outcome
    at_s: float
    duration_s: float
