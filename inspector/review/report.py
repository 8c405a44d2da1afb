"""The report of a review: findings, acceptances, known findings of a baseline, and parts that were not checked."""

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from inspector.json.exact import Json, JsonObject
from inspector.json.members import text_at
from inspector.pins.pins import ServerDefinitions
from inspector.protocol.catalogue import Item, Kind, unlisted
from inspector.protocol.server_requests import ServerRequest
from inspector.review.finding import Finding, Severity
from inspector.review.rule import ReviewRule


class NotChecked(Struct, frozen=True, kw_only=True):
    """A part that the review did not check."""

    what: str
    """The part that was not checked, in words. It may contain the name of a tool, which is untrusted text."""
    why: str
    is_failed_server: bool = False
    """True if the part is a whole server that could not be reviewed."""
    tool: str = ""
    """The name of a tool that was not called, if the part is the results of that tool; otherwise empty.

    Untrusted text.
    """
    target: str = ""
    """The target of the tool's server, if several servers are reviewed."""

    def masked(self, mask: Callable[[str], str]) -> "NotChecked":
        """A copy in which `mask` is applied to `what`, but not to `why`.

        `tool` becomes empty if `what` changes.
        """
        what = mask(self.what)
        return replace(self, what=what, tool=mask(self.tool) if self.tool and what == self.what else "")


def not_called(tool: str, why: str) -> NotChecked:
    """An entry for the results of a tool that was not called. `why`: the reason, as a clause."""
    return NotChecked(what=f"results of {tool}", why=why, tool=tool)


NOT_IN_SESSION = "it was not called in this session"


def grouped(parts: Iterable[NotChecked]) -> tuple[NotChecked, ...]:
    """The parts for a human reader. Uncalled tools of a server have one entry for each reason.

    These entries come last. Reports for programs have an entry for each tool.
    """
    others: list[NotChecked] = []
    uncalled: dict[tuple[str, str], list[NotChecked]] = {}
    for each in parts:
        if each.tool:
            uncalled.setdefault((each.target, each.why), []).append(each)
        else:
            others.append(each)
    return (*others, *map(_joined, uncalled.values()))


def _joined(same: Sequence[NotChecked]) -> NotChecked:
    first = same[0]
    if len(same) == 1:
        return first
    server = f"{first.target}: " if first.target else ""
    why = "" if first.why == NOT_IN_SESSION else f"; the reason for each: {first.why}"
    names = _named([each.tool for each in same], _MOST_TOOLS)
    return NotChecked(what=f"{server}{len(same):,} tools were not called", why=f"{names}{why}")


def skills_not_read(uris: Iterable[str], read: Collection[str]) -> Iterator[NotChecked]:
    """An entry for each skill whose text was not reviewed, because a review does not read skills itself.

    `read`: the handles of items that were read.
    """
    for uri in uris:
        if unlisted(Kind.SKILL, uri).handle not in read:
            why = "it was not read: sightline skill reads and verifies it"
            yield NotChecked(what=f"the text of the skill {uri}", why=why)


_READ = (Kind.RESOURCE, Kind.TEMPLATE, Kind.PROMPT)


def contents_not_read(items: Iterable[Item], read: Collection[str], why: str) -> Iterator[NotChecked]:
    """An entry that counts the resources, templates and prompts whose contents were not reviewed.

    No entry if the count is 0. `read`: the handles of the items that were read.
    """
    unread = [item.kind for item in items if item.handle not in read]
    counts = [(unread.count(kind), _NOUNS[kind]) for kind in _READ]
    named = [f"{number:,} {noun}{'' if number == 1 else 's'}" for number, noun in counts if number]
    if named:
        yield NotChecked(what=f"contents of {', '.join(named)}", why=why)


