"""Finds the places in a result from which a host's model gets a value."""

from collections.abc import Callable, Iterator

from inspector.boundary.same_content import json_in
from inspector.json.exact import Json, dump_text, equal
from inspector.json.pointer import join, resolve, split
from inspector.json.texts import forms_of
from inspector.json.walk import places

MOST_SEARCHED = 2_000_000
"""The maximum size, in characters, of a model view for which the places of leaking values are looked for."""
_MOST_PLACES = 20
_META = "_meta"
_Holds = Callable[[Json], bool]


def holding(found: Callable[[set[str]], bool]) -> _Holds:
    """Return a test that tells whether a leaf contains a value.

    `found`: tells whether one of the texts in a set contains the value.
    """

    def holds(leaf: Json) -> bool:
        if isinstance(leaf, (dict, list)) or leaf is None:
            return False
        return found({leaf} if isinstance(leaf, str) else set(forms_of(leaf)))

    return holds


def places_of(raw: Json, model: Json, holds: _Holds) -> tuple[str, ...]:
    """Pointers into `raw` to the leaves from which a model gets a value, in the order of the model's view.

    Leaves that the host does not pass on are left out. A text in `model` that comes from no leaf of `raw` adds no
    pointer. `holds`: tells whether a leaf contains the value.
    """
    sent = {join(tokens): resolve(raw, join(tokens)) for tokens in _leaves(raw, holds)}
    found = dict.fromkeys(_found(raw, sent, model, (), holds))
    return tuple(found)


def _found(
    raw: Json, sent: dict[str, Json], model: Json, above: tuple[str, ...], holds: _Holds
) -> Iterator[str]:
    for tokens in _leaves(model, holds):
        leaf = resolve(model, join(tokens))
        path = (*above, *map(str, tokens))
        exact = _best(path, [at for at, value in sent.items() if equal(value, leaf)])
        if exact is not None:
            yield exact
            continue
        inner = json_in(leaf) if isinstance(leaf, str) else None
        if inner is not None and isinstance(inner.value, (dict, list)):
            yield from _found(raw, sent, inner.value, _within(raw, inner.value, path), holds)
            continue
        within = [at for at, value in sent.items() if isinstance(leaf, str) and _text(value) in leaf]
        # A host may join several texts. A sent text that is within a longer sent text counts as a part of it.
        chosen: list[str] = []
        for at in sorted(within, key=lambda at: -len(_text(sent[at]))):
            if not any(_text(sent[at]) in _text(sent[other]) for other in chosen):
                same = [other for other in within if _text(sent[other]) == _text(sent[at])]
                best = _best(path, same)
                chosen += [best] if best is not None else []
        yield from sorted(chosen, key=list(sent).index)


def _within(raw: Json, inner: Json, path: tuple[str, ...]) -> tuple[str, ...]:
    """The path in `raw` at which the JSON from a text is looked for.

    It leads to the structured content if that has all keys of the JSON, or else to the root if `raw` has any
    of these keys. Otherwise it is `path`, the path of the text.
    """
    structured = raw.get("structuredContent") if isinstance(raw, dict) else None
    if isinstance(structured, dict) and isinstance(inner, dict) and inner.keys() <= structured.keys():
        return ("structuredContent",)
    return () if isinstance(inner, dict) and isinstance(raw, dict) and inner.keys() & raw.keys() else path


def _best(path: tuple[str, ...], pointers: list[str]) -> str | None:
    """The pointer that is most like the path in the model's view; None if there is none.

    Pointers into `_meta` are left out, unless the path leads into metadata.
    """
    is_named = _META in path or "meta" in path
    own = [at for at in pointers if is_named or _META not in split(at)]
    if not own:
        return None
    return max(
        own, key=lambda at: (split(at) == path, _common_end(split(at), path), at.startswith("/content/"))
    )


def _common_end(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    number = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right:
            break
        number += 1
    return number


def _leaves(value: Json, holds: _Holds) -> list[tuple[str | int, ...]]:
    found: list[tuple[str | int, ...]] = []
    for tokens in places(value, holds):
        found.append(tokens)
        if len(found) == _MOST_PLACES:
            break
    return found


def _text(value: Json) -> str:
    return value if isinstance(value, str) else dump_text(value)
