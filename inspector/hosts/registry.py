"""All host profiles. A module in `profiles` defines `HOST` or `HOSTS`."""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from itertools import chain
from pkgutil import iter_modules
from typing import cast

from inspector.hosts.profile import Host

NOT_OBSERVED = ("Claude Desktop", "claude.ai", "ChatGPT", "Cursor", "Copilot CLI")
"""Widely used hosts without a profile, because they were never run."""


def named_without_profile(query: str) -> tuple[str, ...]:
    """The names in `NOT_OBSERVED` that contain all words of `query`; empty if `query` has no words."""
    words = query.casefold().split()
    return tuple(name for name in NOT_OBSERVED if words and all(word in name.casefold() for word in words))


def without_profile(names: Sequence[str] = NOT_OBSERVED) -> str:
    """A sentence for the user about hosts without a profile."""
    if len(names) == 1:
        return f"{names[0]} was not observed, so it has no profile."
    return f"Not observed, so they have no profile: {', '.join(names)}."


@cache
def hosts() -> tuple[Host, ...]:
    """All hosts, sorted by name, except that the host profile `spec` is first."""
    package = import_module("inspector.hosts.profiles")
    modules = [
        import_module(f"{package.__name__}.{module.name}") for module in iter_modules(package.__path__)
    ]
    offered = (cast("tuple[Host, ...]", getattr(module, "HOSTS", ()) or (module.HOST,)) for module in modules)
    return tuple(sorted(chain(*offered), key=lambda host: (host.name != "spec", host.name)))


def host(name: str) -> Host | None:
    """The host of that name; None if there is none."""
    return next((profile for profile in hosts() if profile.name == name), None)
