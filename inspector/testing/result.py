"""The result of a call in a test: what the server sent, what each host's model sees, and assertions."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

from inspector.boundary.echoes import Echoes
from inspector.boundary.error_code import error_code
from inspector.boundary.options import Level
from inspector.cli.output import WIDE_COLUMNS, OutputLine, columns
from inspector.cli.results import result_lines, value_lines
from inspector.hosts.definitions.projection import tokens
from inspector.hosts.profile import Call, Host
from inspector.hosts.projection import Projection, projection_of
from inspector.hosts.registry import host as host_of
from inspector.hosts.registry import hosts as all_hosts
from inspector.json.exact import Json
from inspector.json.pointer import join
from inspector.json.texts import texts_in
from inspector.safe_text import safe_line
from inspector.saved.call import ALL_HOSTS, Expectations
from inspector.saved.expecting import Made, failures
from inspector.session.call_record import CallRecord
from inspector.testing.covered import LEAST, Cover, cover, places_of, secret_arguments

_MOST_LINES = 400
"""The maximum number of lines of both views in a failure message."""


class ModelView:
    """The view that a host's model gets of a result."""

    __slots__ = ("_size", "changes", "host", "masked", "text", "view")

    def __init__(self, shown: Projection, host: Host, masked: Json) -> None:
        """`masked`: the view with secrets masked."""
        self._size = shown.model_bytes
        self.host = host.name
        self.view = cover(shown.context.model, masked)
        """The view in the host's own shape. Its `repr` masks secrets."""
        self.masked = _text_of(masked)
        """The view as one text, with masks in place of secrets."""
        self.text: str = cover(_text_of(shown.context.model), _text_of(masked))  # pyright: ignore[reportAttributeAccessIssue] - `cover` returns a text for a text
        """The view as one text: indented JSON, unless the host gives its model a text."""
        self.changes = tuple(safe_line(change.what) for change in shown.context.changes)
        """Sentences on the parts that the host adds, leaves out or changes."""

    @property
    def tokens(self) -> int:
        """The approximate number of tokens of the view: a quarter of its bytes."""
        return tokens(self._size)

    def __contains__(self, text: str) -> bool:
        """True if the view contains exactly this text. `assert_never_seen` also finds encoded copies."""
        return text in str(self.text)

    def __repr__(self) -> str:
        return f"<ModelView of {self.host}: about {self.tokens:,} tokens>"


