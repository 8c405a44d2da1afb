"""Text that would act on a terminal, or be invisible, if it reached one: a table by name, and a generator.

Sequences with parameters carry 777 where the standard leaves them free, so that they cannot be taken for the
interface's own; strings carry CANARY, or its base64. Source of the sequences: ECMA-48, and xterm's ctlseqs.
"""

import random
import unicodedata
from functools import cache
from itertools import chain

from tests.peers.payloads import ESC
from tests.peers.payloads import PAYLOADS as COMMON

BASE64 = "Q0FOQVJZ"
"""CANARY in base64."""

_STRINGS = {"DCS": "P", "OSC": "]", "SOS": "X", "PM": "^", "APC": "_"}

PAYLOADS = COMMON | {
    "OSC 0, ended by ST": f"{ESC}]0;CANARY{ESC}\\",
    "OSC 2, ended by BEL": f"{ESC}]2;CANARY\x07",
    "OSC 8, ended by BEL": f"{ESC}]8;id=777;https://canary.test\x07CANARY{ESC}]8;;\x07",
    "OSC 9 notification": f"{ESC}]9;CANARY\x07",
    "OSC 10 query": f"{ESC}]10;?{ESC}\\CANARY",
    "OSC 22 pointer": f"{ESC}]22;CANARY\x07",
    "OSC 50 font": f"{ESC}]50;CANARY\x07",
    "OSC 1337 file": f"{ESC}]1337;File=name={BASE64}:{BASE64}\x07",
    "OSC 52, a newline in it": f"{ESC}]52;c;{BASE64}\n\x07",
    **{f"{name}, unterminated": f"CANARY{ESC}{opener}777;{BASE64}" for name, opener in _STRINGS.items()},
    "DECRQSS": f"{ESC}P$q777m{ESC}\\",
    "sixel": f"{ESC}Pq#777;CANARY{ESC}\\",
    "SOS": f"{ESC}XCANARY{ESC}\\",
    "CSI home": f"CANARY{ESC}[H{ESC}[777H",
    "CSI erase": f"CANARY{ESC}[2J{ESC}[3J{ESC}[K{ESC}[777X",
    "SGR": f"{ESC}[777;8mCANARY{ESC}[0m",
    "DA": f"CANARY{ESC}[c{ESC}[>777c{ESC}[=c",
    "DSR cursor": f"CANARY{ESC}[6n{ESC}[?777n",
    "window report": f"CANARY{ESC}[21t{ESC}[777t",
    "REP": f"CANARY{ESC}[777b",
    "scroll region": f"CANARY{ESC}[777;778r",
    "RIS": f"CANARY{ESC}c",
    "DECALN": f"CANARY{ESC}#8",
    "character sets": f"CANARY{ESC}(0\x0e{ESC}n{ESC}~\x0f",
    "paste end": f"CANARY{ESC}[201~777\r",
    "mouse modes": f"CANARY{ESC}[?1000;1003;1006;777h",
    "alternate screen": f"CANARY{ESC}[?1049l{ESC}[?47h{ESC}[?777l",
    "keyboard protocol": f"CANARY{ESC}[>777u{ESC}[=777u",
    "synchronised output": f"CANARY{ESC}[?2026h{ESC}[?777h",
    "CSI cut short": f"CANARY{ESC}[777",
    "ESC alone": f"CANARY{ESC}",
    "ESC in ESC": f"{ESC}{ESC}[777{ESC}[mCANARY",
    "ReGIS and Tektronix": f"CANARY{ESC}P777p{ESC}[?38h{ESC}\x0c",
    "C1, every one": "CANARY" + "".join(map(chr, range(0x80, 0xA0))),
    "C0, every one": "CANARY" + "".join(map(chr, range(0x20))) + "\x7f",
    "C1 APC, PM, SOS": "\x9fCANARY\x9c\x9eCANARY\x9c\x98CANARY\x9c",
    "backspaces": "CANARY" + "\b" * 40 + "overwritten",
    "carriage returns": "CANARY\roverwritten\r\r\n777",
    "embedding and override": "\u202aCAN\u202dARY\u202b\u202c\u202e",
    "first strong isolate": "\u2068CANARY\u2067\u2069",
    "marks of direction": "CAN\u200eARY\u200f\u061c",
    "word joiners": "CAN\u2060AR\u2061\u2062\u2063\u2064Y\u200c\u200d",
    "soft hyphens": "CAN\u00adARY",
    "variation selectors": "CANARY" + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE0130)))),
    "fillers": "CANARY\u3164\uffa0\u115f\u1160\u17b4\u17b5\u180b\u180e\u034f",
    "interlinear annotation": "CAN\ufff9ARY\ufffa\ufffb",
    "noncharacters": "CANARY\ufdd0\ufffe\uffff\U0001fffe\U0010ffff",
    "private use": "CANARY\ue000\U000f0000",
    "unpaired surrogates": "CAN\udc00\ud800ARY\udfff",
    "byte order marks": "\ufeffCANARY\ufeff",
    "combining run": "CANARY" + "e" + "\u0301\u0489\u20dd" * 200,
    "wide and joined": "CANARY 日本語 👩🏽\u200d💻 🏴\U000e0067\U000e0062\U000e007f ❤\ufe0f",
    "right to left": "CANARY שלום مرحبا",
    "markup link": "[link=https://canary.test]CANARY[/link]",
    "markup style": "[bold red on white]CANARY[/]",
    "markup bell": "[@click=app.bell]CANARY[/] [@click='app.leave']CANARY[/]",
    "markup open": "CANARY[bold",
    "markup closes all": "CANARY[/][/][/bold]",
    "markup escapes": "CANARY\\[bold]\\\\[/]",
    "markup variable": "CANARY[$error]$primary[/]",
    "percent and braces": "CANARY %s %n {0} ${HOME} `id`",
}

