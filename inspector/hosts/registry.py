"""All host profiles. A module in `profiles` offers one as `HOST`, or several as `HOSTS`; nothing else lists them."""

from functools import cache
from importlib import import_module
from itertools import chain
from pkgutil import iter_modules
from typing import cast

from inspector.hosts.profile import Host

NOT_OBSERVED = ("Claude Desktop", "claude.ai", "ChatGPT", "Cursor", "Copilot CLI")
"""Hosts that many people use and that nobody here has run: they have no profile."""


@cache
def hosts() -> tuple[Host, ...]:
    """Every host, by name; `spec`, the one that no vendor made, comes first."""
    package = import_module("inspector.hosts.profiles")
    modules = [import_module(f"{package.__name__}.{found.name}") for found in iter_modules(package.__path__)]
    offered = (cast("tuple[Host, ...]", getattr(module, "HOSTS", ()) or (module.HOST,)) for module in modules)
    return tuple(sorted(chain(*offered), key=lambda host: (host.name != "spec", host.name)))


def host(name: str) -> Host | None:
    """The host of that name."""
    return next((found for found in hosts() if found.name == name), None)
