import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector.json.exact import Json
from inspector.tui.values import labels, runs, sides
from inspector.tui.values import outline as module
from inspector.tui.values.outline import Outline, OutlineStyle

KEYS: tuple[str, ...] = ("id", "a_rather_long_key", "é", "text", "my_text", "mimeType", "data", "")
LEAVES: st.SearchStrategy[Json] = st.sampled_from(
    [
        None,
        True,
        7,
        10**30,
        -(2**63),
        1.5,
        "",
        "word",
        "é",
        "two words " * 9,
        '{"a": 1}',
        "image/png",
        "a\nb",
        [],
        {},
    ]
)
RECORDS: st.SearchStrategy[dict[str, Json]] = st.dictionaries(st.sampled_from(KEYS), LEAVES, max_size=6)
ROWS: st.SearchStrategy[Json] = st.lists(RECORDS, max_size=2).map(list[Json])
VALUES: st.SearchStrategy[list[Json]] = st.lists(st.one_of(RECORDS, LEAVES, ROWS), max_size=5)


@st.composite
def tables(draw: st.DrawFn) -> list[Json]:
    """Objects that mostly have the same keys, with other items between them."""
    keys = draw(st.lists(st.sampled_from(KEYS), min_size=1, max_size=4, unique=True))
    row = st.lists(LEAVES, min_size=len(keys), max_size=len(keys))
    rows = [dict(zip(keys, values, strict=True)) for values in draw(st.lists(row, max_size=9))]
    odd: st.SearchStrategy[Json] = st.one_of(RECORDS, LEAVES)
    return [draw(odd) if draw(st.integers(0, 7)) == 0 else one for one in rows]


LISTS = VALUES | tables()


@pytest.fixture(autouse=True)
def short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of objects are built at once even if they are short."""
    for where in (runs, module):
        monkeypatch.setattr(where, "LEAST_RUN", 2)
    monkeypatch.setattr(runs, "MOST_RUN", 4)
    monkeypatch.setattr(sides, "MOST_PAIRS", 0)


def never(*_: object) -> bool:
    return False


def nothing(*_: object) -> None:
    return None


def nodes(outline: Outline) -> list[tuple[object, ...]]:
    return [
        (
            outline.label(node),
            outline.pointer(node),
            outline.value(node, 0),
            outline.value(node, 1),
            outline.indent(node, 200),
            outline.parent(node),
            outline.end(node),
            outline.difference(node),
            outline.begins_absence(node),
            outline.is_drawn(node),
        )
        for node in range(len(outline))
    ]


WAYS = ("as it is", "without", "copied", "turned", "some", "changed", "more", "gone")


def beside(value: list[Json], data: st.DataObject) -> Json:
    """What a host may make of a list: of all its items, or of each in another way."""
    dropped = data.draw(st.sets(st.sampled_from(KEYS), max_size=2))
    way = data.draw(st.sampled_from([*WAYS[:-1], None]))
    items: list[Json] = []
    for item in value:
        if not isinstance(item, dict):
            items.append(item)
            continue
        match way or data.draw(st.sampled_from(WAYS)):
            case "without":
                items.append({key: kept for key, kept in item.items() if key not in dropped})
            case "copied":
                items.append(dict(item))
            case "turned":
                items.append(dict(reversed(item.items())))
            case "some":
                items.append({key: kept for key, kept in item.items() if data.draw(st.booleans())})
            case "changed":
                items.append({key: data.draw(LEAVES) for key in item})
            case "more":
                items.append({**item, "more": 1})
            case "as it is":
                items.append(item)
            case _:
                continue
    return items


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(LISTS, st.data())
def test_records_are_added_at_once_as_any_other_object_is(value: list[Json], data: st.DataObject) -> None:
    left: Json = {"rows": value}
    right: Json = data.draw(
        st.sampled_from(
            [left, {"rows": value}, {"rows": beside(value, data)}, {"rows": data.draw(VALUES)}, {}]
        )
    )
    quick = Outline(left, right), Outline(left)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Outline, "_add_record", never)
        patch.setattr(module, "records_at", nothing)
        slow = Outline(left, right), Outline(left)
    assert [nodes(outline) for outline in quick] == [nodes(outline) for outline in slow]
    assert [outline.tops for outline in quick] == [outline.tops for outline in slow]
    for outline in quick:
        assert [outline.nearest(outline.spot(node)) for node in range(len(outline))] == [*range(len(outline))]


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(LISTS, st.data(), st.sampled_from(OutlineStyle), st.integers(20, 60), st.sampled_from([None, 0, 1, 7]))
def test_heights_are_those_of_each_node(
    one: list[Json], data: st.DataObject, style: OutlineStyle, width: int, more: int | None
) -> None:
    other = data.draw(st.one_of(VALUES, st.just(beside(one, data))))
    for outline in (
        Outline(one, style=style),
        Outline(one, one, style=style),
        Outline({"rows": one}, {"rows": other}, style=style),
        Outline({"rows": one}, {}, style=style),
    ):
        for widths in [(width, 0 if more is None else width + more), (0, width)]:
            heights = list(outline.heights(widths))
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(module, "is_short", never)
                patch.setattr(module, "plain_rows", nothing)
                assert heights == [outline.height(node, widths) for node in range(len(outline))]


def test_a_long_list_of_rows_is_built_in_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    rows: list[Json] = [{"id": index, "name": "a", "token": "t"} for index in range(5_000)]
    seen: list[Json] = [{"id": index, "name": "a"} for index in range(5_000)]
    one_by_one: list[object] = []
    add = Outline._add_record  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]

    def counted(outline: Outline, item: labels.Item) -> bool:
        one_by_one.append(item)
        return add(outline, item)

    monkeypatch.setattr(Outline, "_add_record", counted)
    outline = Outline({"rows": rows}, {"rows": seen})
    assert len(outline) == 2 + 4 * 5_000
    assert len(outline.tops) == 5_000
    # The list, the object around it, and no row.
    assert len(one_by_one) == 2


def test_a_block_of_another_kind_at_another_index_has_its_own_label_on_each_side() -> None:
    left: Json = {"content": ["first", {"type": "text", "text": "second"}]}
    right: Json = {"content": ["second, as words"]}
    outline = Outline(left, right, blocks=[(0, -1), (1, 0)])
    assert outline.heights((60, 60))
    shown = [
        (outline.label(node), outline.label(node, 1))
        for node in range(len(outline))
        if "content[" in outline.label(node)
    ]
    assert ("content[1]", "content[0]") in shown
