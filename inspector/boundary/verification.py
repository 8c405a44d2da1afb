"""Verifies the size, digest and frontmatter of a file of a skill against the server's entry for the skill.

A file that differs is withheld at every boundary level. Source: SEP-2640, Integrity and Verification.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from inspector.boundary.contract import Contract
from inspector.json.exact import DuplicateKeys, Json, JsonObject, Number
from inspector.json.pointer import child
from inspector.protocol.outcome import Outcome, Result
from inspector.protocol.skills import MOST_BYTES, Manifest, manifest_of

if TYPE_CHECKING:
    from yaml import MappingNode, Node, ScalarNode

LONGEST_FRONTMATTER = 64 * 1024
"""The maximum length of frontmatter, in characters. A file with longer frontmatter is withheld."""
DEEPEST_FRONTMATTER = 50
NO_DIGEST = "the skill is dynamic: its server gives no digests, so that its content was not verified"
_HEAD = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|\Z)", re.DOTALL)


class MismatchError(Exception):
    """Raised if a file differs from what the entry of its skill says about it.

    The message names the difference, but quotes no content.
    """


def unverified(outcome: Outcome, contract: Contract) -> str:
    """The reason why content read from a skill must not be used; empty if it may be used. Never raises.

    Also empty for content that is not of a skill.
    """
    if not contract.skills or not isinstance(outcome, Result):
        return ""
    try:
        content = _content(outcome.value, contract.uri)
        for entry in contract.skills:
            _verify(content, contract.uri, entry)
    except MismatchError as mismatch:
        return str(mismatch)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as fault:  # noqa: BLE001 - what cannot be verified is withheld
        return f"it could not be verified ({type(fault).__name__})"
    return ""


def is_without_digest(contract: Contract) -> bool:
    """True if a skill is dynamic, so that no digest says what its content should be."""
    return any(manifest_of(entry).is_dynamic for entry in contract.skills)


def _verify(content: bytes, uri: str, entry: JsonObject) -> None:
    manifest = manifest_of(entry)
    if manifest.fault:
        raise MismatchError(manifest.fault)
    _verify_file(content, uri, manifest)
    if uri == entry.get("uri"):
        _verify_frontmatter(content, entry.get("frontmatter"))


def _verify_file(content: bytes, uri: str, manifest: Manifest) -> None:
    if manifest.is_dynamic:
        if len(content) > MOST_BYTES:
            raise MismatchError(f"it is larger than the {MOST_BYTES:,} bytes that a skill may have")
        return
    file = manifest.files.get(uri)
    if file is None:
        raise MismatchError("the entry of the skill does not list this file")
    if len(content) != file.size:
        raise MismatchError(f"it is {len(content):,} bytes; the entry of the skill says {file.size:,}")
    if f"sha256:{hashlib.sha256(content).hexdigest()}" != file.digest:
        raise MismatchError("its SHA-256 digest is not the one in the entry of the skill")


def _content(value: Json, uri: str) -> bytes:
    """The bytes of the one file that was read. Raises MismatchError."""
    contents = value.get("contents") if isinstance(value, dict) else None
    if not isinstance(contents, list) or len(contents) != 1:
        raise MismatchError("the answer does not hold exactly one file")
    held = contents[0]
    if not isinstance(held, dict) or held.get("uri") != uri:
        raise MismatchError("the answer holds a file that was not asked for")
    text, blob = held.get("text"), held.get("blob")
    if isinstance(text, str) and "blob" not in held:
        return text.encode()
    if isinstance(blob, str) and "text" not in held:
        try:
            return base64.b64decode(blob, validate=True)
        except binascii.Error:
            raise MismatchError("its content is not base64") from None
    raise MismatchError("the answer holds neither text nor a blob")


def _verify_frontmatter(content: bytes, expected: Json) -> None:
    found = _HEAD.match(content.decode())
    if not found:
        raise MismatchError("it does not begin with frontmatter")
    if len(found[1]) > LONGEST_FRONTMATTER:
        raise MismatchError(f"its frontmatter is longer than {LONGEST_FRONTMATTER:,} characters")
    pointer = _difference(found[1], expected)
    if pointer is not None:
        where = f" at {pointer}" if pointer else ""
        raise MismatchError(f"its frontmatter is not the one in the entry of the skill{where}")


def _difference(yaml_text: str, expected: Json) -> str | None:
    """The pointer to a place where frontmatter differs from JSON; None if it does not.

    The pointer names only keys in `_KNOWN`. It ends above any other key.

    YAML nodes are compared without constructing values, so that aliases cost nothing and no tag creates an
    object.
    """
    import yaml  # noqa: PLC0415 - few servers have skills

    try:
        _check_depth(yaml_text)
        loader = yaml.SafeLoader(yaml_text)
        root = loader.get_single_node()
    except (yaml.YAMLError, RecursionError, ValueError):
        raise MismatchError("its frontmatter cannot be read as YAML") from None
    waiting: list[tuple[Node | None, Json, str]] = [(root, expected, "")]
    while waiting:
        node, value, pointer = waiting.pop()
        match node, value:
            case yaml.MappingNode(), dict():
                pairs = list(_pairs(node))
                members = dict(pairs)
                if len(members) != len(pairs) or members.keys() != value.keys():
                    return pointer
                waiting += (
                    (members[key], value[key], child(pointer, key) if key in _KNOWN else pointer)
                    for key in value
                )
            case yaml.SequenceNode(), list() if len(node.value) == len(value):
                waiting += zip(node.value, value, [pointer] * len(value), strict=True)
            case yaml.ScalarNode(), _ if _is_same(node, value):
                pass
            case _:
                return pointer
    return None


def _check_depth(yaml_text: str) -> None:
    """Raise ValueError for deeply nested YAML, which takes time that grows with the square of the depth."""
    import yaml  # noqa: PLC0415 - as above

    depth = 0
    events: Any = yaml.SafeLoader(yaml_text)
    while events.check_event():
        event = events.get_event()
        if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            depth += 1
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            depth -= 1
        if depth > DEEPEST_FRONTMATTER:
            raise ValueError(depth)


_KNOWN = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})
"""The keys that the format of skills defines, and that a message may name."""


def _pairs(node: "MappingNode") -> Iterator[tuple[str, "Node"]]:
    for key, value in node.value:
        if not isinstance(key.value, str):
            raise MismatchError("its frontmatter has keys that are not text")
        yield key.value, value


_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset({"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"})
_FALSE = frozenset({"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"})


def _is_same(node: "ScalarNode", value: Json) -> bool:
    """True if a scalar equals `value`: as text or, if unquoted, as YAML 1.1 or 1.2 reads it."""
    text = node.value
    if isinstance(value, str):
        return value == text
    if node.style is not None or isinstance(value, (dict, list, DuplicateKeys)):
        return False
    match value:
        case None:
            return text in _NULLS
        case bool():
            return text in (_TRUE if value else _FALSE)
        case _:
            return _number(text) == float(value.text if isinstance(value, Number) else value)


def _number(text: str) -> float | None:
    plain = text.replace("_", "")
    for base in (0, 10):
        try:
            return float(int(plain, base))
        except ValueError:
            continue
    try:
        return float(plain)
    except ValueError:
        return None