def addresses_not_visited(asks: Iterable[ServerRequest]) -> Iterator[NotChecked]:
    """An entry that counts the URLs that the server asks the user to open.

    The review checked the URLs only as texts.
    """
    number = len({url for ask in asks if (url := text_at(ask.params, "url")) is not None})
    if number:
        yield NotChecked(
            what=f"{number:,} {'address' if number == 1 else 'addresses'} that the server wants visited",
            why="Sightline fetches nothing, and does not judge whether a name imitates another",
        )


def not_recorded(
    tools: Iterable[str],
    skills: Iterable[str],
    items: Iterable[Item],
    read: Collection[str],
    *,
    until: str = "",
    lacks_values: bool,
    is_page: bool,
) -> Iterator[NotChecked]:
    """Entries for what a review of a recording does not check: what the recording, or any recording, lacks.

    `read`: the names of tools with a result, and the handles of items that were read. `until`: the part of the
    recording that is not reviewed, in words. `lacks_values`: whether values of the reviewed results were left out.
    """
    up_to = " up to this position" if until else ""
    for tool in tools:
        if tool not in read:
            yield not_called(tool, f"the recording has no call of this tool{up_to}")
    yield from skills_not_read(skills, read)
    yield from contents_not_read(items, read, f"the recording does not contain their contents{up_to}")
    if lacks_values:
        yield NotChecked(
            what="withheld values",
            why="a recording has neither these values nor the redeem URLs of secret references",
        )
    if is_page:
        yield NotChecked(what="changes", why="the lists of tools of a page are not compared with each other")
    else:
        yield NotChecked(
            what="definitions that depend on the client's name",
            why="a recording holds only the definitions that one client name got",
        )
    yield NotChecked(
        what="changes since pinned",
        why="a recording is not compared with pinned definitions: sightline diff compares it with a pin",
    )
    yield other_arguments("the recorded results")


def other_arguments(checked: str) -> NotChecked:
    """An entry for the results of other calls. `checked`: the results that were checked, in words."""
    why = f"only {checked} are checked; other results, and answers to arguments that the schema forbids, may differ"
    return NotChecked(what="other arguments", why=why)


def not_compared_with_pin(pinned: ServerDefinitions | None) -> Iterator[NotChecked]:
    """Entries for definitions that were not compared with the pin.

    `pinned`: the pinned definitions; None if nothing is pinned.
    """
    if pinned is None:
        yield NotChecked(what="changes since pinned", why="nothing is pinned: see sightline pin")
    elif pinned.items is None:
        yield NotChecked(
            what="changes to resources, templates, prompts and skills since the pin",
            why="the pin was made by an earlier version and has only tools: pin again",
        )


def listed_once(how: str) -> NotChecked:
    """An entry for changes of definitions, which one listing cannot show.

    `how`: words that follow “the definitions were listed once”.
    """
    return NotChecked(what="changes", why=f"the definitions were listed once{how}")


def other_servers(compared: Sequence[str] = (), unlisted: Sequence[str] = ()) -> NotChecked:
    """An entry for the servers whose tools were not compared with those of this server.

    `compared`: the names of the servers whose tools were compared. `unlisted`: the names of servers that the
    user named, but that have listed no tools.
    """
    if not compared and not unlisted:
        why = "names were compared within this server only: give several targets"
    elif not compared:
        why = (
            f"names were compared within this server only, because no tools are listed by {_named(unlisted)}"
        )
    else:
        why = f"names were compared only with {_named(compared)}"
        why += f"; no tools are listed by {_named(unlisted)}" if unlisted else ""
    return NotChecked(what="other servers", why=why)


def _named(names: Sequence[str], most: int = 5) -> str:
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown


_MOST_TOOLS = 20
NEVER_CHECKED = (
    NotChecked(
        what="redemption",
        why="a review redeems no secret references, so it is not known whether one can be redeemed twice, or whether caches may keep the answer",
    ),
    NotChecked(
        what="what the tools do",
        why="declarations are compared with each other, with names and with results, not with the server's code",
    ),
)
"""The parts that no review checks."""
_NOUNS = {Kind.RESOURCE: "resource", Kind.TEMPLATE: "template", Kind.PROMPT: "prompt"}


