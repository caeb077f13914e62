"""Write what follows from the code: docs/reference/, the facade, manifests, privacy rules, schema.

`--check` only compares.
"""

from __future__ import annotations

import json
import os
import sys
import textwrap
from dataclasses import fields, replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from privacy_rules import PRIVACY, compiled_rules
from recortex import clients as client_modules
from recortex import operations as operation_modules
from recortex.clients import catalogue
from recortex.codec import schema_of
from recortex.domain.kinds import ALIASES, KINDS
from recortex.mcp.projection import described
from recortex.operations.base import Operations
from recortex.operations.registry import Operation, Parameter, operations_of
from recortex.plugins import MANIFEST as CLIENTS
from recortex.plugins import KnownClient, capabilities, in_order, load
from recortex.settings import SETTINGS, variable_of
from whole_schema import whole_schema

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "reference"
FACADE = ROOT / "src" / "recortex" / "cortex.py"
MANIFEST = ROOT / "src" / "recortex" / "operations" / "manifest.json"
SCHEMA = ROOT / "src" / "recortex" / "storage" / "sqlite" / "migrations" / "schema.sql"
WIDTH = 110
NOTE = "<!-- Written by scripts/build_docs.py from the code; change it there. -->\n\n"


def wrapped(text: str, indent: str = "") -> str:
    """A paragraph or list item in lines of at most 110 characters; commands and names stay whole."""
    return textwrap.fill(text, 110, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def facade() -> str:
    """The facade as type checkers see it: its bases are every group."""
    text = FACADE.read_text(encoding="utf-8")
    modules: dict[str, list[str]] = {}
    for group in sorted(_groups(), key=lambda one: one.__name__):
        modules.setdefault(group.__module__, []).append(group.__name__)
    imports = "".join(_import(module, modules[module]) for module in sorted(modules))
    bases = "".join(f"    {group.__name__},\n" for group in _groups())
    head, body = text.partition("    from recortex.")[0], text.partition("    ):\n")[2]
    declared = textwrap.indent(f"{imports}\nclass _Groups(\n{bases}):\n", "    ")
    return f"{head}{declared}{body}"


def _import(module: str, names: list[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= WIDTH:
        return f"{line}\n"
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in names), ")\n"])


def _groups() -> list[type[Operations]]:
    """Every group of operations in the order of the manifest; new ones, of capabilities last, after them."""
    modules = [
        import_module(f"recortex.operations.{one.name}") for one in iter_modules(operation_modules.__path__)
    ]
    own = [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Operations) and value.__module__ == module.__name__
    ]
    added = [load(name) for one in capabilities() for name in one.operations]
    groups = {one.__name__: one for one in (*own, *added) if one is not Operations}
    former = [one["class"] for one in json.loads(MANIFEST.read_text(encoding="utf-8"))]
    return [groups[name] for name in dict.fromkeys([*former, *groups]) if name in groups]


def _operations() -> list[Operation]:
    return [one for group in _groups() for one in operations_of(group).values()]


def verbs() -> str:
    """Every operation with its arguments: the same in Python, on the command line and as a tool."""
    parts = [
        "# Operations\n",
        "Each is a method of `Cortex`, a verb of `recortex` and a tool of the MCP server.\n",
    ]
    parts += [_operation(operation) for operation in _operations()]
    return "\n".join(parts)


def tools() -> str:
    """The tools of the MCP server and what they promise."""
    rows = ["| tool | default | reads only | destructive | idempotent | |", "|---|---|---|---|---|---|"]
    for one in _operations():
        traits = one.traits
        if traits.person:
            continue
        marks = (traits.core, traits.read_only, traits.destructive, traits.idempotent)
        rows.append(
            f"| `{one.name}` | {' | '.join('yes' if mark else '' for mark in marks)} | {one.summary} |"
        )
    text = "`recortex mcp` shows the default tools; `recortex mcp --tools full` all of these."
    return "\n".join(["# Tools\n", text, "", *rows, ""])


def kinds() -> str:
    """Every kind with its lifetime and fields."""
    aliases = ", ".join(f"`{alias}` → `{kind}`" for alias, kind in sorted(ALIASES.items()))
    parts = ["# Kinds of memory\n", f"{wrapped(f'Aliases on input: {aliases}.')}\n"]
    parts += [
        "| kind | half-life (days) | archive below | re-validate after (days) | category | |",
        "|---|---|---|---|---|---|",
    ]
    for name, kind in sorted(KINDS.items()):
        life = "∞" if kind.half_life_days is None else f"{kind.half_life_days:g}"
        about = (kind.__doc__ or "").strip()
        cells = (
            f"`{name}`",
            life,
            f"{kind.archive_below:g}",
            kind.revalidate_days,
            kind.category or "none",
            about,
        )
        parts.append(f"| {' | '.join(map(str, cells))} |")
    parts += [_kind(name) for name in sorted(KINDS)]
    return "\n".join(parts)


