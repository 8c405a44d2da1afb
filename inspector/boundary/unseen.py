"""Invisible characters: format and control characters, combining marks, and Unicode's ignorable characters.

`tests/boundary/unseen_table.py` generates the table `_RANGES` from Unicode's data, because the `unicodedata`
of an older Python lacks some of these characters. The table has the general categories Cf, Cs, Mn and Me, Cc
without NUL and white space, all of Default_Ignorable_Code_Point, and the empty Braille pattern.
"""

import re
from collections.abc import Iterator
from functools import cache
from unicodedata import normalize

UNICODE = "18.0.0"
"""The Unicode version of the table."""
LONG_RUN = 24
"""The minimum length, in characters, of a long run of invisible characters."""


def visible(text: str) -> str:
    """`text` in compatibility decomposition (NFKD) without invisible characters. Linear.

    Accents are removed too, because an accented letter decomposes into a letter and a combining mark.
    """
    if text.isascii():
        return text if text.isprintable() else _near().sub("", text)
    # Remove marks first: `normalize` sorts them, in quadratic time for long runs.
    text = _near().sub("", normalize("NFKD", _without(text)))
    # A letter beyond the basic plane decomposes into marks that are beyond it too.
    return _without(text) if _FAR.search(text) else text


def condensed(text: str) -> str | None:
    """`visible(text)` with single spaces; None if `text` has no long run.

    A long run has LONG_RUN or more characters that are invisible or white space.
    """
    if text.isascii():
        is_spread = _BLANKS in text.encode().translate(_BLANKED)
    else:
        far = _FAR.search(text) is not None and not unseen().isdisjoint(text)
        is_spread = far or _runs().search(text) is not None
    return " ".join(visible(text).split()) if is_spread else None


def _without(text: str) -> str:
    text = _near().sub("", text)
    gone = unseen().intersection(text) if _FAR.search(text) else ()
    return text.translate(dict.fromkeys(map(ord, gone))) if gone else text


@cache
def unseen() -> frozenset[str]:
    """All invisible characters."""
    return frozenset(chr(code) for first, last in _pairs() for code in range(first, last + 1))


_BLANKS = b" " * LONG_RUN
_BLANKED = bytes(32 if code < 32 or code == 127 else code for code in range(256))
_FAR = re.compile("[\U00010000-\U0010ffff]")


@cache
def _near() -> re.Pattern[str]:
    """A pattern for invisible characters of the basic plane.

    `re` looks up characters of this plane in a table, but compares ranges of other planes one by one.
    """
    return re.compile(f"[{_near_ranges()}]+")


@cache
def _runs() -> re.Pattern[str]:
    return re.compile(f"[\\s\0{_near_ranges()}]{{{LONG_RUN}}}")


def _near_ranges() -> str:
    return "".join(f"\\u{first:04x}-\\u{last:04x}" for first, last in _pairs() if last < _BASIC_PLANE)


def _pairs() -> Iterator[tuple[int, int]]:
    for part in _RANGES.split():
        first, _, last = part.partition("-")
        yield int(first, 16), int(last or first, 16)