class Acceptance(Struct, frozen=True, kw_only=True):
    """A rule that the user accepts, for all tools or for one."""

    id: str
    name: str | None
    """The name of the subject for which the rule is accepted; None for all subjects. Untrusted text."""
    reason: str = ""

    def covers(self, finding: Finding) -> bool:
        return finding.id == self.id and self.name in {None, finding.name}


class ReportEntry(Struct, frozen=True, kw_only=True):
    """A finding with its status in a report: open, known, or accepted."""

    finding: Finding
    fingerprint: str
    known: bool = False
    """True if the baseline contains the finding."""
    acceptance: Acceptance | None = None
    call: int = 0
    """The number of the call whose result the finding is about, in a running review; otherwise 0."""

    @property
    def counts(self) -> bool:
        return not self.known and self.acceptance is None


class ReviewedServer(Struct, frozen=True, kw_only=True):
    """A reviewed server. Everything except the target is untrusted text."""

    target: str
    """The target as the user wrote it."""
    name: str
    version: str
    protocol: str
    """The protocol revision."""
    tools: tuple[str, ...]
    """The names of all tools, in wire order."""
    called: int = 0
    """The number of calls that were made, or that the recording holds."""
    repetition: str = ""
    """The phrase of `calling.repetition` about tools that were called again; empty if there are none."""
    file: str = ""
    """The relative path of a file of the server in the working folder; empty if unknown."""
    address: str = ""
    """The command or URL, if `target` is the name of an entry of a configuration; otherwise empty."""
    folder: str = ""
    """The name of the folder in which the command ran, without its parents; empty if there is none."""
    definitions: str = ""
    """The fingerprint of the definitions, as in a pin; empty if not all of them are known."""


class Report(Struct, frozen=True, kw_only=True):
    """The report of a review. The server's texts in it are untrusted."""

    target: str
    server: str
    version: str
    """The version of the server."""
    protocol: str
    """The protocol revision."""
    tools: tuple[str, ...]
    """The names of all tools, in wire order."""
    entries: tuple[ReportEntry, ...]
    """The findings, sorted by severity, worst first."""
    not_checked: tuple[NotChecked, ...]
    rules: tuple[ReviewRule, ...]
    """The rules that were applied."""
    called: int = 0
    """The number of calls that were made, or that the recording holds."""
    repetition: str = ""
    """The phrase of `calling.repetition` about tools that were called again; empty if there are none."""
    reviewed_by: str = ""
    """The name and version of Sightline."""
    reviewed_at: str = ""
    """The time of the review, as RFC 3339 in UTC; empty to leave it out."""
    file: str = ""
    """The relative path of a file of the server in the working folder; empty if unknown."""
    folder: str = ""
    """The name of the folder in which the command ran, without its parents; empty if there is none."""
    definitions: str = ""
    servers: tuple[ReviewedServer, ...] | None = None
    """The reviewed servers, if several were named; otherwise None.

    If it is not None, the other fields cover all servers, and `server`, `version` and `protocol` are empty.
    """

    @property
    def parts(self) -> tuple[ReviewedServer, ...]:
        """The reviewed servers. Empty if several were named and none of them could be reviewed."""
        if self.servers is not None:
            return self.servers
        return (
            ReviewedServer(
                target=self.target,
                name=self.server,
                version=self.version,
                protocol=self.protocol,
                tools=self.tools,
                called=self.called,
                repetition=self.repetition,
                file=self.file,
                folder=self.folder,
                definitions=self.definitions,
            ),
        )

    @property
    def has_several(self) -> bool:
        """True if several servers were named, even if not all could be reviewed."""
        return self.servers is not None

    @property
    def failed_servers(self) -> tuple[NotChecked, ...]:
        return tuple(each for each in self.not_checked if each.is_failed_server)

    def of(self, part: ReviewedServer) -> tuple[ReportEntry, ...]:
        """The entries about one of `parts`."""
        target = part.target if self.has_several else ""
        return tuple(entry for entry in self.entries if entry.finding.target == target)

    def groups(self, part: ReviewedServer | None = None) -> tuple[tuple[ReportEntry, ...], ...]:
        """The entries, or those about `part`, in groups. Each group is one finding at one or more places.

        The entries of a group may differ in their evidence. Groups are in the order of their first entries.
        """
        found: dict[tuple[object, ...], list[ReportEntry]] = {}
        for entry in self.entries if part is None else self.of(part):
            finding = entry.finding
            key = (finding.id, finding.severity, finding.confidence, finding.message, finding.target)
            found.setdefault((*key, entry.known, entry.acceptance), []).append(entry)
        return tuple(map(tuple, found.values()))

    def counted(self) -> Mapping[Severity, int]:
        """The number of findings per severity, worst first. Known and accepted findings are left out."""
        return {
            severity: sum(1 for entry in self.entries if entry.counts and entry.finding.severity is severity)
            for severity in reversed(Severity)
        }

    def failing(self, at: Severity) -> int:
        """The number of findings of severity `at` or worse that are neither known nor accepted."""
        return sum(entry.counts and entry.finding.severity.rank >= at.rank for entry in self.entries)

    def failing_words(self, at: Severity) -> str:
        """The result of `failing` as a clause, such as `2 findings are high or above`."""
        number = self.failing(at)
        above = "" if at is Severity.CRITICAL else " or above"
        return f"{number:,} finding{' is' if number == 1 else 's are'} {at}{above}"

    def rule(self, identifier: str) -> ReviewRule | None:
        return next((rule for rule in self.rules if rule.id == identifier), None)


