"""The draft's rules for names and descriptions.

Source: WebMCP draft, section 3, tool definition; section 4.2, registerTool.
"""

import re

from inspector.json.exact import Json

MAX_NAME_CHARACTERS = 128

_NAME = re.compile(r"[A-Za-z0-9_.-]*", re.ASCII)


def faults_of(name: Json, description: Json) -> tuple[str, ...]:
    """What the draft does not allow of a name and a description, in sentences of ours; quotes neither."""
    found: list[str] = []
    if not isinstance(name, str) or not name:
        found.append("The name is empty.")
    else:
        if len(name) > MAX_NAME_CHARACTERS:
            found.append(f"The name is longer than {MAX_NAME_CHARACTERS} characters.")
        if not _NAME.fullmatch(name):
            found.append("The name holds characters other than ASCII letters, digits, `_`, `-` and `.`.")
    if not isinstance(description, str) or not description:
        found.append("The description is empty.")
    return tuple(found)
