"""What the main screen loads in a thread before it connects."""

from inspector.claims.registry import vocabularies
from inspector.hosts.registry import hosts


def host_names() -> tuple[str, ...]:
    """The hosts, by name. The registries of claims and hosts are read once."""
    vocabularies()
    return tuple(host.name for host in hosts())
