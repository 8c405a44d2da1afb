"""The formats of a report. Each is a module in this package, loaded on demand."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import cast

from msgspec import Struct

from inspector.review.report import Report
from inspector.safe_text import safe_line


class Format(Struct, frozen=True, kw_only=True):
    """A format of reports."""

    module: str
    """The name of a module in this package that has `lines(report) -> list[str]`."""
    suffix: str
    """The extension of file names."""
    is_for: str
    """The purpose of the format, in a few words."""


FORMATS: Mapping[str, Format] = {
    "text": Format(module="as_text", suffix=".txt", is_for="a terminal or a mail"),
    "json": Format(module="as_json", suffix=".json", is_for="programs, and --baseline"),
    "sarif": Format(module="sarif", suffix=".sarif", is_for="code scanning"),
    "junit": Format(module="junit", suffix=".xml", is_for="a build server"),
    "markdown": Format(module="markdown", suffix=".md", is_for="a pull request or a ticket"),
    "html": Format(module="html_page", suffix=".html", is_for="a self-contained page"),
}
"""The formats, by the value of `--format`."""


def report_lines(report: Report, name: str) -> list[str]:
    """The lines of a report in a format. Control and invisible characters in untrusted text are escaped."""
    module = import_module(f"{__package__}.{FORMATS[name].module}")
    write = cast("Callable[[Report], list[str]]", module.lines)
    return write(report)


def report_bytes(report: Report, name: str) -> bytes:
    """The content of a report file, in UTF-8. Any control and invisible characters in a line are escaped."""
    text = "".join(safe_line(line) + "\n" for line in report_lines(report, name))
    return text.encode("utf-8", "backslashreplace")
