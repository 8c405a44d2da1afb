"""Servers that a `server.json` of the MCP registry describes, as entries of a configuration file.

Packages become the commands that run them, remotes become addresses. Values that the user must give become
`${input:NAME}`. Both spellings of keys are read: `registryType`, and `registry_type`, which was used until
September 2025.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeGuard

_RUNNERS = {
    "npm": ("npx", "@"),
    "pypi": ("uvx", "@"),
    "nuget": ("dnx", "@"),
    "oci": ("docker", ":"),
}
"""For each registry, the program that runs its packages, and the separator before the version."""
_BEFORE = {"npx": ("-y",), "docker": ("run", "-i", "--rm")}
_VARIABLE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_.-]*)\}")


def described_servers(root: dict[str, object]) -> dict[str, object]:
    """An object with `servers` and `inputs`; empty if the file describes no server."""
    packages, remotes = _objects(root, "packages"), _objects(root, "remotes")
    if not isinstance(root.get("name"), str) or not (packages or remotes):
        return {}
    asked = _Asked()
    servers: dict[str, object] = {}
    for package in packages:
        name = _text(package, "registryType") or "package"
        servers[_free(name, servers)] = _package(package, asked)
    for remote in remotes:
        name = _text(remote, "type") or _text(remote, "transportType") or "remote"
        servers[_free(name, servers)] = _remote(remote, name, asked)
    return {"servers": servers, "inputs": list(asked.inputs.values())}


@dataclass(slots=True)
class _Asked:
    """Collects the inputs that entries need, by id."""

    inputs: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])

    def value(self, written: dict[str, object], name: str) -> str | None:
        """The value of an argument, variable or header; None for an optional one without a value."""
        for key in ("value", "default"):
            text = written.get(key)
            if isinstance(text, str | int | float) and not isinstance(text, bool):
                return self._with_variables(str(text), written)
        return self._input(written, name) if _flag(written, "isRequired") else None

    def _with_variables(self, text: str, written: dict[str, object]) -> str:
        variables = written.get("variables")

        def filled(match: "re.Match[str]") -> str:
            described = variables.get(match[1]) if _is_object(variables) else None
            if not _is_object(described):
                return match[0]
            return self.value(described, match[1]) or self._input(described, match[1])

        return _VARIABLE.sub(filled, text)

    def _input(self, written: dict[str, object], name: str) -> str:
        choices = written.get("choices")
        self.inputs[name] = {
            "id": name,
            "type": "pickString" if choices else "promptString",
            "description": _text(written, "description"),
            "password": _flag(written, "isSecret"),
            "options": choices,
        }
        return f"${{input:{name}}}"


def _package(package: dict[str, object], asked: _Asked) -> dict[str, object]:
    registry = _text(package, "registryType")
    identifier, version = _text(package, "identifier"), _text(package, "version")
    transport = package.get("transport")
    kind = _text(transport, "type") if _is_object(transport) else "stdio"
    if registry not in _RUNNERS or not identifier:
        return {"unreadable": f"Sightline cannot run a package of {registry or 'no registry'}"}
    if kind != "stdio":
        return {"unreadable": f"the package serves {kind}: start it, and give its URL"}
    runner, separator = _RUNNERS[registry]
    command = _text(package, "runtimeHint") or runner
    environment = _named(package, "environmentVariables", asked)
    runtime = list(_arguments(package, "runtimeArguments", asked))
    usual = () if "run" in runtime else _BEFORE.get(command, ())
    before = [*(word for word in usual if word not in runtime), *runtime]
    if command == "docker":
        before += [word for name in environment for word in ("-e", name)]
    has_version = version and (registry != "oci" or ":" not in identifier.rpartition("/")[2])
    arguments = list(_arguments(package, "packageArguments", asked))
    return {
        "command": command,
        "args": [
            *before,
            f"{identifier}{separator}{version}" if has_version else identifier,
            *(["--"] if command == "dnx" and arguments else []),
            *arguments,
        ],
        "env": environment,
    }


def _remote(remote: dict[str, object], kind: str, asked: _Asked) -> dict[str, object]:
    url = asked.value({"value": _text(remote, "url"), "variables": remote.get("variables")}, "url")
    return {"type": kind, "url": url or "", "headers": _named(remote, "headers", asked)}


def _named(held: dict[str, object], key: str, asked: _Asked) -> dict[str, str]:
    """The values of variables or headers, by name. Optional variables and headers without a value are left out."""
    values = {name: asked.value(each, name) for each in _objects(held, key) if (name := _text(each, "name"))}
    return {name: value for name, value in values.items() if value is not None}


def _arguments(package: dict[str, object], key: str, asked: _Asked) -> Iterator[str]:
    for number, each in enumerate(_objects(package, key), 1):
        name = _text(each, "name")
        value = asked.value(each, _text(each, "valueHint") or name.lstrip("-") or f"argument-{number}")
        if value is not None:
            yield from (name, value) if name else (value,)


def _free(name: str, taken: dict[str, object]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free


def _member(held: dict[str, object], key: str) -> object:
    older = re.sub("([A-Z])", lambda match: f"_{match[1].lower()}", key)
    return held.get(key, held.get(older))


def _text(held: dict[str, object], key: str) -> str:
    value = _member(held, key)
    return value if isinstance(value, str) else ""


def _flag(held: dict[str, object], key: str) -> bool:
    return _member(held, key) is True


def _objects(held: dict[str, object], key: str) -> list[dict[str, object]]:
    value = _member(held, key)
    return [each for each in value if _is_object(each)] if _is_list(value) else []


def _is_object(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


def _is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)
