"""The command `python -m inspector.demo` with `stdio`, `http [--port N]` or `web [--port N]`."""

import argparse
import sys
from collections.abc import Sequence

from inspector.demo.launch import serve_http, serve_page, serve_stdio
from inspector.demo.server import DemoOptions, environment_seed
from inspector.errors import InspectorError
from inspector.protocol.targets import Era


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo. Returns the exit code."""
    parsed = _parser().parse_args(arguments)
    options = DemoOptions(
        seed=parsed.seed if parsed.seed is not None else environment_seed(),
        auth=parsed.auth,
        era=Era(parsed.era),
        page_size=parsed.page_size,
        sound_only=parsed.sound_only,
    )
    try:
        if parsed.transport == "stdio":
            serve_stdio(options, parsed.port)
        elif parsed.transport == "web":
            serve_page(parsed.port, options)
        else:
            serve_http(parsed.port, options)
    except InspectorError as error:
        sys.stderr.write(f"{error.message}\n{error.hint}\n")
        return error.exit_code
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="inspector.demo", description="The demo workspace as an MCP server."
    )
    parser.add_argument("transport", choices=("stdio", "http", "web"))
    parser.add_argument(
        "--port",
        type=int,
        default=0,
        help="port on 127.0.0.1: of the server, or (with stdio) of the redemption endpoint; 0 takes a free one",
    )
    parser.add_argument("--auth", action="store_true", help="ask for `Authorization: Bearer demo` over HTTP")
    parser.add_argument("--seed", help="make secrets repeatable from this text, and stop the clock")
    parser.add_argument(
        "--era",
        choices=tuple(Era),
        default=Era.AUTO.value,
        help="serve only this era, and refuse requests of the other; auto serves both",
    )
    parser.add_argument("--page-size", type=_positive, default=100, help="items on one page of a listing")
    parser.add_argument(
        "--sound-only", action="store_true", help="leave out tools that make strict clients reject the list"
    )
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("has to be at least 1")
    return number


if __name__ == "__main__":
    sys.exit(main())
