"""What a server writes to stderr and stdout during a call, shortened to be shown next to the result."""

from msgspec import Struct

from inspector.pins.known_secrets import KnownSecrets
from inspector.pins.withheld import OutputMasks, SafeLines
from inspector.protocol.raised import ending_with_cause, stderr_words
from inspector.session.call_record import CallRecord


class ServerOutput(Struct, frozen=True, kw_only=True):
    """What a server wrote during a call. Untrusted text."""

    stderr: tuple[str, ...] = ()
    """The lines that the server wrote to stderr during the call."""
    stdout: str = ""
    """A text about the lines on stdout that are not messages; empty if there are none."""
    is_failed: bool = False
    """True if the call failed."""

    @property
    def is_empty(self) -> bool:
        return not (self.stderr or self.stdout)


class OutputInShort(Struct, frozen=True, kw_only=True):
    """The output of a server in short, as it is shown. Untrusted text."""

    words: tuple[str, ...] = ()
    """A text about stderr and a text about stdout; each is left out if nothing was written there."""
    cause: tuple[str, ...] = ()
    """The lines of stderr that end with the exception, if the call failed; otherwise empty."""


class OutputView(Struct, frozen=True, kw_only=True):
    """The output during one call, ready to be drawn."""

    record: CallRecord
    output: ServerOutput
    known: KnownSecrets = KnownSecrets()
    masked: OutputInShort = OutputInShort()
    sent: OutputInShort = OutputInShort()
    """The output in short, not masked."""
    warnings: tuple[str, ...] = ()


def output_masks(record: CallRecord) -> OutputMasks:
    """The masks for the output during a call. The cost is linear in the withheld values of the result."""
    secrets = record.judgement.secrets(record.policy)
    return OutputMasks(record.tool, record.arguments, record.outcome, secrets)


def output_view(
    record: CallRecord, output: ServerOutput, masks: OutputMasks, known: KnownSecrets | None = None
) -> OutputView:
    """The view of the output during a call.

    Lines are cut after masking, so that no part of a withheld value remains.

    `known`: the values that were withheld from calls of the session.
    """
    known = known or KnownSecrets()
    stderr = _masked(masks.masked(output.stderr), known)
    stdout = _masked(masks.masked((output.stdout,)), known)
    masked = ServerOutput(stderr=stderr.lines, stdout="\n".join(stdout.lines), is_failed=output.is_failed)
    return OutputView(
        record=record,
        output=output,
        known=known,
        masked=_in_short(masked),
        sent=_in_short(output),
        warnings=tuple(filter(None, (stderr.remark("stderr"), stdout.remark("stdout")))),
    )


def _masked(found: SafeLines, known: KnownSecrets) -> SafeLines:
    text = "\n".join(found.lines)
    masked = known.masked_text(text)
    return found if masked == text else SafeLines(lines=tuple(masked.split("\n")), repeats=True)


def _in_short(output: ServerOutput) -> OutputInShort:
    return OutputInShort(
        words=tuple(filter(None, (stderr_words(output.stderr), output.stdout))),
        cause=ending_with_cause(output.stderr[-_MOST_LINES:]) if output.is_failed else (),
    )


_MOST_LINES = 1_000
"""The maximum number of lines of stderr that are searched for the exception."""
