"""`sightline claims`: the vocabularies, sets of keys for declarations, that Sightline reads."""

import click

from inspector.claims.claim import Vocabulary
from inspector.claims.registry import vocabularies
from inspector.cli.help import SectionedCommand, suggestion
from inspector.cli.options import format_option
from inspector.cli.output import columns, print_json, print_lines, table
from inspector.errors import ExitCode, UsageError
from inspector.json.exact import JsonObject


@click.command(cls=SectionedCommand, examples=("sightline claims", "sightline claims mcp"))
@click.argument("name", required=False)
@format_option("text", "json")
def command(*, name: str | None, format_: str) -> int:
    """List the vocabularies of declarations, or the keys of the one called NAME."""
    chosen = [vocabulary for vocabulary in vocabularies() if name in {None, vocabulary.name}]
    if not chosen:
        known = [vocabulary.name for vocabulary in vocabularies()]
        hint = f"Known vocabularies: {', '.join(known)}.{suggestion(str(name), known)}"
        raise UsageError(f"no vocabulary {name}", hint)
    if format_ == "json":
        print_json({"vocabularies": [_shape(vocabulary) for vocabulary in chosen]})
    elif name is None:
        rows = [("VOCABULARY", "STATUS", "AS OF", "KEYS", "WHERE ON THE WIRE")]
        rows += [(v.name, v.standing.value, v.as_of, str(len(v.keys)), v.where) for v in chosen]
        print_lines(table(rows, columns()))
    else:
        print_lines(_text(chosen[0]))
    return ExitCode.OK


def _text(vocabulary: Vocabulary) -> list[str]:
    lines = [
        f"{vocabulary.name} — {vocabulary.title}",
        f"status: {vocabulary.standing.value} (as of {vocabulary.as_of})",
        f"source: {vocabulary.source}",
        f"where: {vocabulary.where}",
    ]
    for key in vocabulary.keys:
        default = f", default {key.default}" if key.default else ""
        lines += ["", f"{key.name} ({key.type}{default})", f"  {key.meaning}", f"  effect: {key.effect}"]
    return lines


def _shape(vocabulary: Vocabulary) -> JsonObject:
    return {
        "name": vocabulary.name,
        "title": vocabulary.title,
        "standing": vocabulary.standing.value,
        "asOf": vocabulary.as_of,
        "source": vocabulary.source,
        "where": vocabulary.where,
        "keys": [
            {"name": k.name, "type": k.type, "default": k.default, "meaning": k.meaning, "effect": k.effect}
            for k in vocabulary.keys
        ],
    }