def settings() -> str:
    """The table of settings."""
    rows = ["| setting | variable | default | takes | project file | |", "|---|---|---|---|---|---|"]
    for one in SETTINGS:
        default = f"`{one.default!r}`" if one.default != "" else ""
        some = (
            ", ".join(str(value).lower() for value in one.project)
            if isinstance(one.project, frozenset)
            else ""
        )
        allowed = some or ("yes" if one.project else "no")
        about = f"{one.parse.takes} | {allowed} | {one.help}"
        rows.append(f"| `{one.name}` | `{variable_of(one.name)}` | {default} | {about} |")
    text = (
        "Strongest first: the variable, the user's `config.toml`, the project's `recortex.toml`, the "
        "default.\n"
        "`recortex doctor` prints each value with the place it came from.\n"
    )
    return "\n".join(["# Settings\n", text, *rows, ""])


def _operation(operation: Operation) -> str:
    lines = [f"## {operation.name}\n", operation.help, ""]
    lines += [wrapped(f"- {_signature(one)} {one.help}", indent="  ") for one in operation.parameters()]
    return "\n".join([*lines, ""])


def _signature(parameter: Parameter) -> str:
    option = parameter.name if parameter.positional else parameter.options[0]
    return f"`{option}`" + (" (needed):" if parameter.required else ":")


def _kind(name: Any) -> str:
    fields = schema_of(name).get("properties", {})
    listed = ", ".join(f"`{field}`" for field in fields)
    return "\n" + wrapped(f"**{name}**: {listed}; a plain text fills `{KINDS[name].main}`.")


def manifest() -> str:
    """What a process must know of each operation before it imports one."""
    headings = {name: one.heading for one in capabilities() for name in one.operations}
    groups = [
        {
            "title": (sys.modules[group.__module__].__doc__ or "")
            .partition("\n")[0]
            .partition(":")[0]
            .rstrip("."),
            "module": group.__module__,
            "class": group.__name__,
            "heading": headings.get(f"{group.__module__}:{group.__name__}", ""),
            "operations": [_listed(one) for one in operations_of(group).values()],
        }
        for group in _groups()
    ]
    return json.dumps(groups, indent=1, ensure_ascii=False)


def _listed(operation: Operation) -> dict[str, Any]:
    return {
        "name": operation.name,
        "summary": operation.summary,
        "core": operation.traits.core,
        "told": list(operation.traits.told),
        "tool": None if operation.traits.person else described([operation])[0],
    }


def clients() -> str:
    """What a process must know of each client before it imports one."""
    modules = [import_module(f"recortex.clients.{one.name}") for one in iter_modules(client_modules.__path__)]
    declared = [
        replace(one, module=module.__name__, reads=bool(one.formats), installs=one.share is not None)
        for module in modules
        for one in getattr(module, "CLIENTS", ())
    ]
    listed = in_order(sorted(declared, key=lambda one: one.name), catalogue.LISTED)
    names = [one.name for one in fields(KnownClient)]
    known = [{name: value for name in names if (value := getattr(one, name))} for one in listed]
    return json.dumps(known, indent=1, ensure_ascii=False)


PAGES = {"cli.md": verbs, "tools.md": tools, "kinds.md": kinds, "settings.md": settings}


def main(arguments: list[str]) -> int:
    """Write the files, or with `--check` say which are stale."""
    REFERENCE.mkdir(parents=True, exist_ok=True)
    stale = []
    if "--check" not in arguments:
        FACADE.write_text(facade(), encoding="utf-8")
    if "--check" not in arguments and Path(CLIENTS).read_text(encoding="utf-8") != f"{clients()}\n":
        # The operations were made with what it said before.
        Path(CLIENTS).write_text(f"{clients()}\n", encoding="utf-8")
        os.execv(sys.executable, [sys.executable, *sys.argv])  # noqa: S606  this script again
    texts = {REFERENCE / name: NOTE + page() for name, page in PAGES.items()}
    texts |= {
        FACADE: facade(),
        Path(CLIENTS): clients(),
        MANIFEST: manifest(),
        PRIVACY / "rules.json": compiled_rules(),
        SCHEMA: whole_schema(),
    }
    for path, text in ((path, text.rstrip() + "\n") for path, text in texts.items()):
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
    print(f"{'stale' if '--check' in arguments else 'written'}: {', '.join(stale) or 'none'}")
    return int(bool(stale) and "--check" in arguments)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
