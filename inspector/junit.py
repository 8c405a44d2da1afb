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


def junit(
    name: str, cases: Iterable[JunitCase], *, at: str = "", properties: Iterable[tuple[str, str]] = ()
) -> list[str]:
    """The lines of a JUnit document.

    `at`: the time of the run, as RFC 3339 in UTC. `properties`: names and values, which may be untrusted. They
    are written into the first suite, because the root element cannot have any. Characters that XML forbids, or
    that act on a terminal, are made visible.
    """
    suites: dict[str, list[JunitCase]] = {}
    for case in cases:
        suites.setdefault(case.suite, []).append(case)
    root = ET.Element("testsuites", name=name)
    named = tuple(properties)
    for suite, held in suites.items():
        failed = sum(bool(case.failure) for case in held)
        made = ET.SubElement(
            root, "testsuite", name=safe_line(suite), tests=str(len(held)), failures=str(failed)
        )
        if at:
            made.set("timestamp", at.removesuffix("Z"))
        if named:
            container = ET.SubElement(made, "properties")
            for key, value in named:
                ET.SubElement(container, "property", name=safe_line(key), value=safe_line(value))
            named = ()
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
