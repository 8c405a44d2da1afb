"""The formats of a report by name. A format is a module here, loaded when it is asked for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import cast

from inspector.review.report import Report
from inspector.safe_text import safe_line


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One format."""

    module: str
    """In this package, with `lines(report) -> list[str]`."""
    suffix: str
    """How the name of a file of it ends."""
    is_for: str
    """Whom it is for, in a few words."""


FORMATS: Mapping[str, Format] = {
    "text": Format(module="as_text", suffix=".txt", is_for="a terminal or a mail"),
    "json": Format(module="as_json", suffix=".json", is_for="programs, and --baseline"),
    "sarif": Format(module="sarif", suffix=".sarif", is_for="code scanning"),
    "junit": Format(module="junit", suffix=".xml", is_for="a build server"),
    "markdown": Format(module="markdown", suffix=".md", is_for="a pull request or a ticket"),
    "html": Format(module="html_page", suffix=".html", is_for="one page to hand over"),
}
"""By the name that `--format` takes."""


def report_lines(report: Report, name: str) -> list[str]:
    """The report in the format `name`, one of `FORMATS`, line by line. What the server said in it is safe to show."""
    module = import_module(f"{__package__}.{FORMATS[name].module}")
    write = cast("Callable[[Report], list[str]]", module.lines)
    return write(report)


def report_bytes(report: Report, name: str) -> bytes:
    """The same as a file holds it: UTF-8, each line made safe once more."""
    text = "".join(safe_line(line) + "\n" for line in report_lines(report, name))
    return text.encode("utf-8", "backslashreplace")
