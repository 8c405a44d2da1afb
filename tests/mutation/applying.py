"""Applies a mutant to a running process: every module that imported from the mutated module gets the change in place."""

import ast
import sys
from types import FunctionType, ModuleType
from typing import cast


class UnchangeableError(Exception):
    """Raised for a statement that cannot be replaced in a running process."""


def apply(module: ModuleType, after: str, number: int) -> None:
    """Change a module in use to another source that differs in one statement of the top level.

    Raises UnchangeableError if that statement cannot be replaced.
    """
    tree = ast.parse(after)
    statement = tree.body[number]
    changed = {name: vars(module)[name] for name in _names(statement)}
    names: dict[str, object] = dict(vars(module))
    exec(compile(tree, str(module.__file__), "exec"), names)  # noqa: S102 - the source is the project's own
    for name, old in changed.items():
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            _change(old, names[name])
        else:
            _rebind(old, names[name])


def _names(statement: ast.stmt) -> list[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case ast.Assign(targets=[ast.Tuple(elts=targets)]):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case _:
            raise UnchangeableError(ast.unparse(statement))


def _change(old: object, new: object) -> None:
    """Give every holder of `old` the behaviour of `new`."""
    if isinstance(old, type) and isinstance(new, type):
        for name, attribute in vars(new).items():
            for inner_old, inner_new in zip(
                _functions(vars(old).get(name)), _functions(attribute), strict=False
            ):
                _take_over(inner_old, inner_new)
        return
    for inner_old, inner_new in zip(_functions(old), _functions(new), strict=True):
        _take_over(inner_old, inner_new)
    clear = getattr(old, "cache_clear", None)
    if callable(clear):
        clear()


def _functions(value: object) -> list[FunctionType]:
    """The functions behind a function, a decorated or cached one, a method or a property."""
    match value:
        case FunctionType():
            decorated = getattr(value, "__wrapped__", None)
            return [value] if decorated is None else _functions(decorated)
        case property():
            return [found for found in (value.fget, value.fset) if isinstance(found, FunctionType)]
        case staticmethod() | classmethod():
            # The function is of no known kind.
            method = cast("staticmethod[..., object]", value)
            return _functions(method.__func__)
        case _:
            wrapped = getattr(value, "__wrapped__", None) or getattr(value, "func", None)
            return [wrapped] if isinstance(wrapped, FunctionType) else []


def _take_over(old: FunctionType, new: FunctionType) -> None:
    old.__code__ = new.__code__
    old.__defaults__ = new.__defaults__
    old.__kwdefaults__ = new.__kwdefaults__


def _rebind(old: object, new: object) -> None:
    """Replace `old` by `new` in every module that refers to it, under any name."""
    for module in list(sys.modules.values()):
        space: dict[str, object] = getattr(module, "__dict__", {})
        for name, value in list(space.items()):
            if value is old:
                space[name] = new
