"""Every way in which one guard of a module can be removed or inverted."""

import ast
import copy
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar, cast


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One change of one module."""

    module: str
    """Its file, relative to the root of the project."""
    within: str
    """The function or class around it; empty at the top level."""
    line: int
    text: str
    """The source line, without its indentation."""
    change: str
    """The change, in words."""
    index: int
    """Its number among changes with the same words in the same line."""
    statement: int
    """The number of the changed statement at the top level of the module."""
    lines: tuple[int, int] | None
    """The first and last line of the statement around it, which runs when a function does; None if an import runs it."""
    source: str
    """The whole module, with the change."""

    @property
    def key(self) -> tuple[str, str, str, str, int]:
        """A name that stays the same if its line moves."""
        return self.module, self.within, self.text, self.change, self.index


Change: TypeAlias = tuple[str, ast.AST]
"""The change in words, and the replacement of the node."""
Step: TypeAlias = tuple[str, int | None]
"""The path from a node to one below it: the field, and in a list the index."""
Item = TypeVar("Item")

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_ENDS = (ast.Return, ast.Continue, ast.Break, ast.Raise)


def mutants(module: str, source: str) -> Iterator[Mutant]:
    """Every mutant of a module, in the order of its lines; only the first of equal ones."""
    tree = ast.parse(source)
    lines = source.splitlines()
    counted: Counter[tuple[str, str, str]] = Counter()
    statements = [ast.unparse(statement) for statement in tree.body]
    seen = set(enumerate(statements))
    for place in _places(tree):
        for change, replacement in _changes(place):
            number = place.path[0][1] or 0
            changed = ast.unparse(_replaced(tree, place, replacement).body[number])
            if (number, changed) in seen:
                continue
            seen.add((number, changed))
            text = lines[place.line - 1].strip()
            same = (place.within, text, change)
            yield Mutant(
                module=module,
                within=place.within,
                line=place.line,
                text=text,
                change=change,
                index=counted[same],
                statement=number,
                lines=place.lines,
                source="\n".join([*statements[:number], changed, *statements[number + 1 :]]),
            )
            counted[same] += 1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """One node, by its path from the root of the tree."""

    node: ast.AST
    path: tuple[Step, ...]
    within: str
    line: int
    lines: tuple[int, int] | None
    is_condition: bool
    """True if only its truth value matters."""
    is_table: bool
    """True if it is a closed table: a collection at the top level of the module, or a set."""


def _places(tree: ast.Module) -> Iterator[_Place]:
    stack: list[tuple[ast.AST, tuple[Step, ...], str, int, tuple[int, int] | None, bool]] = [
        (tree, (), "", 1, None, False)
    ]
    while stack:
        node, path, within, line, lines, is_condition = stack.pop()
        line = getattr(node, "lineno", line)
        if isinstance(node, ast.FunctionDef) or (lines and isinstance(node, ast.stmt)):
            lines = node.lineno, node.end_lineno or node.lineno
        yield _Place(
            node=node,
            path=path,
            within=within,
            line=line,
            lines=lines,
            is_condition=is_condition,
            is_table=isinstance(node, ast.Set)
            or (
                not within
                and isinstance(node, (ast.Tuple, ast.Dict, ast.List))
                and not _is_unpacked(tree, path)
            ),
        )
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            within = f"{within}.{node.name}" if within else node.name
        below = [
            (inner, (*path, step), within, line, lines, _is_condition(node, step[0]))
            for step, inner in _below(node)
        ]
        stack.extend(reversed(below))


def _is_unpacked(tree: ast.Module, path: tuple[Step, ...]) -> bool:
    """True for both sides of `a, b = 1, 2` at the top level, which are no tables."""
    statement = tree.body[path[0][1] or 0]
    is_side = len(path) == 2  # the statement, and its target or value
    return is_side and isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Tuple)


def _below(node: ast.AST) -> Iterator[tuple[Step, ast.AST]]:
    for name, value in ast.iter_fields(node):
        if _is_about_types(node, name):
            continue
        if isinstance(value, ast.AST):
            yield (name, None), value
        elif isinstance(value, list):
            items = cast("list[object]", value)
            yield from (
                ((name, index), item) for index, item in enumerate(items) if isinstance(item, ast.AST)
            )


def _is_about_types(node: ast.AST, name: str) -> bool:
    """True if a field holds type annotations, or imports for them, on which no behaviour depends."""
    match node:
        case ast.AnnAssign(annotation=ast.Name(id="TypeAlias")) | ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case _:
            return name in {"annotation", "returns", "decorator_list", "bases", "type_params"}


def _is_condition(node: ast.AST, name: str) -> bool:
    match node:
        case ast.If() | ast.IfExp() | ast.While():
            return name == "test"
        case ast.comprehension():
            return name == "ifs"
        case ast.match_case():
            return name == "guard"
        case _:
            return False


def _changes(place: _Place) -> Iterator[Change]:
    node = place.node
    if place.is_condition and isinstance(node, ast.expr):
        if not _is_negated_below(node):
            yield "condition negated", ast.UnaryOp(op=ast.Not(), operand=node)
        yield "condition true", ast.Constant(value=True)
        yield "condition false", ast.Constant(value=False)
    match node:
        case ast.Compare():
            yield from _of_comparison(node)
        case ast.BoolOp():
            yield from _of_junction(node)
        case ast.UnaryOp(op=ast.Not()):
            yield "`not` dropped", node.operand
        case ast.Match():
            for case, rest in _without_one(node.cases[:-1]):
                change = f"case {ast.unparse(case.pattern)} removed"
                yield change, ast.Match(subject=node.subject, cases=[*rest, node.cases[-1]])
        case ast.MatchOr():
            for pattern, rest in _without_one(node.patterns):
                left = ast.MatchOr(patterns=rest) if len(rest) > 1 else rest[0]
                yield f"pattern {ast.unparse(pattern)} removed", left
        case ast.If() | ast.For() | ast.While() | ast.With() | ast.FunctionDef():
            yield from _of_body(node)
        case _ if place.is_table:
            yield from _of_table(node)
        case _:
            pass


def _is_negated_below(node: ast.expr) -> bool:
    """True if another change negates this condition: `a == b` becomes `a != b`, `not a` becomes `a`."""
    match node:
        case ast.Compare(ops=[_]) | ast.UnaryOp(op=ast.Not()):
            return True
        case _:
            return False


def _without_one(items: Sequence[Item]) -> Iterator[tuple[Item, list[Item]]]:
    for index, item in enumerate(items):
        yield item, [*items[:index], *items[index + 1 :]]


def _of_table(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Set(elts=[only]):
            yield f"member {ast.unparse(only)} removed", _call("set")
        case ast.Tuple() | ast.List() | ast.Set():
            for item, rest in _without_one(node.elts):
                left = copy.copy(node)
                left.elts = rest
                yield f"member {ast.unparse(item)} removed", left
        case ast.Dict():
            for (key, _), rest in _without_one(list(zip(node.keys, node.values, strict=True))):
                left = ast.Dict(keys=[key for key, _ in rest], values=[value for _, value in rest])
                yield f"entry {ast.unparse(key) if key else '**'} removed", left
        case _:
            pass


def _call(name: str) -> ast.expr:
    return ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=[], keywords=[])


def _of_comparison(node: ast.Compare) -> Iterator[Change]:
    for index, operator in enumerate(node.ops):
        for other in _COMPARISONS.get(type(operator), ()):
            operators = [*node.ops[:index], other(), *node.ops[index + 1 :]]
            change = f"{type(operator).__name__} became {other.__name__}"
            yield change, ast.Compare(left=node.left, ops=operators, comparators=node.comparators)


def _of_junction(node: ast.BoolOp) -> Iterator[Change]:
    other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    yield f"{type(node.op).__name__} became {type(other).__name__}", ast.BoolOp(op=other, values=node.values)
    for operand, rest in _without_one(node.values):
        left = ast.BoolOp(op=node.op, values=rest) if len(rest) > 1 else rest[0]
        yield f"operand {ast.unparse(operand)} dropped", left


def _of_body(node: ast.If | ast.For | ast.While | ast.With | ast.FunctionDef) -> Iterator[Change]:
    """Statements left out: early ends, calls for their effect, and steps of a pipeline."""
    for name in ("body", "orelse"):
        body: list[ast.stmt] = getattr(node, name, [])
        for statement, rest in _without_one(body):
            ends = isinstance(statement, _ENDS)
            # An `if` without its only statement is like one with a false condition.
            if ends and (isinstance(node, ast.FunctionDef) or (isinstance(node, ast.If) and not rest)):
                continue
            if ends or _is_effect(statement) or _is_step(statement):
                left = copy.copy(node)
                setattr(left, name, rest or [ast.Pass()])
                yield f"statement {ast.unparse(statement).splitlines()[0]} left out", left


def _is_effect(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(value=ast.Call() | ast.Yield() | ast.YieldFrom()) | ast.AugAssign() | ast.Delete():
            return True
        case _:
            return False


def _is_step(statement: ast.stmt) -> bool:
    """True if a statement computes the next state of a value from that value: `draft = rule(draft)`."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(value))
        case _:
            return False


def _replaced(tree: ast.Module, place: _Place, replacement: ast.AST) -> ast.Module:
    """The tree with another node at a place. Shares all nodes that are not on the path there."""
    root = copy.copy(tree)
    holder: ast.AST = root
    for number, (name, index) in enumerate(place.path, start=1):
        is_end = number == len(place.path)
        if index is None:
            fresh = replacement if is_end else copy.copy(getattr(holder, name))
            setattr(holder, name, fresh)
        else:
            items: list[ast.AST] = list(getattr(holder, name))
            fresh = replacement if is_end else copy.copy(items[index])
            items[index] = fresh
            setattr(holder, name, items)
        holder = fresh
    return ast.fix_missing_locations(root)
