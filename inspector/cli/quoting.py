"""Writes texts that servers send during a call to stderr, such as progress messages and requests.

Such a text may repeat a value that the result declares sensitive. If the tool's declarations ask to withhold
anything, the text is held back until the result arrives, and is masked as the result is.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from inspector.asks.answer import Answer
from inspector.asks.ask import Ask
from inspector.boundary.contract import contract_of
from inspector.boundary.labels import credentials_claim, is_sensitive_hint, labelling, says_yes
from inspector.boundary.mask import MASK
from inspector.boundary.options import BoundaryPolicy
from inspector.cli.output import DIAGNOSTICS
from inspector.json.exact import JsonObject
from inspector.pins.withheld import WithheldValues
from inspector.protocol.catalogue import Tool
from inspector.protocol.outcome import Failure

if TYPE_CHECKING:
    from inspector.session.live import Session

_MOST = 1_000
"""The maximum number of texts that are held back for a result. Further texts are only counted."""


def may_withhold(tool: Tool | None, policy: BoundaryPolicy) -> bool:
    """True if the declarations of a tool ask to withhold something from its results."""
    contract = contract_of(tool)
    return (
        bool(contract.fault)
        or not contract.start().harmless
        or any(is_sensitive_hint(claim) and says_yes(claim) for claim in contract.claims)
        or any(labelling(claim, policy) for claim in contract.claims)
        or credentials_claim(contract.claims, ()) is not None
    )


class Quotes:
    """Writes texts of servers to stderr, at once or when the result has arrived. It is not thread-safe."""

    def __init__(self, *, waits: bool = False) -> None:
        """`waits`: True to hold texts back until `release`, whatever the tools declare."""
        self._waits = waits
        self._left_out = 0
        self._held: list[Callable[[WithheldValues], str]] = []
        self._withheld = WithheldValues()

    def begin(self, tool: Tool | None, arguments: JsonObject, policy: BoundaryPolicy) -> None:
        """Prepare for a call of `tool`. From now on, texts are held back if `may_withhold` is true for the tool."""
        self._withheld.learn_arguments(tool, arguments)
        self._waits = may_withhold(tool, policy)

    def say(self, text: str, without: str = "") -> None:
        """Write a text of one line, safe to show, or hold it back.

        `without`: the text without the words of the server, which is written at once if `text` is held back.
        """
        if not self._waits:
            DIAGNOSTICS.say(self._withheld.masked_text(text))
            return
        if without:
            DIAGNOSTICS.say(without)
        self._hold(lambda withheld: withheld.masked_text(text))

    def say_request(self, ask: Ask, answer: Answer, lines: Callable[[Ask, Answer], list[str]]) -> None:
        """Write what a server asked for and how it was answered, or hold it back.

        `lines`: returns the lines to write. It may take seconds.
        """

        def masked(withheld: WithheldValues) -> str:
            params = withheld.masked_value(ask.params)
            key = MASK if withheld.repeats(ask.key) else ask.key
            safe = replace(ask, params=params if isinstance(params, dict) else {}, key=key)
            return "\n".join(withheld.masked_lines(lines(safe, answer)))

        if self._waits:
            self._hold(masked)
        else:
            DIAGNOSTICS.say(masked(self._withheld))

    def _hold(self, text: Callable[[WithheldValues], str]) -> None:
        if len(self._held) < _MOST:
            self._held.append(text)
        else:
            self._left_out += 1

    def release(self, session: "Session") -> None:
        """Write the texts that were held back, without the values that results of the session withhold.

        If a call whose result may withhold something has no result, only the number of texts is written.
        """
        left_out = self._left_out
        unknown = [
            call
            for call in session.calls
            if isinstance(call.outcome, Failure) and may_withhold(call.tool, call.policy)
        ]
        if unknown or not session.calls:
            left_out += len(self._held)
            self._held.clear()
        for call in session.calls if self._held else ():
            self._withheld.learn(call.tool, call.outcome, call.judgement.secrets(call.policy))
            self._withheld.learn_arguments(call.tool, call.arguments)
        for text in self._held:
            DIAGNOSTICS.say(text(self._withheld))
        self._held.clear()
        self._left_out = 0
        if left_out:
            number = f"{left_out:,} text{'' if left_out == 1 else 's'}"
            why = ": without a result, it is not known what to mask" if unknown or not session.calls else ""
            DIAGNOSTICS.say(
                f"{number} that the server sent during the call {'is' if left_out == 1 else 'are'} not shown{why}"
            )
