"""The help texts of commands (examples, options by group, exit codes), and suggestions for misspelt words."""

import difflib
import sys
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeVar

import click

from inspector.cli.output import DIAGNOSTICS, at_words, columns, print_lines
from inspector.errors import ExitCode, UsageError

Value = TypeVar("Value")

_OF_CONNECTING = (ExitCode.AUTHENTICATION, ExitCode.UNREACHABLE)
_NEAR = 0.7
"""The minimum similarity, from 0 to 1, of a suggested word. In a word of four letters, one may differ."""


class WordChoice(click.Choice[Value]):
    """A choice of several words. The error for a misspelt word suggests a correct one."""

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Value:
        """The choice that `value` names. Raises UsageError."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            words = [self.normalize_choice(choice, ctx) for choice in self.choices]
            what = param.opts[0] if isinstance(param, click.Option) else param.name if param else None
            more = f"Try {ctx.command_path} --help." if ctx else ""
            hint = f"{suggestion(str(value), words)} {more}".strip()
            raise UsageError(f"{what}: {value} is none of {', '.join(words)}", hint) from error

    def normalize_choice(self, choice: object, ctx: click.Context | None) -> str:
        """The word for a choice. For a member of an enumeration, this is its value."""
        return super().normalize_choice(choice.value if isinstance(choice, StrEnum) else choice, ctx)


def suggestion(
    word: str,
    known: Iterable[str],
    *,
    template: str = "{}",
    most: int = 3,
    names: Mapping[str, str] | None = None,
) -> str:
    """` Did you mean A or B?`; empty if no known word is close. The dashes of options are not compared.

    `names`: for each known word, the word to suggest in its place.
    """
    bare = {one.lstrip("-"): one for one in known}
    near = difflib.get_close_matches(word.lstrip("-"), bare, n=most, cutoff=_NEAR)
    close = dict.fromkeys(names[bare[one]] if names else bare[one] for one in near)
    return f" Did you mean {' or '.join(template.format(one) for one in close)}?" if close else ""


class SectionedOption(click.Option):
    """An option that the help lists under the title of its group."""

    def __init__(self, *args: Any, section: str = "", **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.section = section


class FormatOption(SectionedOption):
    """The option `--format`. If `json` is one of its formats, `--json` is short for `--format json`."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        self.has_json = "json" in settings["type"].choices
        short = " --json is short for --format json." if self.has_json else ""
        super().__init__(*args, show_default=True, help=f"Format of the output.{short}", **settings)

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Add `--format`, and `--json` if `json` is one of the formats."""
        super().add_to_parser(parser, ctx)
        if self.has_json:
            parser.add_option(self, [JSON_OPTION], self.name, action="store_const", const="json")


JSON_OPTION = "--json"
"""The option that is short for `--format json`."""


class ExtraWordsError(click.UsageError):
    """The command line has more words than the command has arguments. `words`: the surplus words."""

    def __init__(self, words: Sequence[str], ctx: click.Context) -> None:
        super().__init__(f"too many words: {' '.join(words)}", ctx)
        self.words = tuple(words)


class WrappedHelp(click.Command):
    """A command whose help is wrapped at words on a terminal, including lines that click would not wrap.

    The help is written with `print_lines`, so that an error in writing it is reported as for other output.
    """

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        option = super().get_help_option(ctx)
        if option is not None:
            option.callback = _show_help
        return option

    def get_help(self, ctx: click.Context) -> str:
        text = super().get_help(ctx)
        if not sys.stdout.isatty():
            return text
        return "\n".join(row for line in text.split("\n") for row in at_words(line, columns()))


def _show_help(ctx: click.Context, option: click.Parameter, is_wanted: bool) -> None:  # noqa: FBT001 - click calls it
    _ = option
    if is_wanted and not ctx.resilient_parsing:
        print_lines(ctx.get_help().split("\n"), exactly=True)
        ctx.exit()


_OF_SERVERS = frozenset(
    {"--config", "--env", "--header", "--host", "--insecure", "--quiet", "--root", "--timeout", "--verbose"}
)


class SectionedCommand(WrappedHelp):
    """A command whose help shows examples, its options by group, and its exit codes.

    It warns if one of its options comes after `--`, because the server's command gets such an option. It
    does not warn of options that servers often have too.
    """

    def __init__(
        self,
        *args: Any,
        examples: tuple[str, ...] = (),
        exits: tuple[ExitCode, ...] = (),
        **settings: Any,
    ) -> None:
        """`exits`: the exit codes of this command, besides those that every command has."""
        super().__init__(*args, **settings)
        self.examples = examples
        connects = any("--timeout" in option.opts for option in self.params)
        common = (ExitCode.OK, ExitCode.USAGE, *(_OF_CONNECTING if connects else ()))
        self.exits = tuple(sorted({*common, *exits}))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words of the command. Raises ExtraWordsError."""
        ctx.allow_extra_args = True
        extra = super().parse_args(ctx, args)
        if extra and not ctx.resilient_parsing:
            raise ExtraWordsError(extra, ctx)
        return extra

    def invoke(self, ctx: click.Context) -> Any:
        """Warn if options of the command are among the words after `--`, then run the command."""
        # `ctx.obj` is an Invocation of `cli.start`, which imports this module and so cannot be imported here.
        words: tuple[str, ...] = getattr(ctx.obj, "command_line", None) or ()
        given = {word.partition("=")[0] for word in words}
        own = [name for each in self.get_params(ctx) for name in each.opts if name.startswith("--")]
        passed = [name for name in own if name in given and name not in _OF_SERVERS]
        if passed:
            are, them = ("are", "them") if len(passed) > 1 else ("is", "it")
            DIAGNOSTICS.say(
                f"{', '.join(passed)} {are} after --, so the server's command gets {them}. "
                f"For {ctx.command_path}, write {them} before --."
            )
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, then the command's own options, then those of each group."""
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"{'':>{formatter.current_indent}}{example}\n")
        sections: dict[str, list[tuple[str, str]]] = {"": []}
        general: list[tuple[str, str]] = []
        for option in self.get_params(ctx):
            row = option.get_help_record(ctx)
            if row is None or isinstance(option, click.Argument):
                continue
            if option.name in {"help", "quiet"}:
                general.append(row)
            else:
                sections.setdefault(getattr(option, "section", ""), []).append(row)
        sections[""] += general
        for title, rows in sections.items():
            with formatter.section(title or "Options"):
                formatter.write_dl(rows)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the exit codes."""
        _ = ctx
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code.value), code.meaning) for code in self.exits])
