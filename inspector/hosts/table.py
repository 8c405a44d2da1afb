"""The hosts as Markdown tables, for docs/hosts.md."""

from collections.abc import Iterable, Sequence

from inspector.hosts.profile import Host

NOT_OBSERVED = ("Claude Desktop", "claude.ai", "ChatGPT", "Cursor", "Copilot CLI")
"""Hosts that many people use and that nobody here has run: they have no profile."""

_HEAD = ("host", "is", "version", "as of", "known by", "where it was looked at")


def host_table(hosts: Iterable[Host]) -> str:
    """One row for each host."""
    rows = ((f"`{host.name}`", host.title, host.version, host.as_of, host.how, host.source) for host in hosts)
    return markdown_table(_HEAD, rows)


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; its cells may hold anything but line feeds."""
    return "\n".join((_line(head), _line(["---"] * len(head)), *map(_line, rows)))


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
