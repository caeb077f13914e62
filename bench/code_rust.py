"""Definitions and imports of a file of Rust as `rustc` parses it (a nightly one, `-Zunpretty=ast-tree`).

What stands in the braces of a macro counts where it can be read as items: it is parsed once more by itself.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

COMMAND = ["rustc", "+nightly", "--edition=2024", "-Zunpretty=ast-tree", "-Zparse-crate-root-only"]
NAMED = frozenset({"Fn", "Struct", "Enum", "Union", "Trait", "MacroDef"})
_ITEM = re.compile(r"^( *)Item \{$")
_SPAN = re.compile(r": [^:]+:(\d+):(\d+): (\d+):(\d+) ")
_KIND = re.compile(r"^( *)kind: (\w+)\($")
_IDENT = re.compile(r"^( *)(ident: )?([\w#{}]+)#\d+,$")


def read(text: str, depth: int = 0) -> tuple[set[tuple[str, int]], set[tuple[str, int]]] | None:
    """Definitions and imports by name and line; None where it is no Rust."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.rs"
        path.write_text(text, encoding="utf-8")
        said = subprocess.run([*COMMAND, str(path)], capture_output=True, text=True, check=False)
    if said.returncode:
        return None
    lines, source = said.stdout.splitlines(), text.splitlines(keepends=True)
    definitions, imports = set[tuple[str, int]](), set[tuple[str, int]]()
    for at, line in enumerate(lines):
        if _ITEM.match(line):
            _item(lines, at, source, definitions, imports)
        elif depth < 3 and line.lstrip() == "delim: Brace,":
            inner = _within(lines, at, source)
            if inner.strip() and (found := read(inner, depth + 1)):
                definitions |= found[0]
                imports |= found[1]
    return definitions, imports


def _item(
    lines: list[str],
    at: int,
    source: list[str],
    definitions: set[tuple[str, int]],
    imports: set[tuple[str, int]],
) -> None:
    indent = len(lines[at]) - len(lines[at].lstrip()) + 4
    span, kind, name = None, "", ""
    for number in range(at + 1, len(lines)):
        line = lines[number]
        deep = len(line) - len(line.lstrip())
        if deep < indent:
            return
        if deep == indent and line.startswith("span: ", indent):
            span = _SPAN.search(line)
        if deep == indent and (found := _KIND.match(line)):
            kind = found[2]
            if kind == "Use" and span:
                imports.update((one, int(span[1])) for one in _paths(lines, number))
        elif kind == "ExternCrate" and span and (quoted := re.fullmatch(r' +(?:"(\w+)"|(\w+)#\d+),', line)):
            imports.add((quoted[1] or quoted[2], int(span[1])))
            return
        elif kind in NAMED and span and deep <= indent + 8 and (named := _IDENT.match(line)):
            name = named[3]
            definitions.add((name, _line_of(name, source, int(span[1]), int(span[2]))))
            return


def _line_of(name: str, source: list[str], line: int, column: int) -> int:
    text = "".join(source[line - 1 :])
    found = re.compile(rf"\b(?:r#)?{re.escape(name)}\b").search(text, column - 1)
    return line + text.count("\n", 0, found.start()) if found else line


def _paths(lines: list[str], at: int) -> list[str]:
    """The paths of a tree of `use`, as `a::b`, `a::*`; of `a::self` it is `a`."""
    start = len(lines[at]) - len(lines[at].lstrip())
    open_: list[tuple[int, list[str]]] = []
    found = []
    for line in lines[at + 1 :]:
        deep = len(line) - len(line.lstrip())
        if deep <= start:
            break
        if line.strip() in {"UseTree {", "prefix: Path {"}:
            while open_ and line.strip() == "UseTree {" and open_[-1][0] >= deep:
                open_.pop()
            if line.strip() == "UseTree {":
                open_.append((deep, []))
        elif (named := _IDENT.match(line)) and named[2]:
            if named[3] != "{{root}}":
                open_[-1][1].append(named[3])
        elif (kind := re.match(r"^ *kind: (Simple|Glob|Nested)\b", line)) and kind[1] != "Nested":
            parts = [part for _, path in open_ for part in path]
            parts = parts[:-1] if parts[-1:] == ["self"] and len(parts) > 1 else parts
            found.append("::".join([*parts, "*"] if kind[1] == "Glob" else parts))
    return found


def _within(lines: list[str], at: int, source: list[str]) -> str:
    """What stands in the braces of a macro's call, at its place; nothing for the definition of one."""
    above = next((one for one in range(at, -1, -1) if "args: DelimArgs {" in lines[one]), -1)
    opened, closed = (_SPAN.search(lines[at + step]) for step in (-3, -2))
    if above < 0 or not opened or not closed or above < at - 5:
        return ""
    (row, column), (last, end) = map(int, opened.group(1, 2)), map(int, closed.group(1, 2))
    body = source[row - 1 : last]
    body[-1] = body[-1][: end - 1]
    body[0] = " " * column + body[0][column:]
    return "\n" * (row - 1) + "".join(body)
