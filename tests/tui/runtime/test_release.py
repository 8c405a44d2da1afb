import threading
import weakref

from inspector.json.exact import Json, JsonObject
from inspector.tui.runtime.memory import release


class Watched(dict[str, Json]):
    """A container whose destruction can be observed."""


def test_unshared_values_are_freed_and_shared_ones_stay_unchanged() -> None:
    kept: JsonObject = {"shared": [1, 2, 3]}
    rows: list[Json] = [Watched(id=number) for number in range(1_000)]
    ends = [weakref.ref(row) for row in rows if isinstance(row, Watched)]
    others: list[Json] = [kept] * 100
    whole: JsonObject = {"rows": rows, "kept": others, "text": "x"}
    values: list[Json] = [whole]
    del rows, whole, others
    assert all(end() is not None for end in ends)
    release(values)
    assert values == []
    assert all(end() is None for end in ends)
    assert kept == {"shared": [1, 2, 3]}


def test_a_value_is_freed_in_pieces_so_that_other_threads_can_run() -> None:
    seen: list[int] = []
    rows: list[Json] = []
    ends: list[weakref.finalize[..., Watched]] = []

    def add(number: int) -> None:
        row = Watched(id=number)
        ends.append(weakref.finalize(row, lambda: seen.append(threading.get_ident())))
        rows.append(row)

    for number in range(2_000):
        add(number)
    values: list[Json] = [rows]
    rows = []
    worker = threading.Thread(target=release, args=(values,))
    worker.start()
    worker.join()
    assert len(seen) == 2_000
    assert set(seen) == {worker.ident}
