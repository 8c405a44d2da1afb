"""Facts: what a rule may ask about, each with whether it is there and can be read."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from inspector.claims.claim import TraitName
from inspector.json import pointer as json_pointer
from inspector.json.exact import DuplicateKeys, Json, JsonObject, dump_text
from inspector.policy.operators import Truth
from inspector.safe_text import safe_line

_PART = re.compile(r'("(?:[^"\\]|\\.)*"|[^."]+)(\.|$)')
_SHOWN = 80
"""Characters of a value that a sentence repeats."""
_LISTED = 8
"""Items of a list that a sentence repeats."""

_OPEN = frozenset({"annotations", "_meta"})
"""Objects as on the wire; what is in them is not ours to say."""
_BY_TRAIT = frozenset({"traits", "claimed"})
_MEMBERS: Mapping[str, frozenset[str]] = {
    "request": frozenset({"annotations"}),
    "tool": frozenset({"name", "listed", "contradictions", "resolution"}) | _OPEN | _BY_TRAIT,
    "arguments": frozenset(),
    "session": frozenset(
        {
            "openWorld",
            "untrusted",
            "malicious",
            "sensitive",
            "dataClasses",
            "attribution",
            "unnamedSources",
            "servers",
        }
    ),
    "response": frozenset({"contradictions", "isError"}) | _OPEN | _BY_TRAIT,
    "server": frozenset({"target", "name"}),
}
"""What each namespace holds; of the arguments the caller says it."""
_FROM_ANSWERS = frozenset(
    {("response", name) for name in _OPEN}
    | {("request", "annotations"), ("session", "attribution"), ("response", "traits", "attribution")}
)
"""What an answer says in words of its own."""
_OF_THE_USER = frozenset({("server", "target"), ("session", "servers")})
"""What the user connects to: a command line or an address may hold a secret."""
_SECRET = _FROM_ANSWERS | _OF_THE_USER
_CLASSES = frozenset({"none", "user", "pii", "financial", "credentials", "regulated"})
"""The words for classes of data that are nobody's own."""
_TRAITS = frozenset(name.value for name in TraitName)


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """The name of a fact: parts joined with dots, in quotes where a part holds one."""

    text: str
    """As written."""
    parts: tuple[str, ...]

    @property
    def pointer(self) -> str:
        """The same as an RFC 6901 pointer into the facts."""
        return json_pointer.join(self.parts)

    @property
    def namespace(self) -> str:
        """`request`, `tool`, `arguments`, `session`, `response` or `server`."""
        return self.parts[0]


def path_of(text: str) -> Path | str:
    """A fact's name, or in words why it names none."""
    parts: list[str] = []
    position = 0
    while position < len(text) or text.endswith("."):
        found = _PART.match(text, position)
        if not found:
            return "is no name: parts are joined with dots, and stand in quotes where they hold one"
        try:
            parts.append(json.loads(found[1]) if found[1].startswith('"') else found[1])
        except ValueError:
            return "has a part in quotes that is no text"
        position = found.end()
    return _known(Path(text=text, parts=tuple(parts)))


def _known(path: Path) -> Path | str:
    head, *rest = path.parts or ("",)
    if head not in _MEMBERS:
        return f"begins with none of {', '.join(_MEMBERS)}"
    if not rest:
        return f"names nothing in `{head}`"
    if head == "arguments":
        return path
    name, *below = rest
    if name not in _MEMBERS[head]:
        return f"is unknown; `{head}` has {', '.join(sorted(_MEMBERS[head]))}"
    if name in _BY_TRAIT and (len(below) != 1 or below[0] not in _TRAITS):
        return f"names no trait; there are {', '.join(sorted(_TRAITS))}"
    if below and name not in _OPEN | _BY_TRAIT:
        return f"goes on where `{head}.{name}` ends"
    return path


