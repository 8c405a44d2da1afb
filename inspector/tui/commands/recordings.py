"""Keys of a recording that is looked into, and of the questions that are asked in an input."""

from functools import partial

from inspector.tui.commands.row import Command, Place, row

_play = partial(row, Place.RECORDING)
_asking = partial(row, Place.ASKING)

RECORDINGS: tuple[Command, ...] = (
    _play("play.step", "right_square_bracket", "step(1)", "step", "The next frame or note.", shown="]"),
    _play("play.back", "left_square_bracket", "step(-1)", "step back", "The one before.", shown="["),
    _play(
        "play.next-call",
        "right_curly_bracket",
        "step_call(1)",
        "next call",
        "To the next answer of a tool, which is shown.",
        shown="}",
        palette=True,
    ),
    _play(
        "play.previous-call",
        "left_curly_bracket",
        "step_call(-1)",
        "previous call",
        "To the answer of a tool before this.",
        shown="{",
        palette=True,
    ),
    _play("play.first", "less_than_sign", "ends(-1)", "start", "To the start.", shown="<", palette=True),
    _play("play.last", "greater_than_sign", "ends(1)", "end", "To the end.", shown=">", palette=True),
    _play(
        "play.toggle",
        "space",
        "play",
        "play",
        "Plays from here on, or pauses. At the end it begins anew.",
        shown="Space",
        palette=True,
    ),
    _play(
        "play.speed",
        "v",
        "speed",
        "speed",
        "Changes between pauses that are cut to half a second and real time.",
        palette=True,
    ),
    _play(
        "play.jump",
        "J",
        "jump",
        "jump",
        "To a frame by its number, or to a time.",
        palette=True,
    ),
    _play(
        "play.find",
        "ctrl+f",
        "find",
        "find",
        "Finds words in what was recorded, from here on.",
        shown="^f",
        palette=True,
    ),
    _play(
        "play.find-next",
        "ctrl+g",
        "find_again(1)",
        "find again",
        "The next place with the same words.",
        shown="^g",
    ),
    _play(
        "play.find-previous",
        "ctrl+b",
        "find_again(-1)",
        "find before",
        "The place before this with the same words.",
        shown="^b",
    ),
    _asking("asking.back", "escape", "back", "back", "Back, and nothing is done.", shown="Esc"),
)
