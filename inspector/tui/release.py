"""Letting go of large values little by little: freeing 40 MB at once keeps the interpreter for a tenth of a second."""

from inspector.json.exact import Json

_FEW = 64
"""Members of containers that are freed at once."""
_PIECE = 256
"""Members of one container that are freed between two chances for the event loop."""


def release(values: list[Json]) -> None:
    """Empty `values`, the last holder of what is in it; to be called in a thread. Shared parts stay as they are."""
    while values:
        value = values.pop()
        if not isinstance(value, (dict, list)):
            continue
        members = list(value.values()) if isinstance(value, dict) else value.copy()
        # From here on the members are held by the list alone, if nobody else has the container.
        del value
        if len(members) <= _FEW:
            values.extend(member for member in members if isinstance(member, (dict, list)) and member)
            continue
        values.extend(member for member in members if isinstance(member, (dict, list)) and len(member) > _FEW)
        while members:
            del members[-_PIECE:]
