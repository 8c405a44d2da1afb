"""The progress of a running call, in words and as a bar."""

from time import monotonic

from textual.content import Content

from inspector.session.call_record import AGAIN, FILLED, LEAST_S, VISITING, Progress
from inspector.tui.text import content, duration, shortened

_BAR = 12


_VERBS = {
    "resources/read": "reading",
    "resources/templates": "reading",
    "resources": "reading",
    "prompts/get": "getting",
    "prompts": "getting",
}


def running_words(title: str) -> str:
    """The words for a running call: `calling mint`, `reading demo://note`, `getting summary`.

    `title`: the title of the call. The words are untrusted text.
    """
    what, _, name = title.partition(" ")
    return f"{_VERBS[what]} {name}" if name and what in _VERBS else f"calling {title}"


def progress_line(words: str, elapsed_s: float, progress: Progress | None) -> Content:
    """A line such as `calling echo  3.20 s  Esc cancels  ███░░░ 3 of 10: copying`.

    `words` and the message of `progress` are untrusted text.
    """
    verb, _, name = words.partition(" ")
    parts = [
        Content.assemble((f"{verb} ", "$text-warning"), content(shortened(name, 60), "bold")),
        Content(duration(elapsed_s)),
        Content.assemble(("Esc", "bold $text-accent"), " cancels"),
    ]
    if progress is FILLED:
        parts.append(Content.assemble(f"{FILLED.message}: ", ("F", "bold $text-accent"), " submits the form"))
    elif progress is VISITING:
        parts.append(Content.styled(VISITING.message or "", "$text-warning"))
    elif progress is not None and progress.task:
        parts.append(_task(progress))
    elif progress is not None and progress is not AGAIN:
        parts.append(_far(progress))
    return Content("  ").join(parts)


def held_line(name: str) -> Content:
    """The line about a call while a dialog asks about it, or says that it is blocked."""
    return Content.assemble(
        content(shortened(name, 40), "bold"),
        (" is on hold; nothing was sent", "$text-warning"),
    )


def asked_line(name: str) -> Content:
    """The line about a running call whose server asks the user something. The call's timeout is paused."""
    return Content.assemble(
        content(shortened(name, 40), "bold"),
        (" waits for your answer to the server", "$text-warning"),
    )


def waiting_note(words: str, elapsed_s: float, progress: Progress | None, timeout_s: float) -> Content:
    """The progress line, and how long Sightline waits for the call. It is shown in place of the result."""
    if progress is VISITING:
        limit = f"Waits up to {duration(timeout_s)} for you to visit the address, then calls again."
    elif progress is not None and progress.task:
        limit = f"Waits as long as the server keeps the task, at least {LEAST_S / 3600:g} h; each request about the task times out after {duration(timeout_s)}."
    else:
        limit = f"Times out after {duration(timeout_s)} without progress."
    return Content.assemble(
        progress_line(words, elapsed_s, progress),
        (
            f"\n\n{limit} Logs and progress are in the timeline.",
            "$foreground 70%",
        ),
    )


def _far(progress: Progress) -> Content:
    done = f"{progress.progress:g}" + (f" of {progress.total:g}" if progress.total is not None else "")
    message = content(shortened(f": {progress.message}", 120)) if progress.message else Content("")
    return Content.assemble(_bar(progress), done, message)


def _task(progress: Progress) -> Content:
    """The progress of a call that the server runs as a task.

    For example `task working: Gathering sources  asks again in 0.8 s`.
    """
    message = shortened(f": {progress.message}", 120) if progress.message else ""
    left_s = max(progress.next_s - monotonic(), 0.0)
    return Content.assemble(
        ("task ", "$foreground 70%"),
        content(shortened(progress.task, 40)),
        content(message),
        (f"  asks again in {left_s:.1f} s", "$foreground 70%"),
    )


def _bar(progress: Progress) -> str:
    # A server may send NaN, a negative number, or more than the total.
    if progress.total is None or not progress.total > 0 or not progress.progress >= 0:
        return ""
    filled = int(_BAR * min(progress.progress / progress.total, 1.0))
    return "█" * filled + "░" * (_BAR - filled) + " "
