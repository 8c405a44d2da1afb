import base64
import html
import json
from urllib.parse import quote

import pytest

from tests.sinks.driving import planted
from tests.sinks.searching import clipboard_of, found_in

CANARY = planted()["redeemed"]
OTHER = planted()["redeemed"]
RAW = CANARY.encode()
FORMS: dict[str, bytes] = {
    "as it is": RAW,
    "upper case": RAW.upper(),
    "reversed": RAW[::-1],
    "hexadecimal": RAW.hex().encode(),
    "upper hexadecimal": RAW.hex().upper().encode(),
    "percent": "".join(f"%{byte:02X}" for byte in RAW).encode(),
    "json": "".join(f"\\u{byte:04x}" for byte in RAW).encode(),
    "json in json": json.dumps(json.dumps({"value": CANARY})).encode(),
    "utf-16-le": CANARY.encode("utf-16-le"),
    "utf-16-be": CANARY.encode("utf-16-be"),
    "html": "".join(f"&#{byte};" for byte in RAW).encode(),
    "html, hexadecimal": "".join(f"&#x{byte:X};" for byte in RAW).encode(),
    "html, escaped": html.escape(f"<{CANARY}>").encode(),
    "quoted": quote(f"a b {CANARY}").encode(),
    **{f"base64 after {n}": base64.b64encode(b"?" * n + RAW) for n in range(4)},
    **{f"url-safe base64 after {n}": base64.urlsafe_b64encode(b"?" * n + RAW) for n in range(4)},
    "its beginning": RAW[:12],
    "its end": RAW[-12:],
}


@pytest.mark.parametrize("form", FORMS)
def test_the_search_finds_exactly_its_canary_in_every_form(form: str) -> None:
    raw = b"before\xff" + FORMS[form] + b"\x00after"
    assert found_in(raw, CANARY)
    assert not found_in(raw, OTHER)


def test_the_clipboard_is_read_as_the_terminal_reads_it() -> None:
    payload = base64.b64encode(RAW)
    written = b"x\x1b]52;c;" + payload + b"\x07y\x1b]52;;" + payload + b"\x1b\\"
    assert clipboard_of(written) == [RAW, RAW]