class State(Enum):
    """Whether a fact can be asked about."""

    PRESENT = "present"
    ABSENT = "absent"
    """Nobody says anything of it."""
    UNREADABLE = "unreadable"
    """It is there and malformed, or it is a trait of which nothing is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One fact, as a rule found it."""

    path: Path
    state: State
    exists: Truth
    """Whether anything stands at its place, whatever it is. MAYBE where what is around it cannot be read."""
    value: Json = None
    told: tuple[str, ...] = ()
    """What is behind it: the claims that say so, or what contradicts what. Quotes nothing foreign but names of keys."""

    def __str__(self) -> str:
        """In words, safe to show. What an argument, an answer or a target holds is not repeated, unless it is true or false."""
        name = safe_line(self.path.text)
        if self.state is State.ABSENT:
            return f"{name} is not said"
        if self.exists is not Truth.YES:
            return f"{name} is not known" if self.exists is Truth.NO else f"{name} cannot be read"
        value = shown(self.value) if self._is_repeated else "there"
        behind = f" ({safe_line(', '.join(self.told))})" if self.told else ""
        return f"{name} is {value}{', which is malformed' if self.state is State.UNREADABLE else ''}{behind}"

    def as_json(self) -> JsonObject:
        """`fact`, `state`, the value as it is `shown`, where the sentence repeats it, and `because` of what."""
        found: JsonObject = {"fact": self.path.text, "state": self.state.value}
        if self.exists is Truth.YES and self._is_repeated:
            found["shown"] = shown(self.value)
        if self.told:
            found["because"] = [*self.told]
        return found

    @property
    def _is_repeated(self) -> bool:
        parts = self.path.parts
        if isinstance(self.value, bool):
            return True
        if "dataClasses" in parts and parts[0] != "tool":
            return isinstance(self.value, list) and all(item in _CLASSES for item in self.value)
        return parts[0] != "arguments" and not {parts[:2], parts[:3]} & _SECRET


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All that rules may ask about at one moment."""

    tree: JsonObject
    """By namespace; types as on the wire."""
    unreadable: frozenset[str] = frozenset()
    """Pointers of what is malformed, or lost because what was to hold it is."""
    unknown: frozenset[str] = frozenset()
    """Pointers of traits of which nothing is known; there is nothing at them."""
    told: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """By pointer, what is behind a value in words that quote nothing foreign."""

    def read(self, path: Path) -> Fact:
        """The fact of that name. Never raises."""
        value: Json = self.tree
        for index, part in enumerate(path.parts, 1):
            match value:
                case dict() if part in value:
                    value = value[part]
                case list() if value and part.isascii() and part.isdigit() and len(part) < 10:
                    if int(part) >= len(value):
                        return self._missing(path, json_pointer.join(path.parts[:index]))
                    value = value[int(part)]
                # Some servers write null or an empty list for an object without members.
                case dict() | None | [] | "":
                    return self._missing(path, json_pointer.join(path.parts[:index]))
                case _:
                    return Fact(path=path, state=State.UNREADABLE, exists=Truth.MAYBE)
        malformed = path.pointer in self.unreadable or isinstance(value, DuplicateKeys)
        state = State.UNREADABLE if malformed else State.PRESENT
        return Fact(path=path, state=state, exists=Truth.YES, value=value, told=self._behind(path, value))

    def _behind(self, path: Path, value: Json) -> tuple[str, ...]:
        items = value if isinstance(value, list) else []
        each = (self.told.get(f"{path.pointer}/{item}", ()) for item in items if isinstance(item, str))
        return (*self.told.get(path.pointer, ()), *(words for told in each for words in told))

    def _missing(self, path: Path, stopped_at: str) -> Fact:
        """What does not stand where it would; `stopped_at`: how far there is anything of it, and one step more."""
        if path.pointer in self.unknown:
            return Fact(path=path, state=State.UNREADABLE, exists=Truth.NO)
        if stopped_at in self.unreadable:
            return Fact(path=path, state=State.UNREADABLE, exists=Truth.MAYBE)
        return Fact(path=path, state=State.ABSENT, exists=Truth.NO)


def shown(value: Json) -> str:
    """A value in one short line, safe to show; a long one is cut."""
    match value:
        case str():
            text = dump_text(value[:_SHOWN]) + ("…" if len(value) > _SHOWN else "")
        case list():
            items = ", ".join(shown(item) for item in value[:_LISTED])
            text = f"[{items}{', …' if len(value) > _LISTED else ''}]"
        case dict() | DuplicateKeys():
            text = "an object"
        case _:
            text = dump_text(value)
    return safe_line(text[: 4 * _SHOWN])