WORDS = {name: f"p{number:02}" for number, name in enumerate(PAYLOADS)}
"""A short word for each payload, to find it by on a screen."""


def marked(name: str) -> str:
    """A payload after its word and before CANARY."""
    return f"{WORDS[name]} {PAYLOADS[name]} CANARY"


EVERYTHING = " ".join(PAYLOADS.values())


@cache
def _drawn_from() -> tuple[str, ...]:
    """Random characters by category: control, format, surrogate, private, and some marks."""
    found: dict[str, list[str]] = {
        "Cc": [],
        "Cf": [],
        "Cs": [],
        "Co": [],
        "Cn": [],
        "Mn": [],
        "Zl": [],
        "Zp": [],
    }
    for code in chain(range(0x3000), range(0xD800, 0x10000), range(0xE0000, 0xE0200)):
        category = unicodedata.category(chr(code))
        if category in found and len(found[category]) < 300:
            found[category].append(chr(code))
    # Control characters three times as often: they are the ones that act.
    return tuple("".join(each) for each in (*found.values(), found["Cc"], found["Cc"]))


def fuzzed(seed: int, number: int) -> tuple[str, ...]:
    """`number` strings of control, format, surrogate and private characters, mixed with characters that give them a meaning."""
    draw = random.Random(seed)  # noqa: S311 - the same each time
    starts = (ESC, "\x9b", "\x9d", "\x90", f"{ESC}]52;c;", f"{ESC}[777", f"{ESC}P", "[@click=app.quit]", "[/")
    texts = ("CANARY", "777", "m", ";", "\\", "]", "日本", " ", "[bold", f"{BASE64}", "?1049h", "e\u0301")
    made: list[str] = []
    for _ in range(number):
        pieces = [
            draw.choice(draw.choice(_drawn_from()))
            if (kind := draw.random()) < 0.5
            else draw.choice(starts if kind < 0.65 else texts)
            for _ in range(draw.randint(4, 24))
        ]
        made.append("CANARY" + "".join(pieces))
    return tuple(made)
