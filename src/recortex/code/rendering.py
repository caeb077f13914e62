"""What is known of the code, and its conventions, as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.terminal import clean, plural, short, size

if TYPE_CHECKING:
    from recortex.code.operations import (
        Code,
        CodeCall,
        CodeStatus,
        CodeSymbol,
        PatternMemories,
    )
    from recortex.domain.code import Detected
    from recortex.terminal import Terminal


_ROUTES = 5
"""Routes, and tables, of a library."""


def code(value: Code, terminal: Terminal) -> str:
    """What was asked for, under a heading for each part, and which files were left out."""
    return "\n".join([_code(value, terminal), *terminal.paths("problem", value.problems, "yellow")])


def _code(value: Code, terminal: Terminal) -> str:
    if value.status is not None:
        return _status(value.status)
    if value.action == "map":
        size_ = terminal.style(f"{value.tokens} tokens", "dim")
        return f"{clean(value.text)}\n{size_}" if value.text else "There is no code to map."
    if value.action == "patterns":
        about = {one.pattern: one for one in value.known}
        parts = _part(
            "Built with", [_used(one) + _known(about.get(one.name)) for one in value.used], terminal
        )
        written = [
            f"- {clean(one.statement)} [{clean(one.id)}]{_known(about.get(one.id))}"
            for one in value.conventions
        ]
        parts += _part("How it is written", written, terminal)
        return "\n".join(parts + _more(value, terminal)) if parts else "Nothing known is used here."
    if value.action == "find":
        lines = [_symbol(one) for one in value.symbols] or ["Nothing has such a name."]
        return "\n".join(lines + _more(value, terminal))
    parts = [*map(_symbol, value.symbols)]
    if value.action == "callers":
        parts += _part("Callers", [_call(one) for one in value.calls], terminal) or ["Nothing calls it."]
        return "\n".join(parts + _more(value, terminal))
    parts += _part("A change may reach", [_reached(one) for one in value.reached], terminal)
    parts += _part("Tests that reach it", [_reached(one) for one in value.tests], terminal)
    parts += _part("Perhaps called by", [_call(one) for one in value.calls], terminal)
    known = [f"- {clean(one.text)} ({clean(one.because)}) [{short(one.id)}]" for one in value.memories]
    parts += _part("Known of it", known, terminal)
    return "\n".join(parts + _more(value, terminal))


def _known(value: PatternMemories | None) -> str:
    """What memories say of a pattern, a line for each."""
    if value is None:
        return ""
    each = (*value.known, *value.overrides, *value.expired)
    return "".join(f"\n    {clean(one.text)} ({one.because}) [{short(one.id)}]" for one in each)


def _used(value: Detected) -> str:
    """A library or practice, how far it is used, and the first of its routes and tables."""
    version = f" {clean(value.version)}" if value.version else ""
    counts = [
        plural(number, word) for number, word in ((value.imports, "import"), (value.uses, "use")) if number
    ]
    routes = [f"{one.method} {clean(one.address)}" for one in value.routes[:_ROUTES]]
    tables = [clean(one.name) for one in value.tables[:_ROUTES]]
    more = "; ".join(filter(None, (", ".join(routes), ", ".join(tables))))
    about = "; ".join(filter(None, (value.category, ", ".join(counts))))
    return f"- {clean(value.name)}{version} ({about}){f': {more}' if more else ''}"


def _part(heading: str, lines: list[str], terminal: Terminal) -> list[str]:
    return [terminal.style(heading, "bold"), *lines] if lines else []


def _more(value: Code, terminal: Terminal) -> list[str]:
    return [terminal.style("There may be more: give a greater --limit", "dim")] if value.more else []


def _symbol(one: CodeSymbol) -> str:
    doc = f"  {clean(one.doc)}" if one.doc else ""
    return f"{clean(one.path)}:{one.line}  {one.kind} {clean(one.name)}  {clean(one.signature)}{doc}"


def _reached(one: CodeSymbol) -> str:
    away = f"  ({one.distance} calls away)" if one.distance > 1 else ""
    return f"- {clean(one.path)}:{one.line}  {clean(one.name)}{away}"


def _call(one: CodeCall) -> str:
    sure = "" if one.certainty == "resolved" else f"  ({one.certainty}: perhaps {clean(one.target)})"
    return f"- {clean(one.path)}:{one.line}  {clean(one.caller) or '(outside of functions)'}{sure}"


def _status(one: CodeStatus) -> str:
    read = ", ".join(f"{count:,} {name}" for name, count in one.languages.items()) or "none"
    lines = [
        clean(one.root),
        f"files: {read}",
        f"{plural(one.symbols, 'symbol')}, {plural(one.calls, 'call')}; {size(one.bytes)} on disk",
    ]
    if one.partial:
        lines.append(f"{plural(one.partial, 'file')} read in part: not all of it is code of the language")
    lines += [f"{plural(count, 'file')} left out: {why}" for why, count in one.skipped.items()]
    if one.vendored:
        lines.append(f"{plural(one.vendored, 'folder')} of other people's code left out")
    return "\n".join(lines)
