"""`sightline skill NAME … TARGET`: reads and verifies a file of a skill, or lists the skill's files."""

import click

from inspector.cli.commands.call import CallArguments, CallOptions, called
from inspector.cli.help import SectionedCommand
from inspector.cli.options import LENS, quiet_option, takes
from inspector.cli.output import columns, print_json, print_lines, table
from inspector.cli.start import Invocation, check_named, in_session, launch_of, listing_hint, target_of
from inspector.errors import ExitCode, ToolFailedError, UsageError
from inspector.json.exact import Json
from inspector.protocol.catalogue import Item, Kind, Tool, unlisted
from inspector.protocol.skills import manifest_of, root_of
from inspector.safe_text import safe_line
from inspector.session.live import Session
from inspector.session.skills import FolderView, folder_of, get_skill


@click.command(
    cls=SectionedCommand,
    exits=(ExitCode.TOOL_FAILED, ExitCode.STOPPED),
    examples=(
        "sightline skill pdf-processing --file references/FORMS.md -- node server.js",
        "sightline skill skill://pdf-processing/SKILL.md --files https://host/mcp",
    ),
)
@click.argument("name")
@click.argument("target", required=False)
@click.option("--file", "file", metavar="PATH", help="Read this file of the skill instead of its SKILL.md.")
@click.option(
    "--files",
    is_flag=True,
    help="List the files of the skill, or of the folder that --file names, without reading them.",
)
@quiet_option
@takes("call", CallArguments, "meta")
@takes("options", CallOptions)
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    name: str,
    target: str | None,
    file: str | None,
    files: bool,
    call: CallArguments,
    options: CallOptions,
) -> int:
    """Read the SKILL.md of the skill NAME of TARGET and print what the server sent beside what the model sees.

    NAME is the name of a listed skill, or the URI of any skill. What differs from the entry of the skill in
    size, digest or frontmatter is withheld from the model at every boundary level.
    """
    check_named("skill", name, target, options.connection)
    if not files:

        async def choose(session: Session) -> tuple[str, Tool]:
            return _file(await _skill(session, name), file).as_call

        return called(invocation, target, choose, call, options)
    if options.recording.path is None:
        options.lens.refuse(LENS, "does not work with --files")
    chosen = target_of(target, options.connection, invocation.command_line)
    launch = launch_of(chosen, options.connection, lens=options.lens, recording=options.recording)

    async def work(session: Session) -> FolderView:
        await session.list_all()
        return await folder_of(session, await _skill(session, name), file or "")

    view = in_session(launch, work)
    if options.output.as_json:
        print_json(_shape(view))
    else:
        print_lines(_lines(view))
    return ExitCode.OK


async def _skill(session: Session, name: str) -> Item:
    """The skill with this name or URI. Raises UsageError or ToolFailedError."""
    listed = session.catalogue.items(Kind.SKILL)
    found = [skill for skill in listed if name in {skill.name, skill.title}]
    if len(found) == 1:
        return found[0]
    if found:
        uris = " or ".join(skill.name for skill in found)
        raise UsageError(f"{len(found)} skills are named {name}", f"Name one by its URI: {uris}.")
    if ":" in name:
        return await get_skill(session, name)
    names = [*dict.fromkeys(skill.title or skill.name for skill in listed)]
    raise ToolFailedError(f"the server lists no skill {name}", listing_hint(name, names))


def _file(skill: Item, path: str | None) -> Item:
    """A file of a skill by its path. Raises ToolFailedError if the skill's entry does not list it."""
    if path is None:
        return skill
    uri = f"{root_of(skill.name) or skill.name}/{path}"
    manifest = manifest_of(skill.definition)
    if not manifest.is_dynamic and not manifest.fault and uri not in manifest.files:
        raise ToolFailedError(
            f"the skill has no file {path}",
            "--files lists its files. Sightline reads only files that the entry of the skill lists.",
        )
    return unlisted(Kind.RESOURCE, uri)


def _shape(view: FolderView) -> Json:
    return {
        "skill": view.skill,
        "folder": view.folder,
        "dynamic": view.is_dynamic,
        "fault": view.fault or None,
        "asked": view.is_asked,
        "files": [
            {
                "uri": file.uri,
                "isFolder": file.is_folder,
                "size": file.size,
                "digest": file.digest or None,
                "problem": file.problem or None,
            }
            for file in view.files
        ],
    }


def _lines(view: FolderView) -> list[str]:
    rows = [("FILE", "BYTES", "SHA-256", "")]
    rows += [
        (
            safe_line(file.uri.removeprefix(f"{view.folder}/")) + ("/" if file.is_folder else ""),
            "-" if file.size is None else f"{file.size:,}",
            file.digest.removeprefix("sha256:")[:12] or "-",
            file.problem,
        )
        for file in view.files
    ]
    asked = (
        "" if view.is_asked else " (from the entry of the skill, because the server does not list folders)"
    )
    return [
        f"{safe_line(view.folder)}{asked}",
        *([view.fault] if view.fault else []),
        *(
            ["dynamic: the entry has no digests, so the content cannot be verified"]
            if view.is_dynamic
            else []
        ),
        *(table(rows, columns()) if view.files else ["No files."]),
    ]
