"""A layout says in which objects the keys of a vocabulary are, and which values the keys accept.

Each vocabulary declares a layout; `VocabularyLayout.read` walks the layout, never the untrusted value, so the
cost does not depend on the depth and size of the value. An object with duplicate keys is read once for each
duplicate; those claims are malformed.
"""

from collections.abc import Callable, Container, Iterator, Mapping
from datetime import datetime

from msgspec import Struct

from inspector.claims.claim import Claim, ClaimKey, Implication, Reader, Standing, Subject, Vocabulary
from inspector.json.exact import DuplicateKeys, Json, JsonObject
from inspector.json.pointer import child, split

REPEATED = "is a duplicate key, or is in an object with a duplicate key"
WRONG_CONTAINER = "is not an object"
UNKNOWN_KEY = "is not a key of this vocabulary"


class ValueForm(Struct, frozen=True, kw_only=True):
    """The values that a key accepts: a description, and a test."""

    words: str
    """A description of the accepted values, as docs/claims.md shows it, such as `list of strings`."""
    problem: Callable[[Json], str]
    """Returns the problem with a value; empty if it has this form. Never raises and quotes nothing."""


def one_of(*words: str) -> ValueForm:
    """The value form of a key that accepts exactly one of `words`."""
    return _form(f"one of {', '.join(words)}", "is not a known value", lambda value: _is_one_of(value, words))


def some_of(*words: str) -> ValueForm:
    """The value form of a key that accepts a non-empty list of `words`."""
    return _form(
        f"list of {' and '.join(words)}",
        f"is not a list of {' and '.join(words)}",
        lambda value: _is_list(value, lambda item: _is_one_of(item, words)),
    )


def possible(*words: str) -> ValueForm:
    """The value form of a key that accepts one of `words`, or a non-empty list of them."""
    return _possible(f"one of {', '.join(words)}", lambda value: _is_one_of(value, words))


def _form(words: str, problem: str, holds: Callable[[Json], bool]) -> ValueForm:
    return ValueForm(words=words, problem=lambda value: "" if holds(value) else problem)


def _possible(words: str, holds: Callable[[Json], bool]) -> ValueForm:
    def problem(value: Json) -> str:
        if not isinstance(value, list):
            return "" if holds(value) else "is not a known value"
        return "" if _is_list(value, holds) else "is not a list of known values"

    return ValueForm(words=f"{words}; or a list of them", problem=problem)


def _is_one_of(value: Json, words: tuple[str, ...]) -> bool:
    return isinstance(value, str) and value in words


def _is_list(value: Json, holds: Callable[[Json], bool]) -> bool:
    return isinstance(value, list) and bool(value) and all(map(holds, value))


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _is_texts(value: Json) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_fraction(value: Json) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1


def _is_moment(value: Json) -> bool:
    if not isinstance(value, str):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_data_class(value: Json) -> bool:
    if isinstance(value, str):
        return value in _DATA_CLASSES
    if not isinstance(value, dict) or value.keys() != {"regulated"}:
        return False
    regulated = value["regulated"]
    return isinstance(regulated, dict) and regulated.keys() == {"scopes"} and _is_texts(regulated["scopes"])


_DATA_CLASSES = ("none", "user", "pii", "financial", "credentials")

BOOLEAN = _form("boolean", "is not a boolean", lambda value: isinstance(value, bool))
TEXT = _form("string", "is not a string", _is_text)
TEXTS = _form("list of strings", "is not a list of strings", _is_texts)
FRACTION = _form("number from 0 to 1", "is not a number from 0 to 1", _is_fraction)
MOMENT = _form("ISO 8601 date and time", "is not an ISO 8601 date and time", _is_moment)
DATA_CLASS = _possible(
    f"one of {', '.join(_DATA_CLASSES)}, or {{regulated: {{scopes: list of strings}}}}", _is_data_class
)


