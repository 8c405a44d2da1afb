"""The command `sightline`: the command line, and the terminal interface that it may open."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.launch import Launch


def main() -> int:
    """Run the command line. Returns the exit code."""
    # Imported here, because a spawned demo server imports this package too. `protect` runs first, so that it
    # also protects the memory of what is imported afterwards.
    from inspector.cli.hygiene import protect  # noqa: PLC0415

    protect()
    from inspector.cli.main import run  # noqa: PLC0415

    code = run(sys.argv[1:], interface)
    if "inspector.tui.runtime.leaving" in sys.modules:
        from inspector.tui.runtime.leaving import end_at_once  # noqa: PLC0415 - loaded already if the interface was run

        end_at_once(code)
    return code


def interface(launch: "Launch") -> int:
    """Run the terminal interface until the user leaves. Returns the exit code."""
    from inspector.cli.hygiene import refuse_variables  # noqa: PLC0415

    refuse_variables()
    from inspector.tui.app import run  # noqa: PLC0415 - commands never load it

    return run(launch)


if __name__ == "__main__":
    sys.exit(main())
