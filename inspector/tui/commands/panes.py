"""Keys of the parts of a screen: lists, forms, results."""

from functools import partial

from inspector.tui.commands.row import Command, Place, row

_form = partial(row, Place.FORM)
_choice = partial(row, Place.CHOICE)
_lines = partial(row, Place.LINES)
_result = partial(row, Place.RESULT)
_definition = partial(row, Place.DEFINITION)

PANES: tuple[Command, ...] = (
    _form(
        "form.call", "enter", "submit", "call", "Calls the tool, if the arguments are valid.", shown="Enter"
    ),
    _choice("choice.next", "right,space", "step(1)", "next", "The next value; typing finds one.", shown="→"),
    _choice("choice.previous", "left", "step(-1)", "previous", "The previous value.", shown="←"),
    _choice("choice.none", "backspace,delete", "unset", "leave out", "Leaves the argument out.", shown="⌫"),
    _lines("lines.down", "j,down", "move(1)", "down", "One line down.", shown="j ↓"),
    _lines("lines.up", "k,up", "move(-1)", "up", "One line up.", shown="k ↑"),
    _lines("lines.first", "g,home", "first", "first", "To the first line.", shown="g"),
    _lines("lines.last", "G,end", "last", "last", "To the last line.", shown="G"),
    _lines("lines.page-down", "pagedown,ctrl+d", "page(1)", "page down", "One page down.", shown="PgDn"),
    _lines("lines.page-up", "pageup,ctrl+u", "page(-1)", "page up", "One page up.", shown="PgUp"),
    _lines("lines.left", "left", "slide(-8)", "left", "Scrolls long lines to the left.", shown="←"),
    _lines("lines.right", "right", "slide(8)", "right", "Scrolls long lines to the right.", shown="→"),
    _lines("lines.choose", "enter", "choose", "open", "Opens what the line stands for.", shown="Enter"),
    _result(
        "result.next", "n", "removal(1)", "next difference", "To the next part that was withheld or changed."
    ),
    _result(
        "result.previous",
        "N",
        "removal(-1)",
        "previous difference",
        "To the previous part that was withheld or changed.",
    ),
    _definition(
        "definition.next",
        "n",
        "difference(1)",
        "next difference",
        "To the next part that the model is not given, or not as it was sent.",
    ),
    _definition(
        "definition.previous",
        "N",
        "difference(-1)",
        "previous difference",
        "To the previous part that the model is not given, or not as it was sent.",
    ),
)
