"""The cost of a document, relative to `json.loads` of the same bytes: `python benchmarks/bench_document.py`."""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter

from inspector.json.document import Document
from inspector.json.exact import JsonText, parse

REPEATS = 3
SAMPLED_LINES = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One input."""

    title: str
    raw: bytes


def samples() -> tuple[Sample, ...]:
    """Rows of 5 and 40 MB, the latter with over a million values, and one text of 5 MB."""
    return (
        Sample(title="5 MB of rows", raw=rows(25_000)),
        Sample(title="40 MB of rows", raw=rows(200_000)),
        Sample(
            title="5 MB of one text", raw=json.dumps({"text": "some words of prose\n" * 250_000}).encode()
        ),
    )


def rows(count: int) -> bytes:
    """A list of records with five leaves and one list each, about 200 bytes."""
    return json.dumps(
        [
            {
                "id": index,
                "name": f"person {index}",
                "email": f"person.{index}@example.org",
                "note": "an ordinary sentence, neither short nor long, as records have them. " * 2,
                "tags": ["a", "b"],
            }
            for index in range(count)
        ]
    ).encode()


def seconds(action: Callable[[], object]) -> float:
    """Median time of `action`."""
    times: list[float] = []
    for _ in range(REPEATS):
        start = perf_counter()
        action()
        times.append(perf_counter() - start)
    return median(times)


def measure(sample: Sample) -> None:
    """Print one line of results."""
    parsed = parse(sample.raw)
    if not isinstance(parsed, JsonText):
        raise TypeError(parsed.reason)
    value = parsed.value
    loading = seconds(lambda: json.loads(sample.raw))
    constructing = seconds(lambda: Document(value))
    document = Document(value)
    chosen = random.Random(1).choices(range(document.line_count), k=SAMPLED_LINES)  # noqa: S311 - a fixed sample
    each_line = [seconds(lambda index=index: document.line(index)) for index in chosen]
    screen = seconds(lambda: document.lines(chosen[0], chosen[0] + 50))
    searching = seconds(lambda: document.find("no line has this", max(0, document.line_count - 50_000)))
    print(
        f"{sample.title:<18} {len(sample.raw) / 1e6:5.1f} MB {document.line_count:>9,} lines"
        f" | json.loads {loading:6.3f} s"
        f" | construct {constructing:6.3f} s = {constructing / loading:4.2f}x"
        f" | line {median(each_line) * 1e6:4.0f} us, worst {max(each_line) * 1e6:4.0f} us"
        f" | 50 lines {screen * 1e3:4.2f} ms"
        f" | search 50,000 lines {searching:5.3f} s"
    )


def main() -> None:
    """Measure every sample."""
    for sample in samples():
        measure(sample)


if __name__ == "__main__":
    main()