class Leaf(Struct, frozen=True, kw_only=True):
    """A key of the vocabulary, the values that it accepts, and what a claim with it means."""

    form: ValueForm
    meaning: str
    default: str = ""
    implications: tuple[Implication, ...] = ()
    effect: str = ""
    """The effect of a claim with the key, in words; empty if the implications describe all of it."""
    standing: Standing | None = None
    """The status of this key, if it differs from that of the vocabulary."""


class Branch(Struct, frozen=True, kw_only=True):
    """A node of a layout: an object that contains keys of the vocabulary, or further such objects."""

    members: "Mapping[str, Leaf | Branch]"
    own: bool = False
    """True if the vocabulary defines all members of the object, so that an unknown key is malformed."""
    reported: bool = False
    """True if a value that is not an object makes a malformed claim. It always does if `own` is true."""
    dotted: bool = False
    """True if the names of the keys begin with the name of the object, as in `inputMetadata.destination`."""
    key: str = ""
    """The key of a claim about the object as a whole; empty if that key is the name of the object."""
    required: tuple[str, ...] = ()


class Member(Struct, frozen=True, kw_only=True):
    """A member of a JSON object, with its pointer."""

    key: str
    value: Json
    pointer: str
    repeated: bool
    """True if the key of this member, or the key of an object around it, is a duplicate."""


class VocabularyLayout(Struct, frozen=True, kw_only=True):
    """Says in which objects the keys of one vocabulary are, by the subject of the claims, such as a tool."""

    name: str
    standing: Standing
    roots: Mapping[Subject, Branch]

    @property
    def keys(self) -> tuple[ClaimKey, ...]:
        """All keys of the vocabulary, each once, in the order of the layout."""
        keys: dict[str, ClaimKey] = {}
        for root in self.roots.values():
            for name, leaf, within in _leaves(root, prefix="", within=frozenset[str]()):
                before = keys[name].within if name in keys else frozenset[str]()
                keys[name] = _key(name, leaf, within | before)
        return tuple(keys.values())

    def read(self, subject: Subject, root: JsonObject | DuplicateKeys) -> Iterator[Claim]:
        """The claims in `root`, in wire order. Never raises."""
        branch = self.roots.get(subject)
        if branch:
            yield from self._read_members(subject, branch, root)

    def owns(self, subject: Subject, pointer: str) -> bool:
        """True if the vocabulary defines the member at `pointer`, relative to the tool, result or block."""
        node: Leaf | Branch | None = self.roots.get(subject)
        for token in split(pointer):
            if isinstance(node, Branch):
                below = node.members.get(token)
                node = below or (node if node.own else None)
        return isinstance(node, Leaf) or (node is not None and (node.own or node.reported))

    def vocabulary(
        self,
        *,
        title: str,
        source: str,
        as_of: str,
        where: str,
        remark: str = "",
        read: Reader | None = None,
        more_keys: Mapping[str, Leaf] | None = None,
    ) -> Vocabulary:
        """Make the vocabulary whose keys this layout describes. `read`: replaces the method `read`.

        `more_keys`: keys that only `read` finds.
        """
        more = (_key(name, leaf, frozenset()) for name, leaf in (more_keys or {}).items())
        return Vocabulary(
            name=self.name,
            title=title,
            source=source,
            standing=self.standing,
            as_of=as_of,
            where=where,
            keys=(*self.keys, *more),
            read=read or self.read,
            owns=self.owns,
            paths={subject: frozenset(_paths(root)) for subject, root in self.roots.items()},
            subjects=frozenset(self.roots),
            remark=remark,
        )

    def claim(self, subject: Subject, member: Member, leaf: Leaf, key: str = "") -> Claim:
        """The claim that a member with a known key makes."""
        problem = REPEATED if member.repeated else leaf.form.problem(member.value)
        return self._claim(subject, member, key or member.key, problem, standing=leaf.standing)

    def _read_members(
        self,
        subject: Subject,
        branch: Branch,
        value: Json,
        *,
        pointer: str = "",
        prefix: str = "",
        repeated: bool = False,
    ) -> Iterator[Claim]:
        among = None if branch.own else branch.members
        # Most objects have none of the keys, and a result may have many blocks, so skip them quickly.
        if among and isinstance(value, dict) and value.keys().isdisjoint(among):
            return
        for member in members(value, pointer, repeated=repeated, among=among):
            node = branch.members.get(member.key)
            key = prefix + member.key
            if isinstance(node, Leaf):
                yield self.claim(subject, member, node, key)
            elif node:
                yield from self._read_branch(subject, node, member, key)
            elif branch.own:
                yield self._claim(subject, member, key, REPEATED if member.repeated else UNKNOWN_KEY)

    def _read_branch(self, subject: Subject, branch: Branch, member: Member, key: str) -> Iterator[Claim]:
        reported = branch.own or branch.reported
        name = branch.key or key
        if not isinstance(member.value, (dict, DuplicateKeys)):
            if reported:
                yield self._claim(subject, member, name, WRONG_CONTAINER, container=True)
            return
        # Report an empty object in `annotations` or `_meta`, because no key in it leads to a claim.
        if member.value == {} and (branch.own or branch.key):
            yield self._claim(subject, member, name, REPEATED if member.repeated else "", container=True)
            return
        yield from self._read_members(
            subject,
            branch,
            member.value,
            pointer=member.pointer,
            prefix=f"{key}." if branch.dotted else "",
            repeated=member.repeated,
        )
        present = {inner.key for inner in members(member.value)} if branch.required else set[str]()
        missing = [f"`{name}`" for name in branch.required if name not in present]
        if missing:
            yield self._claim(subject, member, name, f"lacks {' and '.join(missing)}")

    def _claim(
        self,
        subject: Subject,
        member: Member,
        key: str,
        problem: str,
        *,
        standing: Standing | None = None,
        container: bool = False,
    ) -> Claim:
        return Claim(
            subject=subject,
            pointer=member.pointer,
            vocabulary=self.name,
            key=key,
            value=member.value,
            standing=standing or self.standing,
            well_formed=not problem,
            problem=problem,
            container=container,
        )


