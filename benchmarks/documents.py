"""A value as a document of lines: built, drawn line by line, and searched."""

import json
import random
import time

from benchmarks.measuring import Measurement, Report, seconds
from inspector.json.document import Document
from inspector.json.exact import JsonText, parse

SAMPLED_LINES = 300


def measure(report: Report) -> None:
    """Print all rows."""
    report.section("Documents of lines")
    for title, raw in (
        ("5 MB of rows", rows(25_000)),
        ("40 MB of rows", rows(200_000)),
        ("5 MB of one text", json.dumps({"text": "some words of prose\n" * 250_000}).encode()),
    ):
        parsed = parse(raw)
        if not isinstance(parsed, JsonText):
            raise TypeError(parsed.reason)
        value = parsed.value
        loads = Measurement(name="json.loads", runs=tuple(seconds(lambda raw=raw: json.loads(raw), runs=3)))
        document = Document(value)
        report.row(f"{title}: built", seconds(lambda value=value: Document(value), runs=3), yardstick=loads)
        chosen = random.Random(1).choices(range(document.line_count), k=SAMPLED_LINES)  # noqa: S311 - a fixed sample
        report.row(f"{title}: a line", [_line_s(document, index) for index in chosen])
        report.row(f"{title}: 50 lines", [_screen_s(document, index) for index in chosen[:30]], aim=0.016)
        last = max(0, document.line_count - 50_000)
        report.row(
            f"{title}: 50,000 lines searched",
            seconds(lambda at=last, of=document: of.find("no line has this", at), runs=3),
        )


def _line_s(document: Document, index: int) -> float:
    started = time.perf_counter()
    document.line(index)
    return time.perf_counter() - started


def _screen_s(document: Document, index: int) -> float:
    started = time.perf_counter()
    document.lines(index, index + 50)
    return time.perf_counter() - started


def rows(count: int) -> bytes:
    """A list of records with five leaves and one list each, about 200 bytes."""
    note = "an ordinary sentence, neither short nor long, as records have them. " * 2
    return json.dumps(
        [
            {
                "id": index,
                "name": f"person {index}",
                "email": f"person.{index}@example.org",
                "note": note,
                "tags": ["a", "b"],
            }
            for index in range(count)
        ]
    ).encode()
