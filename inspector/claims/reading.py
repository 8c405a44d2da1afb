"""Reading: how a vocabulary's keys are found on the wire. Each vocabulary declares a layout; this walks it.

The walk follows the layout, never the foreign value, so that neither depth nor size of the rest matters.
An object that names a key twice is read once for each: those claims are malformed, whatever they say.
"""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass

from inspector.claims.bearing import Bearing
from inspector.claims.claim import Claim, Key, Standing, Subject
from inspector.claims.forms import Form
from inspector.json.exact import DuplicateKeys, Json, JsonObject
from inspector.json.pointer import child, split

REPEATED = "is named more than once, or stands in an object that is"
WRONG_CONTAINER = "is no object"
UNKNOWN_KEY = "is no key of this vocabulary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A key, and what it takes."""

    form: Form
    meaning: str
    default: str = ""
    bearings: tuple[Bearing, ...] = ()
    effect: str = ""
    """In words, where the bearings do not say it all."""
    standing: Standing | None = None
    """Where it differs from the vocabulary's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """An object that holds keys."""

    members: "Mapping[str, Leaf | Branch]"
    own: bool = False
    """Whether all in it is this vocabulary's, so that an unknown key in it is malformed."""
    reported: bool = False
    """Whether this vocabulary reports that it is no object; an own one always is."""
    dotted: bool = False
    """Whether its name is part of its keys' names: `inputMetadata.destination`."""
    key: str = ""
    """What the claim that reports it calls it, where its name alone would not tell it from another."""
    required: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One member of an object."""

    key: str
    value: Json
    pointer: str
    repeated: bool
    """Whether its key, or that of an object around it, is named more than once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where the keys of one vocabulary stand, by subject."""

    vocabulary: str
    standing: Standing
    roots: Mapping[Subject, Branch]

    @property
    def subjects(self) -> frozenset[Subject]:
        """The subjects that it has keys for."""
        return frozenset(self.roots)

    @property
    def keys(self) -> tuple[Key, ...]:
        """Every key, once, in the order of the layout."""
        found: dict[str, Key] = {}
        for root in self.roots.values():
            for name, leaf, within in _leaves(root, prefix="", within=frozenset[str]()):
                before = found[name].within if name in found else frozenset[str]()
                found[name] = _key(name, leaf, within | before)
        return tuple(found.values())

    def read(self, subject: Subject, root: JsonObject | DuplicateKeys) -> Iterator[Claim]:
        """The claims in `root`, in the order of the wire. Never raises."""
        branch = self.roots.get(subject)
        if branch:
            yield from self._read_members(subject, branch, root)

    def owns(self, subject: Subject, pointer: str) -> bool:
        """Whether the member at `pointer`, from the subject's own root, is one of this layout's."""
        node: Leaf | Branch | None = self.roots.get(subject)
        for token in split(pointer):
            if isinstance(node, Branch):
                below = node.members.get(token)
                node = below or (node if node.own else None)
        return isinstance(node, Leaf) or (node is not None and (node.own or node.reported))

    def claim(self, subject: Subject, member: Member, leaf: Leaf, key: str = "") -> Claim:
        """The claim that a member of a known key makes."""
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
        # The common case by far, and a result may have very many blocks.
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
        # An empty object that is itself a member of `annotations` or `_meta` would otherwise go unseen.
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
            vocabulary=self.vocabulary,
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
    """The members of an object in the order of the wire, repeated ones each time; none of anything else.

    `among`: the keys that are wanted, where not all are.
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


def _key(name: str, leaf: Leaf, within: frozenset[str]) -> Key:
    return Key(
        name=name,
        type=leaf.form.words,
        default=leaf.default,
        meaning=leaf.meaning,
        effect=leaf.effect or "; ".join(map(str, leaf.bearings)) or "none",
        bearings=leaf.bearings,
        within=within,
    )
