"""The vocabularies as Markdown tables, for docs/claims.md."""

from collections.abc import Iterable, Sequence

from inspector.claims.claim import Key, Vocabulary

_VOCABULARY_HEAD = ("vocabulary", "is", "standing", "as of", "on the wire", "source")
_KEY_HEAD = ("key", "takes", "absent", "means", "says of the traits")


def vocabulary_tables(vocabularies: Iterable[Vocabulary]) -> str:
    """One table of the vocabularies, then one of keys for each that defines any."""
    listed = tuple(vocabularies)
    parts = [_table(_VOCABULARY_HEAD, map(_vocabulary_row, listed))]
    for vocabulary in listed:
        if vocabulary.keys:
            parts += [f"### `{vocabulary.name}`", _table(_KEY_HEAD, map(_key_row, vocabulary.keys))]
    return "\n\n".join(parts) + "\n"


def _vocabulary_row(vocabulary: Vocabulary) -> Sequence[str]:
    standing = ", ".join(filter(None, (vocabulary.standing.value, vocabulary.remark)))
    return (
        f"`{vocabulary.name}`",
        vocabulary.title,
        standing,
        vocabulary.as_of,
        vocabulary.where,
        vocabulary.source,
    )


def _key_row(key: Key) -> Sequence[str]:
    return f"`{key.name}`", key.type, key.default or "no claim", key.meaning, key.effect


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join((_line(head), _line(["---"] * len(head)), *map(_line, rows)))


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