def members(
    value: Json, pointer: str = "", *, repeated: bool = False, among: Container[str] | None = None
) -> Iterator[Member]:
    """The members of an object in wire order, with every duplicate; nothing for other values.

    `among`: the wanted keys; None for all.
    """
    match value:
        case dict():
            pairs, twice = value.items(), frozenset[str]()
        case DuplicateKeys():
            pairs, twice = value.pairs, frozenset(value.repeated)
        case _:
            return
    for key, inner in pairs:
        if among is None or key in among:
            yield Member(key=key, value=inner, pointer=child(pointer, key), repeated=repeated or key in twice)


def _paths(branch: Branch) -> Iterator[tuple[str, ...]]:
    for name, node in branch.members.items():
        if isinstance(node, Leaf) or not node.members:
            yield (name,)
        else:
            yield from ((name, *below) for below in _paths(node))


def _leaves(
    branch: Branch, *, prefix: str, within: frozenset[str]
) -> Iterator[tuple[str, Leaf, frozenset[str]]]:
    for name, node in branch.members.items():
        if isinstance(node, Leaf):
            yield prefix + name, node, within
        else:
            container = node.key or prefix + name
            inner = f"{prefix}{name}." if node.dotted else ""
            yield from _leaves(node, prefix=inner, within=within | {container})


def _key(name: str, leaf: Leaf, within: frozenset[str]) -> ClaimKey:
    return ClaimKey(
        name=name,
        type=leaf.form.words,
        default=leaf.default,
        meaning=leaf.meaning,
        effect=leaf.effect or "; ".join(map(str, leaf.implications)) or "none",
        implications=leaf.implications,
        within=within,
    )
