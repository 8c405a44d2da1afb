"""The scripts that are put into pages: the hook, and the polyfill out of its parts."""

from functools import cache
from pathlib import Path

from inspector.errors import UnreachableError

_HERE = Path(__file__).parent
_PARTS = ("reading", "forms", "frames")


def hook(binding: str, script: str, proof: str) -> str:
    """What tells declarations. `binding`: the name that it tells through; `script`: its own, in stacks; `proof`: see hook.js."""
    return f'({_packaged("hook.js")})("{binding}", "{script}", "{proof}");\n//# sourceURL={script}'


def polyfill(host: "tuple[str, str, str] | None" = None) -> str:
    """The API of a page whose browser has none. `host`: channel, link and binding, where somebody calls from outside."""
    parts = [f"{name}: {_packaged(f'polyfill_{name}.js')}" for name in _PARTS]
    if host is not None:
        channel, link, binding = host
        parts += [f'channel: "{channel}"', f'link: "{link}"']
        parts.append(f'host: ({_packaged("polyfill_host.js")})("{binding}")')
    return f"{{ const sightline = {{ {', '.join(parts)} }};\n{_packaged('polyfill.js')}\n}}"


@cache
def _packaged(name: str) -> str:
    """A script that ships with this package, without the comments before it. Raises UnreachableError."""
    try:
        text = (_HERE / name).read_text("utf-8")
    except OSError as error:
        raise UnreachableError(
            f"{name} is missing from the installation", "Install Sightline again."
        ) from error
    lines = text.split("\n")
    while lines and lines[0].startswith("//"):
        lines.pop(0)
    return "\n".join(lines).strip()
