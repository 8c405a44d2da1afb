"""Tools with the same name on several servers, and the names under which hosts pass them to their models."""

from collections.abc import Iterable, Sequence

from textual.content import Content

from inspector.hosts.profile import Host
from inspector.protocol.catalogue import Catalogue
from inspector.tui.catalogue.marks import Mark
from inspector.tui.text import content, shortened

SIGN = "≡"
_NAME = 40


def collisions(listed: Iterable[tuple[str, Catalogue | None]]) -> dict[str, tuple[str, ...]]:
    """The names of tools that several servers list, with the names of these servers.

    `listed`: the name and the catalogue of each server.
    """
    servers: dict[str, list[str]] = {}
    for server, catalogue in listed:
        for tool in catalogue.tools if catalogue is not None else ():
            servers.setdefault(tool.name, []).append(server)
    return {tool: tuple(names) for tool, names in servers.items() if len(names) > 1}


def collision_mark(others: Sequence[str]) -> Mark:
    """The mark of a tool whose name other servers use too. `others`: the names of these servers."""
    words = f"{SIGN} also at {_list(others)}"
    return Mark(words=content(words, "$text-warning"), short=Content.styled(SIGN, "$text-warning"))


def collision_note(tool: str, server: str, others: Sequence[str], known: Iterable[Host]) -> Content:
    """A note with the names that hosts give to a tool, and to the tools of the same name at `others`.

    `server`: the server of the tool. `known`: the hosts whose names to show.
    """
    lines = [f"{SIGN} {shortened(tool, _NAME)} is also a tool of {_list(others)}."]
    unknown = 0
    for host in known:
        if host.tool_name is None:
            unknown += host.name != "spec"
            continue
        here = host.tool_name(server, tool)
        there = [host.tool_name(other, tool) for other in others]
        same = " The names are equal." if here in there else ""
        names = ", ".join(shortened(name, 2 * _NAME) for name in there)
        lines.append(
            f"{host.title} names this tool {shortened(here, 2 * _NAME)}, and {'that of the other server' if len(there) == 1 else 'those of the other servers'} {names}.{same}"
        )
    lines.append(f"What {unknown} other hosts do with equal names was not observed.")
    return Content(" ").join(content(line) for line in lines)


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(shortened(name, 24) for name in names[:3])
    return f"{shown} and {len(names) - 3} more" if len(names) > 3 else shown
