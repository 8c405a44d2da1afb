"""Results of checks as JUnit XML, for CI servers."""

from collections.abc import Iterable
from xml.etree import ElementTree as ET

from msgspec import Struct

from inspector.safe_text import safe, safe_line


class JunitCase(Struct, frozen=True, kw_only=True):
    """One check, and whether it failed."""

    suite: str
    name: str
    """The name of the check. May be untrusted text."""
    failure: str = ""
    """The failure, in lines; empty if the check passed."""


def junit(name: str, cases: Iterable[JunitCase]) -> list[str]:
    """The lines of a JUnit document.

    Characters that XML forbids, or that act on a terminal, are made visible.
    """
    suites: dict[str, list[JunitCase]] = {}
    for case in cases:
        suites.setdefault(case.suite, []).append(case)
    root = ET.Element("testsuites", name=name)
    for suite, held in suites.items():
        failed = sum(bool(case.failure) for case in held)
        made = ET.SubElement(
            root, "testsuite", name=safe_line(suite), tests=str(len(held)), failures=str(failed)
        )
        for case in held:
            element = ET.SubElement(made, "testcase", classname=safe_line(suite), name=safe_line(case.name))
            if case.failure:
                first = safe_line(case.failure.partition("\n")[0])
                ET.SubElement(element, "failure", message=first).text = safe(case.failure)
    ET.indent(root)
    return [
        '<?xml version="1.0" encoding="UTF-8"?>',
        *ET.tostring(root, encoding="unicode").split("\n"),
    ]
