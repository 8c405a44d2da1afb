"""The reasons why values were withheld or changed, in sentences, and what would change that."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from inspector.boundary.bounded import Removal, Rule
from inspector.boundary.counted import COUNTED, is_delimited
from inspector.boundary.mask import SHOWN
from inspector.claims.claim import Claim, Subject
from inspector.json.exact import dump_text
from inspector.json.pointer import resolve
from inspector.protocol.catalogue import Tool
from inspector.tui.claims.pane import vocabulary_named
from inspector.tui.text import content, path, shortened

if TYPE_CHECKING:
    from inspector.hosts.profile import HostChange

_OUTPUT_SCHEMA = "/outputSchema"
_MARK = "x-sensitive"


def remedy(removal: Removal) -> str:
    """Advice on how to let a withheld value reach the model, or the reason not to.

    The text quotes pointers and keys of the server: it is untrusted.
    """
    advice = _BY_RULE.get(removal.rule)
    return advice(removal) if advice else f"Sightline has no advice for the rule `{removal.rule}`."


def _marked(removal: Removal) -> str:
    if removal.claim is None:
        where = removal.schema_pointer
        at = "of the output schema" if where is None else f"at {_OUTPUT_SCHEMA}{where}"
        return f"Correct the part {at}: a part that Sightline cannot read or resolve counts as sensitive."
    holder, _, spelling = removal.claim.pointer.rpartition("/")
    if "sensitive" not in spelling.lower():
        return f"Rewrite {removal.claim.pointer} so that Sightline can read it: an unreadable mark counts as a mark."
    return f"Remove `{spelling}` from {holder}, or return a secret reference."


def _hinted(removal: Removal) -> str:
    claim = removal.claim
    dropped = f"drop `sensitiveHint`{_at(claim)}" if claim else "drop `sensitiveHint`"
    if claim is not None and claim.subject is Subject.BLOCK:
        return f"Return a secret reference in place of the block, or {dropped}."
    return (
        f'Return the value in structured content at a position marked `"{_MARK}": false`, '
        f"return a secret reference, or {dropped}."
    )


def _referenced(removal: Removal) -> str:
    if removal.pointer.endswith("/label"):
        return "Choose `declared` to let the label pass; `closed` withholds it, because a server can write anything into it."
    return "Nothing to do, because the user fetches the secret; return the value itself only if a model may have it."


def _for_user(removal: Removal) -> str:
    claim = removal.claim
    if claim is not None and not claim.well_formed:
        return f"Write `audience`{_at(claim)} as a list of `user`, `assistant` or both."
    return f"Add `assistant` to `audience`{_at(claim)}."


def _labelled_words(removal: Removal) -> str:
    claim = removal.claim
    if claim is None:
        return "Label the result as less sensitive."
    if not claim.well_formed:
        return f"Write `{claim.key}`{_at(claim)} as {claim.vocabulary} defines it: an unreadable label counts as sensitive."
    lower = ": `public` and `internal` pass" if claim.key.endswith("resultSensitivity") else ""
    return f"Change `{claim.key}`{_at(claim)} if the result is less sensitive than that{lower}."


def _mirrored(removal: Removal) -> str:
    del removal
    return "Change what is withheld in the structured content, which this text repeats: what passes there passes here too."


def _echoed(removal: Removal) -> str:
    del removal
    return "Leave the withheld value out of this text, or remove the declaration that makes it sensitive, if it is no secret."


def _invalid(removal: Removal) -> str:
    where = removal.schema_pointer
    at = "the output schema" if where is None else f"{_OUTPUT_SCHEMA}{where}"
    return f"Return what {at} allows here, or correct the schema: a mark may miss data that the schema does not describe."


def _unknown(removal: Removal) -> str:
    del removal
    return (
        "Return a content type of the protocol, with all that it requires: "
        "`text`, `image`, `audio`, `resource_link` or `resource`."
    )


def _meta(removal: Removal) -> str:
    del removal
    return "Return it as content or structured content if a model should have it: `_meta` is for programs."


def _untrusted(removal: Removal) -> str:
    if is_delimited(removal):
        return f"Correct the claim{_at(removal.claim)} if the content is from you: then it passes without markers."
    return f"Have the policy delimit untrusted content in place of hiding it, or correct the claim{_at(removal.claim)}."


def _undeclared(removal: Removal) -> str:
    if not removal.pointer.startswith("/structuredContent") and removal.pointer.count("/") == 1:
        return "Return it inside structured content, or as a member that the output schema describes with a type."
    return (
        "Give the position a type in the output schema, under `properties`, `items` or `prefixItems`, "
        "without a mark."
    )


def _uncontracted(removal: Removal) -> str:
    if removal.detail.endswith("no output schema"):
        return "Declare an output schema, and return structured content that fits it."
    return (
        "Return it as structured content that the output schema names: `closed` withholds all other content."
    )


def _failed(removal: Removal) -> str:
    del removal
    return "Choose `declared` to let the words of an error pass: at `closed`, a model gets only one of a few fixed codes."


def _detected(removal: Removal) -> str:
    del removal
    return (
        "Leave the credential out, or return a secret reference; "
        "if it is not a credential, leave out --withhold-credentials."
    )


def _ruled(removal: Removal) -> str:
    del removal
    return "Agree when Sightline asks you, or change the rule in your policy: no boundary level lets it pass."


def _unjudged(removal: Removal) -> str:
    if not removal.pointer:
        return "Return a result that can be judged. If this one is valid, report it as a defect of Sightline."
    return "Return it as JSON and the protocol require: each key once, each member of its type."


def _unverified(_removal: Removal) -> str:
    return "Make the file and its entry in `skills/list` agree in size, digest and frontmatter."


def _unfinished(removal: Removal) -> str:
    del removal
    return "Answer the requests by the server: only the result that ends the call reaches a model."


_BY_RULE: Mapping[str, Callable[[Removal], str]] = {
    _MARK: _marked,
    "sensitive-hint": _hinted,
    "unverified": _unverified,
    "secret-reference": _referenced,
    "audience": _for_user,
    "labelled": _labelled_words,
    "mirror": _mirrored,
    "echo": _echoed,
    "invalid-output": _invalid,
    "unknown-content": _unknown,
    "meta": _meta,
    "untrusted": _untrusted,
    "undeclared": _undeclared,
    "no-contract": _uncontracted,
    "error": _failed,
    "detect": _detected,
    "policy": _ruled,
    "unfinished": _unfinished,
    "internal": _unjudged,
}


def _at(claim: Claim | None) -> str:
    """The place of a declaration, as a phrase that begins with a blank; empty if there is none."""
    if claim is None:
        return ""
    subject = "the tool's definition" if claim.subject is Subject.TOOL else "the result"
    return f" at {claim.pointer or 'the root'} of {subject}"


_LABEL = QUIET = "$foreground 70%"
"""The style of labels, and of values that are not for models."""
_NAMED = 2
"""The maximum number of places named on one line."""


def reason_words(
    sign: str, style: str, places: Sequence[str], number: int, why: str, *, whose: str = ""
) -> Content:
    """A reason with its places: `✗ content[0], content[1] and 1 more  why`. `whose`: words before the places.

    `number`: the number of values to which it applies; there may be several at one place.
    """
    named = ", ".join(path(place) for place in places[:_NAMED])
    others = number - len(places[:_NAMED])
    more = f" and {others:,} more" if others > 0 else ""
    return Content.assemble(
        (f"{sign} ", style),
        content(f"{whose}{named}{more}", style),
        "  ",
        content(shortened(why, 400)),
    )


def removal_line(first: Removal, more: int) -> Content:
    """A removal on one line: place and reason. `more`: the number of further removals at that place."""
    sign, style = removal_sign(first)
    return Content.assemble(
        (f"{sign} ", style),
        content(path(first.pointer), style),
        "  ",
        content(shortened(first.detail, 300)),
        (f" (and {more:,} more here)" if more else "", _LABEL),
    )


def removal_sign(removal: Removal) -> tuple[str, str]:
    """The sign of a removal, and its style.

    The sign is `·` for protocol metadata, `~` for text that reaches the model between markers, otherwise `✗`.
    """
    if is_delimited(removal):
        return "~", "$text-accent"
    return ("·", QUIET) if removal.rule == Rule.META else ("✗", "bold $text-error")


def removal_detail(
    removals: Sequence[Removal], more: int = 0, *, tool: Tool | None = None, reaches: bool = False
) -> Content:
    """Removals in full: place, reason, rule, the claim behind them, the part of the schema, and advice.

    `more`: the number of further removals. `tool`: the called tool. `reaches`: true at level `open`, where
    nothing is withheld.
    """
    lines = [line for removal in removals for line in _detail(removal, tool, reaches=reaches)]
    if more:
        lines.append(Content(f"… and {more:,} more"))
    return Content("\n").join(lines)


def change_line(change: "HostChange") -> Content:
    """A change by a host on one line."""
    return Content.assemble(
        ("~ ", "bold $text-accent"),
        content(path(change.pointer), "bold $text-accent"),
        "  host: ",
        content(shortened(change.what, 400)),
    )


def _detail(removal: Removal, tool: Tool | None, *, reaches: bool) -> list[Content]:
    sign, style = ("!", "bold $text-error") if reaches else removal_sign(removal)
    lead = "between markers" if is_delimited(removal) else "withheld"
    lead = "not for models" if removal.rule == Rule.META else lead
    lead = "reaches the model; `declared` withholds it" if reaches else lead
    words = COUNTED[Rule(removal.rule)] if removal.rule in _BY_RULE else ""
    lines = [
        Content.assemble((f"{sign} {lead}  ", style), content(path(removal.pointer, 400), "bold")),
        labelled("why", content(shortened(removal.detail, 1000))),
        labelled("rule", content(f"{removal.rule}: {words}" if words else removal.rule)),
        labelled("declaration", _declaration(removal)),
    ]
    part = schema_part(tool, _schema_place(removal)) if tool is not None else ""
    if part:
        lines.append(labelled("schema", content(part)))
    if removal.claim:
        lines.append(labelled("status", _status_of(removal.claim)))
    lines.append(labelled("to change it", content(shortened(remedy(removal), 1000))))
    if removal.rule not in SHOWN:
        lines.append(labelled("hosts", Content("c shows the hosts that would leak it without protection")))
    return lines


def labelled(label: str, words: Content) -> Content:
    """A line with a label and words; further rows are indented to the words."""
    return Content.assemble((f"  {label:<{LABELLED - 2}}", _LABEL), words)


LABELLED = 16
"""The width, in cells, of the label of a line that `labelled` makes, with its indentation."""


def _schema_place(removal: Removal) -> str:
    """The pointer to the part of the output schema that a removal is due to; empty if there is none."""
    claim = removal.claim
    if claim is not None and claim.subject is Subject.TOOL:
        return claim.pointer.rpartition("/")[0] if claim.pointer.startswith(_OUTPUT_SCHEMA) else ""
    return "" if removal.schema_pointer is None else f"{_OUTPUT_SCHEMA}{removal.schema_pointer}"


def schema_part(tool: Tool, pointer: str) -> str:
    """The type and the marks in a part of the output schema, such as `type string, x-sensitive true`.

    Empty if there is no such part. Defaults, examples and descriptions are left out, because they may repeat a
    withheld value.
    """
    try:
        found = resolve(tool.definition, pointer) if pointer else None
    except (LookupError, ValueError):
        return ""
    if not isinstance(found, dict):
        return ""
    kind = found.get("type")
    kinds = [each for each in (kind if isinstance(kind, list) else [kind]) if each in _TYPES]
    marks = (
        f"{key} {dump_text(value)}"
        for key, value in found.items()
        if isinstance(value, bool) and key.lower().replace("_", "-") in _MARKS
    )
    return shortened(
        ", ".join([*([f"type {' or '.join(map(str, kinds))}"] if kinds else []), *marks]), _LONGEST_PART
    )


_TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")
_MARKS = frozenset({"x-sensitive", "sensitive", "x-secret", "writeonly", "readonly"})
_LONGEST_PART = 200


def _declaration(removal: Removal) -> Content:
    claim = removal.claim
    if claim is not None:
        where = "the tool's definition" if claim.subject is Subject.TOOL else "the result"
        return Content.assemble(
            content(shortened(f"{claim.vocabulary}: {claim.key}", 120), "bold"),
            " at ",
            content(shortened(claim.pointer or "the root", 300)),
            f" of {where}",
            ""
            if claim.well_formed
            else content(f"; malformed: {shortened(claim.problem, 200)}", "$text-error"),
        )
    if removal.schema_pointer is not None:
        return Content.assemble("output schema ", content(shortened(removal.schema_pointer or "root", 300)))
    return Content.styled("none, because this rule needs no declaration", _LABEL)


def _status_of(claim: Claim) -> Content:
    """The status of a claim's vocabulary, its date, and the place where the vocabulary is defined."""
    known = vocabulary_named(claim.vocabulary)
    if known is None:
        return content(str(claim.standing))
    remark = f", {known.remark}" if known.remark else ""
    return Content.assemble(
        content(f"{claim.standing}{remark}", "bold"),
        content(f" as of {known.as_of}: {known.title}, {known.source}"),
    )