def fingerprint(finding: Finding) -> str:
    """An id of a finding that is stable across reviews: 32 hexadecimal digits of SHA-256.

    It depends only on the rule and the place, so it stays the same if the server's text changes.
    """
    place = f"{finding.id}\0{finding.subject.value}\0{finding.name}\0{finding.pointer}"
    if finding.target:
        place += f"\0{finding.target}"
    return hashlib.sha256(place.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def counted_words(entries: Iterable[ReportEntry]) -> str:
    """A summary such as `4 findings: 2 high, 2 low; 1 accepted`. Known and accepted findings are counted apart."""
    numbers = Counter(_counted_as(entry) for entry in entries)
    severities = [severity.value for severity in reversed(Severity) if numbers[severity.value]]
    total = sum(numbers[severity] for severity in severities)
    words = f"{total:,} {'finding' if total == 1 else 'findings'}: " if total else "No findings"
    words += ", ".join(f"{numbers[severity]:,} {severity}" for severity in severities)
    return "; ".join(
        (words, *(f"{numbers[kind]:,} {kind}" for kind in ("accepted", "known") if numbers[kind]))
    )


def _counted_as(entry: ReportEntry) -> str:
    if entry.counts:
        return entry.finding.severity.value
    return "accepted" if entry.acceptance else "known"


def entries_of(
    findings: Iterable[Finding], *, known: frozenset[str], accepted: Iterable[Acceptance]
) -> tuple[ReportEntry, ...]:
    """The findings as entries of a report. `known`: the fingerprints of a baseline.

    Several findings in one place stay separate. If several calls have findings in one place, only those about
    the last of these calls are kept, with the numbers of all these calls.
    """
    given = tuple(accepted)
    found: list[ReportEntry] = []
    marked = [(fingerprint(finding), finding) for finding in findings]
    calls: dict[str, set[int]] = {}
    for mark, finding in marked:
        calls.setdefault(mark, set()).add(finding.call)
    for mark, finding in marked:
        same = sorted(calls[mark])
        if finding.call != same[-1]:
            continue
        if len(same) > 1:
            finding = replace(finding, calls=tuple(same))  # noqa: PLW2901 - the finding of all these calls
        acceptance = next((each for each in given if each.covers(finding)), None)
        found.append(
            ReportEntry(finding=finding, fingerprint=mark, known=mark in known, acceptance=acceptance)
        )
    return tuple(found)


def entry_shape(entry: ReportEntry) -> JsonObject:
    """An entry as JSON, as in the member `findings` of a report."""
    finding = entry.finding
    shape: JsonObject = {
        "id": finding.id,
        "severity": finding.severity.value,
        "confidence": finding.confidence.value,
        "subject": finding.subject.value,
        "tool": finding.name if finding.subject.value in {"tool", "call"} else None,
        "name": finding.name or None,
        "pointer": finding.pointer,
        "message": finding.message,
        "evidence": finding.evidence or None,
        "fingerprint": entry.fingerprint,
    }
    if finding.call:
        shape["call"] = finding.call
    if finding.calls:
        shape["calls"] = [*finding.calls]
    if finding.target:
        shape["target"] = finding.target
    if entry.known:
        shape["known"] = True
    if entry.acceptance:
        shape["accepted"] = entry.acceptance.reason or True
    return shape


def report_shape(report: Report) -> JsonObject:
    """The report as JSON, which docs/review.md describes."""
    return {
        "reviewedBy": report.reviewed_by,
        **({"reviewedAt": report.reviewed_at} if report.reviewed_at else {}),
        "target": report.target,
        **_servers_shape(report),
        "tools": len(report.tools),
        "calls": report.called,
        "counts": {severity.value: number for severity, number in report.counted().items()},
        "findings": [entry_shape(entry) for entry in report.entries],
        "notChecked": [
            {"what": each.what, "why": each.why, **({"failed": True} if each.is_failed_server else {})}
            for each in report.not_checked
        ],
    }


def _servers_shape(report: Report) -> JsonObject:
    """The member `server`, or `servers` if there are several."""
    if report.servers is None:
        return {"server": _identity(report.parts[0])}
    return {
        "servers": [
            {
                "target": part.target,
                **({"address": part.address} if part.address else {}),
                **_identity(part),
                "tools": len(part.tools),
                "calls": part.called,
            }
            for part in report.servers
        ]
    }


def _identity(part: ReviewedServer) -> JsonObject:
    return {
        "name": part.name,
        "version": part.version,
        "protocolVersion": part.protocol,
        **({"folder": part.folder} if part.folder else {}),
        **({"definitions": part.definitions} if part.definitions else {}),
    }


def baseline_of(report: Json) -> frozenset[str] | None:
    """The fingerprints in a JSON report; None if the value is not a report."""
    findings = report.get("findings") if isinstance(report, dict) else None
    if not isinstance(findings, list):
        return None
    marks = [finding.get("fingerprint") if isinstance(finding, dict) else None for finding in findings]
    known = [mark for mark in marks if isinstance(mark, str)]
    return frozenset(known) if len(known) == len(marks) else None


def without_credentials(report: Report, mask: Callable[[str], str]) -> Report:
    """A copy of the report, with the user's credentials masked.

    Fingerprints are those of the original texts.
    """
    return replace(
        report,
        server=mask(report.server),
        version=mask(report.version),
        tools=tuple(map(mask, report.tools)),
        entries=tuple(replace(entry, finding=_shown(entry.finding, mask)) for entry in report.entries),
        not_checked=tuple(replace(one.masked(mask), why=mask(one.why)) for one in report.not_checked),
        servers=None
        if report.servers is None
        else tuple(
            replace(one, name=mask(one.name), version=mask(one.version), tools=tuple(map(mask, one.tools)))
            for one in report.servers
        ),
    )


def _shown(finding: Finding, mask: Callable[[str], str]) -> Finding:
    return replace(
        finding,
        name=mask(finding.name),
        pointer=mask(finding.pointer),
        message=mask(finding.message),
        evidence=mask(finding.evidence),
    )
