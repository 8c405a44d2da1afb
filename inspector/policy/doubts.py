"""Finds probable mistakes in a policy: facts that no vocabulary has, and built-in rules that are missing."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache

from inspector.claims.claim import Subject
from inspector.claims.registry import vocabularies
from inspector.claims.vocabularies.unrecognised import OF_PROTOCOL
from inspector.json.exact import dump_text
from inspector.policy.built_in import DEFAULT_POLICY
from inspector.policy.facts import FactPath
from inspector.policy.rules import Policy
from inspector.safe_text import safe_line

_Parts = tuple[str, ...]

_HOLDERS: Mapping[_Parts, tuple[tuple[Subject, _Parts], ...]] = {
    # A resource or a prompt has the same facts as a tool.
    ("tool", "annotations"): ((Subject.TOOL, ("annotations",)), (Subject.RESOURCE, ("annotations",))),
    ("tool", "_meta"): ((Subject.TOOL, ("_meta",)), (Subject.RESOURCE, ("_meta",))),
    ("response", "annotations"): ((Subject.RESULT, ("_meta", "annotations")),),
    ("response", "_meta"): ((Subject.RESULT, ("_meta",)),),
}
"""The objects with the claims that a fact is read from, by the first two parts of the fact's name.

Each object is a pair: the subject of the claims, and the path of the object in that subject.
"""
_OF_REQUEST = frozenset({("openWorldHint",), ("attribution",)})
"""The members of `request.annotations`, which Sightline fills in."""
_QUOTED = frozenset('."\\')
"""A part of a fact's name is quoted if it contains one of these characters."""


def doubts(policy: Policy) -> tuple[str, ...]:
    """A sentence for each fact below `annotations` or `_meta` that no vocabulary knows. Safe to show.

    Such a fact is no error, because a server may have members of its own.
    """
    return tuple(dict.fromkeys(_doubts(policy)))


def _doubts(policy: Policy) -> Iterator[str]:
    for rule in policy.rules:
        for path in rule.paths:
            name = _unknown_in(path)
            if name is not None:
                close = _meant(path, name)
                meant = f" Did you mean {close}?" if close else ""
                yield safe_line(
                    f"rule {rule.name}: no known vocabulary has {path.text}, so the rule may never match.{meant}"
                )


def _unknown_in(path: FactPath) -> int | None:
    """The index of the first part of a fact's path that is in no vocabulary of claims; None if every part is known."""
    known = _known(path.parts[:2])
    if known is None:
        return None
    below = path.parts[2:]
    for index in range(len(below)):
        if below[:index] in known:
            # The path leads into the value of a known key, which may be an object or a list.
            return None
        if not any(each[: index + 1] == below[: index + 1] for each in known):
            return index + 2
    return None


def _meant(path: FactPath, unknown: int) -> str:
    """The known fact that a fact with an unknown part probably means; empty if none is close."""
    holder, before, name = path.parts[:2], path.parts[2:unknown], path.parts[unknown]
    known = _known(holder) or frozenset()
    beside = {each[len(before)] for each in known if each[: len(before)] == before}
    close = _close(name, sorted(beside))
    if close:
        return _written(close)
    # A known name in another place: `tool.annotations.destination`, `tool._meta.destructiveHint`.
    heads = [head for head in dict.fromkeys((holder, *_HOLDERS)) if head[0] == holder[0]]
    places = ((*head, *each) for head in heads for each in sorted(_known(head) or ()) if each[-1] == name)
    return ".".join(map(_written, next(places, ())))


def _close(name: str, names: list[str]) -> str:
    folded = {each.lower(): each for each in names}
    found = get_close_matches(name.lower(), list(folded), n=1, cutoff=0.75)
    return folded[found[0]] if found else ""


def _written(part: str) -> str:
    """A part of a fact's name as it is written in a policy, quoted if necessary."""
    return dump_text(part) if _QUOTED.intersection(part) else part


@cache
def _known(holder: _Parts) -> frozenset[_Parts] | None:
    """The known keys of the object `holder`, each as its path; None if it is not `annotations` or `_meta`.

    `holder`: the first two parts of a fact's name, such as `tool` and `_meta`.
    """
    if holder == ("request", "annotations"):
        return _OF_REQUEST
    if holder not in _HOLDERS:
        return None
    keys = {
        each[len(within) :]
        for vocabulary in vocabularies()
        for subject, within in _HOLDERS[holder]
        for each in vocabulary.paths.get(subject, ())
        if each[: len(within)] == within
    }
    return frozenset(keys | ({(name,) for name in OF_PROTOCOL} if holder[1] == "_meta" else set()))


def dropped(policy: Policy) -> tuple[str, ...]:
    """The names of the built-in rules that the policy does not contain."""
    # The operands of a rule may be lists, so rules cannot be hashed.
    return tuple(rule.name for rule in DEFAULT_POLICY.rules if rule not in policy.rules)
