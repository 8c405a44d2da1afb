"""docs/claims.md contains the tables of the registry. Run this file to write them: `python tests/claims/test_claims_page.py`."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from inspector.claims.claim import ClaimKey, Vocabulary
from inspector.claims.registry import vocabularies
from inspector.claims.traits import Badge

PAGE = Path(__file__).parents[2] / "docs" / "claims.md"


def test_the_tables_of_the_page_agree_with_the_registry() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text.endswith(vocabulary_tables(vocabularies())), (
        "docs/claims.md is out of date: run `.venv/bin/python tests/claims/test_claims_page.py`"
    )
    assert text.count("| vocabulary |") == 1


def test_the_page_names_every_badge() -> None:
    text = PAGE.read_text(encoding="utf-8")
    *words, last = Badge
    assert ", ".join(badge.word for badge in Badge) in text
    assert f"{', '.join(words)} and {last}" in text


def test_every_vocabulary_states_its_source() -> None:
    for vocabulary in vocabularies():
        assert all((vocabulary.title, vocabulary.source, vocabulary.where)), vocabulary.name
        year, month = vocabulary.as_of.split("-")
        assert len(year) == 4
        assert 1 <= int(month) <= 12
        for key in vocabulary.keys:
            assert all((key.type, key.meaning, key.effect)), key.name


_VOCABULARY_HEAD = ("vocabulary", "title", "status", "as of", "position", "source")
_KEY_HEAD = ("key", "value", "default", "meaning", "traits")


def vocabulary_tables(vocabularies: Iterable[Vocabulary]) -> str:
    """A table of the vocabularies, then a table of keys for each that defines any."""
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


def _key_row(key: ClaimKey) -> Sequence[str]:
    return f"`{key.name}`", key.type, key.default or "none", key.meaning, key.effect


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join((_line(head), _line(["---"] * len(head)), *map(_line, rows)))


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(
        page[: page.index("| vocabulary |")] + vocabulary_tables(vocabularies()), encoding="utf-8"
    )
