"""Server text and its effects if it reached a terminal. Each contains CANARY, or acts with a number of its own."""

ESC = "\x1b"
PAYLOADS = {
    "OSC 52, ended by ST": f"{ESC}]52;c;Q0FOQVJZ{ESC}\\",
    "OSC 52, ended by BEL": f"{ESC}]52;c;Q0FOQVJZ\x07",
    "OSC 8 link": f"{ESC}]8;;https://canary.test{ESC}\\CANARY{ESC}]8;;{ESC}\\",
    "OSC title": f"{ESC}]0;CANARY\x07",
    "DCS": f"{ESC}P777CANARY{ESC}\\",
    "APC": f"{ESC}_CANARY{ESC}\\",
    "PM": f"{ESC}^CANARY{ESC}\\",
    "CSI clear": f"{ESC}[777;2J",
    "CSI move": f"{ESC}[777;7H",
    "DSR": f"{ESC}[777;6n",
    "C1 CSI": "\x9b777m",
    "C1 OSC": "\x9d52;c;Q0FOQVJZ\x9c",
    "C1 DCS": "\x90777CANARY\x9c",
    "BEL and BS": "CANARY\x07\x08\x08",
    "CR VT FF": "CANARY\r\x0b\x0c",
    "NUL and DEL": "CANARY\x00\x7f",
    "right-to-left override": "CANARY\u202eYRANAC",
    "isolates": "\u2066CANARY\u2069",
    "zero width": "CAN\u200bARY\ufeff",
    "tags": "CANARY" + "".join(chr(0xE0000 + ord(letter)) for letter in "hidden"),
    "markup action": "[@click=app.quit]CANARY[/]",
    "markup error": "[/nope]CANARY[bold",
    "lone surrogate": "CANARY\ud83d",
    "line separators": "CANARY\u2028\u2029\u0085",
}
ALL = " ".join(PAYLOADS.values())
