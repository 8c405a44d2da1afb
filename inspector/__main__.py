"""The command `sightline`."""

import sys


def main() -> int:
    """Run the command line; the exit code."""
    from inspector.cli.main import run  # noqa: PLC0415 - a spawned demo server imports this package too

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
