"""Textual's styles for a node, computed once for all nodes of all apps that no selector can tell apart."""

from typing import Any, cast

from textual.app import App
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.widget import Widget

compute = cast("Any", Stylesheet).apply
"""What Textual does for each node."""
_APP = cast("type[Any]", App)
_FLAGS = ("_has_hover_style", "_has_focus_within", "_has_order_style", "_has_odd_or_even")
_numbers: dict[object, int] = {}
"""A number for each list of rules, and for each state of a node and its ancestors."""
_known: dict[object, tuple[Any, tuple[bool, ...]]] = {}
"""The rules for a node and its flags, by the number of its state and that of the sheet's rules."""


class _Once(dict[object, Any]):
    """The cache of one computation. Textual asks it only if nothing but the state of the path decides."""

    was_asked = False

    def get(self, key: object, default: object = None) -> Any:
        self.was_asked = True
        return super().get(key, default)


def apply(sheet: Stylesheet, node: DOMNode, *, animate: bool = False, cache: object = None) -> None:
    """Set the styles of a node. The place of the node among its siblings decides only where Textual uses no cache."""
    del cache
    found = cast("Any", sheet)
    key = (_rules(found), _path(node))
    if known := _known.get(key):
        rules, flags = known
        for name, value in zip(_FLAGS, flags, strict=True):
            setattr(node, name, value)
        if rules:
            found.replace_rules(node, rules, animate=animate)
        found._process_component_classes(node)  # noqa: SLF001
        return
    once = _Once()
    compute(sheet, node, animate=animate, cache=once)
    if once.was_asked:
        _known[key] = (next(iter(once.values()), None), tuple(getattr(node, name) for name in _FLAGS))


def _rules(sheet: Any) -> int:
    """The number of a sheet's rules, which stay the same objects as long as tests run."""
    rules = sheet.rules
    last = sheet.__dict__.get("_numbered")
    if last is None or last[0] is not rules:
        sheet._numbered = last = (rules, _number(tuple(map(id, rules))))  # noqa: SLF001
    return last[1]


def _path(node: Any) -> int:
    """The number of everything about a node and its ancestors on which a selector can depend, but for their places."""
    parent = node._parent  # noqa: SLF001
    above = _path(parent) if isinstance(parent, DOMNode) else 0
    own: object = (node.__class__, node._id, frozenset(node._classes))  # noqa: SLF001
    state: object = ()
    if isinstance(node, Widget):
        state = (
            node.mouse_hover,
            node.has_focus,
            node.disabled,
            node.can_focus,
            node.can_focus_children,
        )
    elif isinstance(node, _APP):
        state = node.pseudo_classes
    return _number((above, own, state))


def _number(key: object) -> int:
    return _numbers.setdefault(key, len(_numbers) + 1)
