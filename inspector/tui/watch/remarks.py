"""Remarks on the last save for the strip, at most 80 columns wide.

If a key helps, the remark begins with the key.
"""

from inspector.tui.text import cut_in_the_middle

# On a screen of 80 columns, a line of the strip has 76 cells. A name gets the cells that the sentence leaves.
_LONGEST = 16
_MOST_OF_FILE = 30


def may_write(name: str) -> str:
    """The remark about a call that is not declared as read-only. `name` may be untrusted text."""
    return f"r in {_short(name)} repeats it, now and on each save: it may write."


def ended_the_server(name: str) -> str:
    """The remark about a call during which the server ended."""
    return f"r in {_short(name)} repeats it, now and on each save: it ended the server."


def no_longer_fits(name: str, why: str) -> str:
    """The remark about a call whose arguments do not fit the changed input schema.

    `why`: the reason. `name` and `why` may be untrusted text.
    """
    return (
        f"1 in {_short(name)} edits it: the arguments no longer fit: {cut_in_the_middle(why, _MOST_OF_FILE)}."
    )


def not_listed(name: str) -> str:
    """The remark about a call of a tool that the server no longer lists."""
    return f"Not repeated: {cut_in_the_middle(name, _MOST_OF_FILE)} is not listed any more."


def not_called(name: str, reason: str) -> str:
    """The remark about a call that the policy asks about, or that cannot be made."""
    return f"r in {_short(name)} asks first, then calls it. Not repeated: {reason}."


def changes_itself(file: str) -> str:
    """The remark about a file that changes at each start of the server."""
    name = cut_in_the_middle(file, _MOST_OF_FILE)
    return f"Let git ignore {name}: it changes whenever the server starts. Or name the paths to watch: --watch=PATH."


def _short(name: str) -> str:
    return cut_in_the_middle(name, _LONGEST)
