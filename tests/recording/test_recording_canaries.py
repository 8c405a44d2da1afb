"""A value that a declaration withholds is in no byte of a recording, wherever it occurs in a session."""

from zlib import crc32

import pytest

from inspector.boundary.bounded import Level
from inspector.boundary.options import BoundaryPolicy
from inspector.json.exact import JsonObject, dump, parse
from inspector.protocol.frames import Direction
from inspector.recording.codec import written as written_line
from inspector.recording.format import Lenses
from inspector.recording.scribe import Scribe, bounded_lines
from tests.proof.cases import Case, cases
from tests.proof.sinks import bounded_by, echoes_of, occurs, text_of
from tests.proof.tally import PARTS, prove
from tests.proof.templates import Encoding, written
from tests.proof.test_canaries import withheld_words
from tests.recording.sessions import KEY, Wire, scribed
from tests.recording.sessions import text_of as bytes_of

ENCODINGS = tuple(Encoding)


def is_in_no_recording(case: Case, *, is_late: bool = False) -> set[str]:
    """`is_late`: whether the recording begins with a past, in which the value came before its declaration."""
    words, outcome = case.words(0), case.sent
    bounded = bounded_by(case, outcome, Level.DECLARED)
    # A block for the user alone may be shown to the user.
    wanted = withheld_words(case, outcome, bounded, but=frozenset({"audience"}))
    values = [index for index, is_whole in wanted.items() if is_whole]
    wire = Wire()
    wire.listed(case.tool.definition if case.tool else {})
    if not is_late:
        wire.called(case.tool.name if case.tool else "tool", {})
    for index in values:
        wire.logged(["said early", *(written(words[index], encoding, index)[0] for encoding in Encoding)])
        # One text with all encodings would be found by any of them; over many cases each encoding is used.
        chosen = ENCODINGS[crc32(repr(words[index]).encode()) % len(ENCODINGS)]
        wire.stderr(written(words[index], chosen, index + 1)[0])
    if is_late:
        wire.called(case.tool.name if case.tool else "tool", {})
    answer: JsonObject = {"jsonrpc": "2.0", "id": 7, "error" if case.is_error else "result": outcome.value}  # type: ignore[union-attr]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    wire.frame(Direction.RECEIVED, dump(answer))
    for index in values:
        wire.logged({"late": [written(words[index], encoding, index + 2)[0] for encoding in Encoding]})
    lenses = Lenses(policy=case.policy)
    late = (written_line(line) for line in bounded_lines(Scribe(KEY, lenses), wire.matched))
    lines = list(late) if is_late else scribed(wire.frames, lenses)
    # The definition belongs to the server, with anything that it contains.
    text = text_of(*(parse(dump(line)).value for line in lines[2:]))
    echoed = {echo.index for echo in case.echoes}
    for index, is_whole in wanted.items():
        if index in echoed and not is_whole:
            continue
        found = occurs(words[index], echoes_of(case, index), text)
        assert not found, f"{words[index]} as {found} in {bytes_of(lines)} of {case!r}"
        if is_whole:
            for encoding in Encoding:
                spelt = written(words[index], encoding, index)[1]
                assert spelt not in text, f"{spelt} in {bytes_of(lines)} of {case!r}"
    return {"removal", "canary"} if wanted else set()


# Each case is a whole session: half as many cases as of the other invariants.
@pytest.mark.parametrize("part", PARTS[::2])
def test_a_withheld_value_is_in_no_recording(part: int) -> None:
    prove("7 canary in a recording", part, cases(echoes=True), is_in_no_recording, mostly=("canary",))


def test_a_withheld_value_is_in_no_line_before_its_result_if_the_recording_begins_later() -> None:
    def held(case: Case) -> set[str]:
        return is_in_no_recording(case, is_late=True)

    prove("7 canary in a past", PARTS[0], cases(echoes=True), held, mostly=("canary",))


def test_a_credential_that_the_policy_withholds_is_in_no_later_line_of_a_recording() -> None:
    shaped = "ghp_" + "a1B2c3D4e5F6" * 3
    text: JsonObject = {"type": "text", "text": f"log: token {shaped} (ok)"}
    answer: JsonObject = {"jsonrpc": "2.0", "id": 7, "result": {"content": [text]}}
    for policy, is_recorded in ((BoundaryPolicy(), True), (BoundaryPolicy(withhold_credentials=True), False)):
        wire = Wire()
        wire.listed({})
        wire.called("tool", {})
        wire.frame(Direction.RECEIVED, dump(answer))
        wire.logged({"late": [shaped.encode().hex(), "kept words"]})
        lines = bytes_of(scribed(wire.frames, Lenses(policy=policy)))
        assert (shaped in lines) is is_recorded
        assert (shaped.encode().hex() in lines) is is_recorded
        assert "kept words" in lines
