"""A survey of an output schema: what its own parts are, told by the schema objects that they are."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from inspector.json.exact import Json
from inspector.schema.nodes import Mark, Node, compile_schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What is known of the objects of one schema, by their identities. The schema has to outlive it."""

    root: Node
    root_reason: Node | None
    """What makes all of an instance sensitive; None where nothing does."""
    hidden: Mapping[int, Node]
    """Objects that make every place sensitive of which they speak, each with the one that is the reason."""
    at_root: frozenset[int]
    """Objects that may speak of a whole instance."""
    known: frozenset[int]
    """All objects that any place of an instance leads to."""
    marking: frozenset[int]
    """Those of them in which, or below which, something is sensitive."""

    def may_mark(self, schema: Json) -> bool:
        """Whether something may be sensitive in or below an object; of one that no place leads to, nothing is known."""
        return id(schema) in self.marking or (bool(self.hidden) and id(schema) not in self.known)


def survey(schema: Json) -> Survey:
    """The survey of `schema`. Never raises; linear."""
    compiled = compile_schema(schema)
    objects: dict[Node, Json] = {}
    for node in compiled.nodes:
        objects[node] = _follow(schema if node.parent is None else objects[node.parent], node.tokens)
    reasons = _reasons(compiled.nodes)
    together = _together(compiled.root)
    # Anything else than an object may stand at many places at once.
    own = {node: id(value) for node, value in objects.items() if isinstance(value, dict)}
    return Survey(
        root=compiled.root,
        root_reason=reasons.get(compiled.root),
        hidden={own[node]: reason for node, reason in reasons.items() if node in own},
        at_root=frozenset(identity for node, identity in own.items() if node in together),
        known=frozenset(own.values()),
        marking=frozenset(identity for node, identity in own.items() if node.leads_to_mark),
    )


def _follow(value: Json, tokens: Iterable[str]) -> Json:
    for token in tokens:
        if isinstance(value, dict):
            value = value[token]
        elif isinstance(value, list):
            value = value[int(token)]
    return value


def _reasons(nodes: Iterable[Node]) -> dict[Node, Node]:
    """Every node that makes a place sensitive, with the marked one that speaks of the same place."""
    above: dict[Node, list[Node]] = {}
    found: dict[Node, Node] = {}
    for node in nodes:
        if node.mark is Mark.SENSITIVE:
            found[node] = node
        for lower in (*node.references, *node.always, *node.perhaps, *node.tests):
            above.setdefault(lower, []).append(node)
    waiting = list(found)
    while waiting:
        lower = waiting.pop()
        for upper in above.get(lower, ()):
            if upper not in found:
                found[upper] = found[lower]
                waiting.append(upper)
    return found


def _together(root: Node) -> set[Node]:
    """Every node that may speak of the same place as `root`."""
    found = {root}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        for same in (*node.references, *node.always, *node.perhaps, *node.tests):
            if same not in found:
                found.add(same)
                waiting.append(same)
    return found
