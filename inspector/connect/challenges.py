"""What a server asks for in `WWW-Authenticate`, as lines for the user.

Source: RFC 9110, section 11.6.1; RFC 6750, section 3; RFC 9728, section 5.1 (`resource_metadata`).
"""

import re
from collections.abc import Iterable

_PARAMETER = re.compile(r'([A-Za-z0-9_-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))')
_SCHEME = re.compile(r"\s*([A-Za-z][A-Za-z0-9._-]*)(?=\s|$)(?!\s*=)")
_SHOWN = ("error", "error_description", "scope", "resource_metadata")
_MAX_CHARACTERS = 400


def challenge_lines(values: Iterable[str]) -> list[str]:
    """`values` of the header as lines: the scheme first, then the parameters that say what is missing.

    All of it is foreign text, shortened. A challenge without known parameters is a line as it was sent.
    """
    lines: list[str] = []
    for value in values:
        found = {
            name.lower(): re.sub(r"\\(.)", r"\1", quoted) if quoted else plain
            for name, quoted, plain in _PARAMETER.findall(value)
        }
        shown = [f"  {name}: {found[name][:_MAX_CHARACTERS]}" for name in _SHOWN if found.get(name)]
        scheme = _SCHEME.match(value)
        if shown and scheme:
            lines += [f"WWW-Authenticate: {scheme[1]}", *shown]
        else:
            lines.append(f"WWW-Authenticate: {value[:_MAX_CHARACTERS]}")
    return lines
