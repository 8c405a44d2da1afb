"""docs/claims.md says what the registry says."""

from pathlib import Path

from inspector.claims.badges import Badge
from inspector.claims.registry import vocabularies
from inspector.claims.table import vocabulary_tables

PAGE = Path(__file__).parents[2] / "docs" / "claims.md"


def test_the_tables_of_the_page_are_those_of_the_registry() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text.endswith(vocabulary_tables(vocabularies())), (
        "docs/claims.md: replace the tables with what vocabulary_tables(vocabularies()) gives"
    )
    assert text.count("| vocabulary |") == 1


def test_the_page_names_every_badge() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert ", ".join(f"{badge} {badge.word}" for badge in Badge) in text


def test_every_vocabulary_states_where_it_comes_from() -> None:
    for vocabulary in vocabularies():
        assert all((vocabulary.title, vocabulary.source, vocabulary.where)), vocabulary.name
        year, month = vocabulary.as_of.split("-")
        assert len(year) == 4
        assert 1 <= int(month) <= 12
        for key in vocabulary.keys:
            assert all((key.type, key.meaning, key.effect)), key.name