class ToolResult:
    """The result of one call.

    Its values are those that the server sent; the `repr` of each secret in them is a mask.
    """

    def __init__(self, record: CallRecord, level: Level, secrets: Iterable[str] = ()) -> None:
        """`secrets`: texts to mask.

        They are secret arguments, the user's credentials, and texts that were withheld from earlier results.
        """
        self._record = record
        self._level = level
        self._named: frozenset[str] = frozenset(secrets)
        """The texts that are masked: `secrets`, and the texts that were passed to `assert_never_seen`."""

    def __repr__(self) -> str:
        return (
            f"<ToolResult of {safe_line(self.tool)!r}: {self.error or 'ok'}, {len(self.withheld):,} withheld>"
        )

    @property
    def tool(self) -> str:
        """The name of the tool."""
        return self._record.name

    @property
    def boundary(self) -> str:
        """The boundary level that decides what is withheld."""
        return self._level.value

    @property
    def duration_s(self) -> float:
        """The seconds from the call to the answer."""
        return self._record.duration_s

    @property
    def error(self) -> str | None:
        """The code of the error, such as `tool_error` or `invalid_arguments`; None if there is none."""
        judgement = self._record.judgement
        return error_code(judgement.outcome, is_listed=judgement.contract.is_listed)

    @property
    def is_error(self) -> bool:
        return self.error is not None

    @property
    def raw(self) -> Any:
        """The result as the server sent it, or `{"error": …}` if it sent an error."""
        return self._covered

    @property
    def structured(self) -> Any:
        """The member `structuredContent` of the result; None if there is none."""
        # `Any`, because a test knows the shape better than a type checker.
        sent = self._covered
        return sent.get("structuredContent") if isinstance(sent, dict) else None

    @property
    def text(self) -> str:
        """The texts of `content`, each beginning on a new line."""
        sent, masked = self._spec.raw, self._cover.sent()
        shown = cover(_content_text(sent), _content_text(masked))
        return shown if isinstance(shown, str) else ""

    @property
    def withheld(self) -> Mapping[str, str]:
        """The places that the boundary withholds, as pointers into `raw`, each with its first reason."""
        found: dict[str, str] = {}
        for removal in self._spec.bounded.removals:
            found.setdefault(removal.pointer, f"[{removal.rule}] {removal.detail}")
        return found

    def model(self, host: str = "spec") -> ModelView:
        """The view that the model of `host` gets. Raises ValueError for an unknown host.

        The host profile `spec` is that of a host that follows the MCP specification.
        """
        profile = _host(host)
        shown = self._projection(profile)
        return ModelView(shown, profile, self._cover.model(shown.context.model))

    def assert_fits_schema(self) -> None:
        """Assert that the tool has an output schema, that the call succeeded, and that the result fits the schema."""
        __tracebackhide__ = True
        self._check(self._unmet(Expectations(fits_schema=True)))

    def assert_withheld(self, *pointers: str) -> None:
        """Assert that the boundary withholds each place.

        A pointer such as `/secret` leads into the structured content; a pointer that begins with a member of
        the result, such as `/content/0`, leads into the whole result.
        """
        __tracebackhide__ = True
        self._check(self._unmet(Expectations(withheld=pointers, error=self.error or "")))

    def assert_never_seen(self, *texts: str, hosts: Literal["all"] | Iterable[str] = "all") -> None:
        """Assert that no model of `hosts` sees one of the texts, in any spelling that the boundary knows.

        A spelling may be in other case, in base64, in hexadecimal, in URL encoding, reversed, escaped, or
        with white space or invisible characters. Raises ValueError for a text of fewer than 4 characters,
        because such a text may occur by chance.
        """
        __tracebackhide__ = True
        self._check(self._seen(texts, hosts))

    def assert_meets(  # noqa: PLR0913 - one parameter for each key of a saved call's `expect`
        self,
        *,
        fits_schema: bool = False,
        equals: Mapping[str, Json] | None = None,
        contains: Sequence[str] = (),
        matches: Json = None,
        withheld: Sequence[str] = (),
        absent_for: Sequence[str] = (),
        at_most_tokens: int | None = None,
        at_most_ms: float | None = None,
        error: str = "",
    ) -> None:
        """Assert that the result meets expectations.

        Each parameter has the name and the meaning of a key in `expect` of a saved call: see
        docs/saved-calls.md.
        """
        __tracebackhide__ = True
        self._check(
            self._unmet(
                Expectations(
                    fits_schema=fits_schema,
                    equals=equals or {},
                    contains=_listed(contains),
                    matches=matches,
                    withheld=_listed(withheld),
                    absent_for=_listed(absent_for),
                    at_most_tokens=at_most_tokens,
                    at_most_ms=at_most_ms,
                    error=error,
                )
            )
        )

    def described(self, host: str = "spec") -> list[str]:
        """The server's result and the model's view side by side, with the reasons, as lines for a terminal.

        Secrets are masked.
        """
        profile = _host(host)
        shown = self._projection(profile)
        covering = self._cover
        lines = result_lines(
            covering.sent(),
            shown,
            profile.name,
            max(columns(), WIDE_COLUMNS),
            model=covering.model(shown.context.model),
            elsewhere="`raw` has it",
        )
        texts = [safe_line(_plain(line)).rstrip() for line in lines]
        more = len(texts) - _MOST_LINES
        return [*texts[:_MOST_LINES], f"… {more:,} more lines"] if more > 0 else texts

    @property
    def nonce(self) -> str:
        """The random text in the markers around untrusted text in model views, different for each call."""
        return self._record.nonce

    @property
    def _covered(self) -> Json:
        return cover(self._spec.raw, self._cover.sent())

    @cached_property
    def _spec(self) -> Projection:
        return self._projection(_host("spec"))

    @property
    def _cover(self) -> Cover:
        if self._masked is None or self._masked[0] != self._named:
            record = self._record
            schema = record.tool.input_schema if record.tool else {}
            named = self._named | secret_arguments(record.arguments, schema)
            made = Cover(record.judgement, record.policy, named)
            self._masked = (self._named, made)
        return self._masked[1]

    _masked: tuple[frozenset[str], Cover] | None = None

    def _projection(self, host: Host) -> Projection:
        record = self._record
        return projection_of(record.judgement, self._level, host, self._called, record.policy)

    @property
    def _called(self) -> Call:
        return Call(tool=self._record.name, nonce=self._record.nonce)

    def _unmet(self, expect: Expectations) -> tuple[tuple[str, ...], str]:
        """A sentence for each expectation that is not met, and the host whose view shows the failure."""
        record = self._record
        made = Made(
            judgement=record.judgement,
            duration_s=record.duration_s,
            level=self._level,
            policy=record.policy,
            host=_host("spec"),
            call=self._called,
        )
        for name in expect.absent_for:
            if name != ALL_HOSTS:
                _host(name)
        return tuple(failures(expect, made)), "spec"

    def _seen(
        self, texts: Sequence[str], hosts: Literal["all"] | Iterable[str]
    ) -> tuple[tuple[str, ...], str]:
        for text in texts:
            if len(text.strip()) < LEAST:
                raise ValueError(
                    f"a text of fewer than {LEAST} characters may occur by chance: give a longer one"
                )
        self._named |= frozenset(texts)
        names = [hosts] if isinstance(hosts, str) and hosts != "all" else hosts
        chosen = all_hosts() if names == "all" else [_host(name) for name in names]
        echoes = Echoes(texts, anywhere_from=LEAST)
        by_how: dict[str, list[str]] = {}
        for host in chosen:
            how = self._seen_by(host, echoes)
            if how:
                by_how.setdefault(how, []).append(host.name)
        reasons = [
            f"never_seen: {how}, {len(names)} host{'' if len(names) == 1 else 's'}: {', '.join(names)}"
            for how, names in by_how.items()
        ]
        if reasons:
            sent = [join(map(str, place)) for place in places_of(self._spec.raw, echoes)]
            known = self.withheld
            reasons += [
                f"it was sent at {place}: {known.get(place, 'nothing withholds it')}" for place in sent
            ]
        first = next(iter(by_how.values()), ["spec"])[0]
        return tuple(reasons), first

    def _seen_by(self, host: Host, echoes: Echoes) -> str:
        """The reason why a host's model counts as seeing a text of `echoes`, such as `a model sees it in base64`.

        Empty if it does not.
        """
        context = self._projection(host).context
        if context.model is None and not context.observed:
            return "what the model gets is not known"
        leaves, keys = set[str](), set[str]()
        texts_in(context.model, leaves, keys)
        matches = echoes.matches(leaves | keys)
        return f"a model sees it {', '.join(sorted(set(matches.values())))}" if matches else ""

    def _check(self, found: tuple[tuple[str, ...], str]) -> None:
        """Raise AssertionError if there are reasons to fail.

        `found`: these reasons, and the host whose model view the message shows beside the result.
        """
        __tracebackhide__ = True
        reasons, host = found
        if not reasons:
            return
        lines = [f"{self.tool} at the boundary {self._level}:", *(f"  ✗ {reason}" for reason in reasons), ""]
        raise AssertionError("\n".join([*map(safe_line, lines), *self.described(host)]))


def _host(name: str) -> Host:
    profile = host_of(name)
    if profile is None:
        raise ValueError(f"no host {name}; known hosts: {', '.join(each.name for each in all_hosts())}")
    return profile


def _listed(value: str | Sequence[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _text_of(model: Json) -> str:
    return model if isinstance(model, str) else "\n".join(value_lines(model))


def _content_text(result: Json) -> str:
    content = result.get("content") if isinstance(result, dict) else None
    texts = (
        [block.get("text") for block in content if isinstance(block, dict)]
        if isinstance(content, list)
        else []
    )
    return "\n".join(text for text in texts if isinstance(text, str))


def _plain(line: OutputLine) -> str:
    return line if isinstance(line, str) else "".join(piece.text for piece in line)
