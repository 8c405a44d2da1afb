import re
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.sightline import sightline
from tests.recording.sessions import TOOL, Wire, conversation, recorded_to

if TYPE_CHECKING:
    from inspector.json.exact import JsonObject

HOSTILE = "</pre><script>alert(1)</script><img src=x onerror=y>```\n# Heading\n\u001b[2J\u202e` <b>"


class Page(HTMLParser):
    """The tags and the texts of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.named: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.named += [name for name, _ in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("kind", ["markdown", "html"])
def test_a_document_has_the_calls_without_an_answer(tmp_path: Path, kind: str) -> None:
    wire = conversation()
    wire.called("get_key", {"q": "dies"}, 8)
    wire.note("the server exited with code 3", "8", "connection_lost")
    recording = recorded_to(tmp_path / "a.jsonl", wire.frames)
    _, _, shown = sightline("replay", "--export", kind, str(recording)).out.partition("Frame 5: ")
    assert "get_key" in shown
    assert "dies" in shown
    assert "No answer came" in shown
    assert "the server exited with code 3" in shown
    assert "Result, as recorded" not in shown


def hostile(path: Path) -> Path:
    wire = Wire()
    wire.listed(TOOL)
    wire.called(HOSTILE, {"q": HOSTILE})
    more: JsonObject = {HOSTILE: HOSTILE}
    wire.answered({"content": [{"type": "text", "text": HOSTILE}], "structuredContent": more})
    return recorded_to(path, wire.frames)


@pytest.mark.parametrize("kind", ["markdown", "html"])
def test_a_document_has_both_views_and_no_secret(tmp_path: Path, kind: str) -> None:
    ran = sightline("replay", "--export", kind, str(recorded_to(tmp_path / "a.jsonl", conversation().frames)))
    assert (ran.code, ran.err) == (0, "")
    assert "[withheld x-sensitive " in ran.out
    assert "boundary: declared, host: spec" in ran.out
    assert "/structuredContent/key [x-sensitive]" in ran.out
    assert "CANARY" not in ran.out


def test_an_html_export_is_one_file_without_markup_of_the_server(tmp_path: Path) -> None:
    ran = sightline("replay", "--export", "html", str(hostile(tmp_path / "a.jsonl")))
    assert ran.code == 0
    page = Page()
    page.feed(ran.out)
    assert set(page.tags) <= {
        *("html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "ul", "li", "p"),
        *("pre", "table", "tr", "th", "td"),
    }
    assert set(page.named) == {"lang", "charset", "http-equiv", "content"}
    assert "<script>alert(1)</script>" in page.text
    assert "\x1b" not in ran.out
    assert "\u202e" not in ran.out
    assert "://" not in ran.out


def test_a_markdown_export_has_server_text_only_in_code(tmp_path: Path) -> None:
    ran = sightline("replay", "--export", "markdown", str(hostile(tmp_path / "a.jsonl")))
    assert ran.code == 0
    assert not re.search(r"^# Heading", ran.out, re.MULTILINE)
    outside = re.sub(r"^(`{3,})json\n.*?\n\1$", "", ran.out, flags=re.MULTILINE | re.DOTALL)
    outside = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", outside)
    assert "script" not in outside
    assert "\x1b" not in ran.out


def test_a_truncated_recording_is_exported_up_to_its_end(tmp_path: Path) -> None:
    path = recorded_to(tmp_path / "a.jsonl", conversation().frames)
    assert sightline("replay", "--export", "html", str(path), str(path)).code == 2
    path.write_bytes(path.read_bytes()[:-3])
    ran = sightline("replay", "--export", "html", str(path))
    assert ran.code == 0
    assert "it is cut off; the lines before it are exported" in ran.err
