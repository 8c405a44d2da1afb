"""Analyses an output schema: the sensitivity of each schema object, by its `id()`."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from inspector.json.exact import Json
from inspector.schema.nodes import Node, SensitivityMark, compile_schema


class Survey(Struct, frozen=True, kw_only=True):
    """The sensitivity of the objects of one schema, by their `id()`.

    The schema must not be freed while the survey is in use, because Python would reuse the ids.
    """

    root: Node
    root_reason: Node | None
    """The node that makes the whole instance sensitive; None if there is none."""
    hidden: Mapping[int, Node]
    """For the `id()` of each schema object that makes its position sensitive: the node that is the reason."""
    at_root: frozenset[int]
    """The `id()` of each schema object that may describe the whole instance."""
    known: frozenset[int]
    """The `id()` of each schema object that describes any position of an instance."""
    marking: frozenset[int]
    """The `id()` of each schema object that makes its own position or one inside it sensitive."""

    def may_mark(self, schema: Json) -> bool:
        """True if a schema object may make its own position or one inside it sensitive.

        For an object that describes no position, true if any object of the schema makes a position sensitive.
        """
        return id(schema) in self.marking or (bool(self.hidden) and id(schema) not in self.known)


def survey(schema: Json) -> Survey:
    """Analyse `schema`. Never raises; linear."""
    compiled = compile_schema(schema)
    objects: dict[Node, Json] = {}
    for node in compiled.nodes:
        objects[node] = _follow(schema if node.parent is None else objects[node.parent], node.tokens)
    reasons = _reasons(compiled.nodes)
    together = _together(compiled.root)
    # Only objects: `True` and `False` have one id each, wherever they occur.
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
    """Every node that makes a position sensitive, with the node whose annotation is the reason."""
    above: dict[Node, list[Node]] = {}
    reasons: dict[Node, Node] = {}
    for node in nodes:
        if node.mark is SensitivityMark.SENSITIVE:
            reasons[node] = node
        for lower in (*node.references, *node.always, *node.perhaps, *node.tests):
            above.setdefault(lower, []).append(node)
    waiting = list(reasons)
    while waiting:
        lower = waiting.pop()
        for upper in above.get(lower, ()):
            if upper not in reasons:
                reasons[upper] = reasons[lower]
                waiting.append(upper)
    return reasons


def _together(root: Node) -> set[Node]:
    """Every node that may describe the same position as `root`."""
    nodes = {root}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        for same in (*node.references, *node.always, *node.perhaps, *node.tests):
            if same not in nodes:
                nodes.add(same)
                waiting.append(same)
    return nodes
