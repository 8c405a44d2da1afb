"""All host profiles. A host is a module in `profiles`, nothing else."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import cast

from inspector.hosts.profile import Host


@cache
def hosts() -> tuple[Host, ...]:
    """Every host, by name; `spec`, the one that no vendor made, comes first."""
    package = import_module("inspector.hosts.profiles")
    modules = [import_module(f"{package.__name__}.{found.name}") for found in iter_modules(package.__path__)]
    found = (cast("Host", module.HOST) for module in modules)
    return tuple(sorted(found, key=lambda host: (host.name != "spec", host.name)))


def host(name: str) -> Host | None:
    """The host of that name."""
    return next((found for found in hosts() if found.name == name), None)