_BASIC_PLANE = 0x10000
_RANGES = """
0001-0008 000e-001b 007f-0084 0086-009f 00ad 0300-036f 0483-0489 0591-05bd 05bf 05c1-05c2 05c4-05c5
05c7-05c9 0600-0605 0610-061a 061c 064b-065f 0670 06d6-06dd 06df-06e4 06e7-06e8 06ea-06ed 070f 0711
0730-074a 07a6-07b0 07eb-07f3 07fd 0816-0819 081b-0823 0825-0827 0829-082d 0859-085b 0890-0891
0897-089f 08ca-0902 093a 093c 0941-0948 094d 0951-0957 0962-0963 0981 09bc 09c1-09c4 09cd 09e2-09e3
09fe 0a01-0a02 0a3c 0a41-0a42 0a47-0a48 0a4b-0a4d 0a51 0a70-0a71 0a75 0a81-0a82 0abc 0ac1-0ac5
0ac7-0ac8 0acd 0ae2-0ae3 0afa-0aff 0b01 0b3c 0b3f 0b41-0b44 0b4d 0b53-0b56 0b62-0b63 0b82 0bc0 0bcd
0c00 0c04 0c3c 0c3e-0c40 0c46-0c48 0c4a-0c4d 0c55-0c56 0c62-0c63 0c81 0cbc 0cbf 0cc6 0ccc-0ccd
0ce2-0ce3 0d00-0d01 0d3b-0d3c 0d41-0d44 0d4d 0d62-0d63 0d81 0dca 0dd2-0dd4 0dd6 0e31 0e34-0e3a
0e47-0e4e 0eb1 0eb4-0ebc 0ec8-0ece 0f18-0f19 0f35 0f37 0f39 0f71-0f7e 0f80-0f84 0f86-0f87 0f8d-0f97
0f99-0fbc 0fc6 102d-1030 1032-1037 1039-103a 103d-103e 1058-1059 105e-1060 1071-1074 1082 1085-1086
108d 109d 115f-1160 135d-135f 1712-1714 1732-1733 1752-1753 1772-1773 17b4-17b5 17b7-17bd 17c6
17c9-17d3 17dd 180b-180f 1885-1886 18a9 1920-1922 1927-1928 1932 1939-193b 1a17-1a18 1a1b 1a56
1a58-1a5e 1a60 1a62 1a65-1a6c 1a73-1a7c 1a7f 1ab0-1af0 1b00-1b03 1b34 1b36-1b3a 1b3c 1b42 1b6b-1b73
1b80-1b81 1ba2-1ba5 1ba8-1ba9 1bab-1bad 1be6 1be8-1be9 1bed 1bef-1bf1 1c2c-1c33 1c36-1c37 1cd0-1cd2
1cd4-1ce0 1ce2-1ce8 1ced 1cf4 1cf8-1cf9 1dc0-1dff 200b-200f 202a-202e 2060-206f 20d0-20f0 2800
2cef-2cf1 2d7f 2de0-2dff 302a-302d 3099-309a 3164 a66f-a672 a674-a67d a69e-a69f a6f0-a6f1 a802 a806
a80b a825-a826 a82c a8c4-a8c5 a8e0-a8f1 a8ff a926-a92d a947-a951 a980-a982 a9b3 a9b6-a9b9 a9bc-a9bd
a9e5 aa29-aa2e aa31-aa32 aa35-aa36 aa43 aa4c aa7c aab0 aab2-aab4 aab7-aab8 aabe-aabf aac1 aaec-aaed
aaf6 abe5 abe8 abed d800-dfff fb1e fe00-fe0f fe20-fe2f feff ffa0 fff0-fffb 101fd 102e0 10376-1037a
10a01-10a03 10a05-10a06 10a0c-10a0f 10a38-10a3a 10a3f 10ae5-10ae6 10d24-10d27 10d69-10d6d
10eab-10eac 10ecb-10ecf 10ef0-10eff 10f46-10f50 10f82-10f85 11001 11038-11046 11070 11073-11074
1107f-11081 110b3-110b6 110b9-110ba 110bd 110c2 110cd 11100-11102 11127-1112b 1112d-11134 11173
11180-11181 111b6-111be 111c9-111cc 111cf 1122f-11231 11234 11236-11237 1123e 11241 112df
112e3-112ea 11300-11301 1133b-1133c 11340 11366-1136c 11370-11374 113bb-113c0 113ce 113d0 113d2
113e1-113e2 11438-1143f 11442-11444 11446 1145e 114b3-114b8 114ba 114bf-114c0 114c2-114c3
115b2-115b5 115bc-115bd 115bf-115c0 115dc-115dd 11633-1163a 1163d 1163f-11640 116ab 116ad
116b0-116b5 116b7 1171d 1171f 11722-11725 11727-1172b 1182f-11837 11839-1183a 1193b-1193c 1193e
11943 119d4-119d7 119da-119db 119e0 11a01-11a0a 11a33-11a38 11a3b-11a3e 11a47 11a51-11a56
11a59-11a5b 11a8a-11a96 11a98-11a99 11b60 11b62-11b64 11b66 11c30-11c36 11c38-11c3d 11c3f
11c92-11ca7 11caa-11cb0 11cb2-11cb3 11cb5-11cb6 11d31-11d36 11d3a 11d3c-11d3d 11d3f-11d45 11d47
11d90-11d91 11d95 11d97 11df0 11ef3-11ef4 11f00-11f01 11f36-11f3a 11f40 11f42 11f5a 13430-13440
13447-13455 1611e-16129 1612d-1612f 16af0-16af4 16b30-16b36 16f4f 16f8f-16f92 16fe4 1bc9d-1bc9e
1bca0-1bca3 1cf00-1cf2d 1cf30-1cf46 1d127-1d128 1d167-1d169 1d173-1d182 1d185-1d18b 1d1aa-1d1ad
1d242-1d244 1d25b-1d25c 1da00-1da36 1da3b-1da6c 1da75 1da84 1da9b-1da9f 1daa1-1daaf 1e000-1e006
1e008-1e018 1e01b-1e021 1e023-1e024 1e026-1e02a 1e08f 1e130-1e136 1e2ae 1e2ec-1e2ef 1e4ec-1e4ef
1e5ee-1e5ef 1e6e3 1e6e6 1e6ee-1e6ef 1e6f5 1e8d0-1e8d6 1e944-1e94a e0000-e0fff
"""
