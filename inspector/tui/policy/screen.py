"""The Policy screen: the rules that decide on calls, each with what it does and when."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from inspector.policy.rules import Effect, Policy, PolicyRule, condition_text
from inspector.tui.keys.command import KeyPlace
from inspector.tui.keys.table import bindings
from inspector.tui.text import content, count, cut_in_the_middle, shortened
from inspector.tui.widgets.lines import Lines
from inspector.tui.widgets.plain_text import PlainText
from inspector.tui.widgets.secondary import QUIET, Detail, DrawnLines, Keys, SecondaryScreen

_INTRODUCTION = (
    "Rules decide on every call before it is sent, and on its answer. block comes before confirm, and confirm before "
    "allow. If no rule matches, the call is made. With every policy, Sightline also asks before it calls a tool whose "
    "definition has changed since it was pinned or first listed. --policy FILE takes another policy; sightline policy "
    "check lists its rules, and sightline policy explain TOOL says what it decides."
)
_LONGEST = 4_000
"""The maximum length of a condition that is shown, in characters."""
_NAME_WIDTH = 24
_BEFORE = {
    Effect.ALLOW: "makes the call",
    Effect.CONFIRM: "asks you before the call",
    Effect.BLOCK: "does not make the call",
}
_AFTER = {
    Effect.ALLOW: "passes the answer",
    Effect.CONFIRM: "asks you before a model gets the answer",
    Effect.BLOCK: "withholds the answer",
    Effect.WARN: "shows a message about the answer",
    Effect.WITHHOLD: "withholds the answer",
    Effect.HIDE_UNTRUSTED: "hides what the answer declares untrusted",
}
"""What a rule does with an answer, by its effect."""


class PolicyScreen(SecondaryScreen[None], inherit_bindings=False):
    """Lists the rules in their order. The rule under the cursor is shown in full below."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(KeyPlace.POLICY)
    NAME = "Policy"
    KEYS: ClassVar[Keys] = (("policy.back", ""), ("app.next", ""), ("app.quit", ""), ("app.help", ""))

    def __init__(self, policy: Policy, source: str, doubts: tuple[str, ...] = ()) -> None:
        """`source`: the file of the policy; empty for the built-in policy. Untrusted text.

        `doubts`: a sentence for each probable mistake in the policy.
        """
        super().__init__()
        name = content(cut_in_the_middle(source, 120) or "the built-in policy")
        self.entitle(Content.assemble(name, f"  {count(len(policy.rules), 'rule')}"))
        self._rules = policy.rules
        self._introduction = Content("\n").join(
            (Content(_INTRODUCTION), *(content(shortened(each, 400), "$text-warning") for each in doubts))
        )
        self._lines = DrawnLines("policy-rules", self._draw)
        self._rule = Detail("policy-rule")

    def body(self) -> ComposeResult:
        yield PlainText(self._introduction, id="policy-introduction")
        yield self._lines
        yield self._rule

    def on_mount(self) -> None:
        self._lines.show_rows(max(len(self._rules), 1))
        self._lines.focus()
        self._explain()

    @on(Lines.Moved)
    @on(Lines.Chosen)
    def follow(self, event: Lines.Moved | Lines.Chosen) -> None:
        event.stop()
        self._explain()

    def _explain(self) -> None:
        self._rule.display = bool(self._rules)
        if self._rules:
            self._rule.show(_in_full(self._rules[self._lines.cursor]))

    def _draw(self, index: int, width: int, here: bool) -> Content:  # noqa: FBT001 - as the list calls it
        del width
        if not self._rules:
            return Content.styled("  No rules: every call is allowed.", QUIET)
        rule = self._rules[index]
        name = cut_in_the_middle(rule.name, _NAME_WIDTH).ljust(_NAME_WIDTH)
        return Content.assemble(
            "▸ " if here else "  ",
            content(name, "bold"),
            f"  {rule.effect.value:<14}  ",
            (_done(rule), QUIET),
        )


def _done(rule: PolicyRule) -> str:
    return (_AFTER if rule.is_after else _BEFORE)[rule.effect]


def _in_full(rule: PolicyRule) -> Content:
    reason = f"Reason: {shortened(rule.reason, _LONGEST)}" if rule.reason else ""
    return Content("\n").join(
        (
            Content.assemble(
                content(shortened(rule.name, 200), "bold"), f": {rule.effect.value}, {_done(rule)}, if"
            ),
            content(shortened(condition_text(rule.condition), _LONGEST)),
            *([content(reason, QUIET)] if reason else []),
        )
    )
