"""Definitions and imports of real code, against a second opinion that shares nothing with ours.

    python bench/code_accuracy.py LANGUAGE CLONE … [--typescript FOLDER] [--show 10]

Python is read by `ast`; JavaScript and TypeScript by the compiler of TypeScript, where `--typescript` names a
folder with `node_modules/typescript`; Java by the parser of `javac`; other languages' definitions by
universal-ctags, and their imports by a line's pattern. Compared are classes and their like, functions and
methods by plain name and line; imports by module and line. Precision is the share of ours that the other has,
recall the share of the other's that we have. Whose fault a difference is, a reader decides: `--show` prints
some.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import re
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recortex.codebase.syntax.extraction import read_facts
from recortex.codebase.syntax.grammars import GRAMMARS
from recortex.codebase.syntax.working_tree import visits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.domain.code_facts import FileFacts, Import, Symbol

KINDS = frozenset({"class", "interface", "struct", "enum", "trait", "function", "method", "macro"})
TOOLS = Path(__file__).resolve().parent / "code_tools"
CTAGS = {
    "go": ("Go", "fsin"),
    "rust": ("Rust", "fPsgiM"),
    "csharp": ("C#", "cgims"),
    "php": ("PHP", "cift"),
    "c": ("C", "fsgu"),
    "cpp": ("C++", "fsguc"),
}
"""Names of ctags, and the letters of the kinds that are compared."""
IMPORTS = {
    "go": r'^\s*(?:import\s+)?(?:[\w.]+\s+)?"([\w./~-]+)"\s*(?://.*)?$',
    "rust": r"^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+(?:::)?(\w+)",
    "csharp": r"^\s*(?:global\s+)?using\s+(?:static\s+)?(?:\w+\s*=\s*)?([\w.]+)[^=(]*;",
    "php": r"^use\s+(?:function\s+|const\s+)?\\?([\w\\]+)",
    "c": r'^\s*#\s*include\s*[<"]([^>"]+)[>"]',
    "cpp": r'^\s*#\s*include\s*[<"]([^>"]+)[>"]',
}


class Opinion(NamedTuple):
    """What a file has: definitions and imports as name and line."""

    definitions: set[tuple[str, int]]
    imports: set[tuple[str, int]]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("language")
    parser.add_argument("clones", type=Path, nargs="+")
    parser.add_argument("--typescript", type=Path)
    parser.add_argument("--show", type=int, default=0)
    given = parser.parse_args()
    for clone in given.clones:
        paths = files_of(clone, given.language)
        other = opinions(given.language, clone, paths, given.typescript)
        ours = {path: opinion for path in other if (opinion := ours_of(clone, path, given.language))}
        for name in ("definitions", "imports"):
            report(given.language, clone, name, ours, other, given.show)


def files_of(clone: Path, language: str) -> list[str]:
    """The files of a language that are read at all."""
    endings = tuple(ending for one in GRAMMARS if one.language == language for ending in one.endings)
    seen = ((path, one.name) for path, folder, _ in visits(clone, {}) for one in folder.files)
    return [f"{path}/{name}".lstrip("/") for path, name in seen if name.endswith(endings)]


def ours_of(clone: Path, path: str, language: str) -> Opinion | None:
    facts = read_facts(path, (clone / path).read_bytes())
    if facts is None or facts.skipped or facts.language != language:
        return None
    compared = KINDS - {"macro"} if language in {"c", "cpp"} else KINDS
    definitions = {
        (one.plain.replace(" ", ""), one.line)
        for one in facts.symbols
        if one.kind in compared and not (language in {"go", "csharp", "c", "cpp"} and _is_local(one, facts))
    }
    imports = {
        (_root(_whole(one, language), language), one.line)
        for one in facts.imports
        if not (language == "rust" and one.module == "self" and one.name == one.alias)
        and not (language == "php" and one.name == "*")
        and not (language == "cpp" and (one.name != "*" or ("." not in one.module and one.module[0] != "<")))
    }
    return Opinion(definitions, imports)


def _whole(one: Import, language: str) -> str:
    return f"{one.module}.{one.name}" if language == "csharp" and one.name != "*" else one.module


def _is_local(one: Symbol, facts: FileFacts) -> bool:
    """Whether a definition lies in a function: ctags leaves those out."""
    return one.parent >= 0 and facts.symbols[one.parent].kind in {"function", "method"}


def _root(module: str, language: str) -> str:
    plain = module.strip("<>")
    return plain.removeprefix("::").partition("::")[0] if language == "rust" else plain


def opinions(language: str, clone: Path, paths: Sequence[str], tools: Path | None) -> dict[str, Opinion]:
    """The other's."""
    if language == "python":
        return {path: found for path in paths if (found := of_ast((clone / path).read_bytes()))}
    if language in {"javascript", "typescript"}:
        assert tools is not None, "give --typescript"
        return of_program(["node", str(TOOLS / "facts.js"), str(tools)], clone, paths)
    if language == "java":
        return of_program(["java", str(TOOLS / "Facts.java")], clone, paths)
    return of_ctags(language, clone, paths)


def of_ast(data: bytes) -> Opinion | None:
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError):
        return None
    found = Opinion(set(), set())
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.definitions.add((node.name, node.lineno))
        elif isinstance(node, ast.Import):
            found.imports.update((one.name, node.lineno) for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.imports.add(("." * node.level + (node.module or ""), node.lineno))
    return found


def of_program(command: list[str], clone: Path, paths: Sequence[str]) -> dict[str, Opinion]:
    """Asks a program that reads paths and prints a JSON line for each file."""
    said = subprocess.run(
        command, cwd=clone, input="\n".join(paths), capture_output=True, text=True, check=True
    ).stdout
    found = {}
    for line in said.splitlines():
        one = json.loads(line)
        found[one["path"]] = Opinion(
            {(name, number) for name, number in one["definitions"]},
            {(name, number) for name, number in one["imports"]},
        )
    return found


def of_ctags(language: str, clone: Path, paths: Sequence[str]) -> dict[str, Opinion]:
    name, kinds = CTAGS[language]
    found = {path: Opinion(set(), set(of_lines(language, clone / path))) for path in paths}
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as listed:
        listed.write("\n".join(paths))
        listed.flush()
        command = ["ctags", f"--languages={name}", f"--kinds-{name}={kinds}", f"--langmap={name}:+.h"]
        command += ["--output-format=json", "--fields=+ne", "-L", listed.name, "-o", "-"]
        said = subprocess.run(command, cwd=clone, capture_output=True, text=True, check=True).stdout
    for line in said.splitlines():
        one = json.loads(line)
        name = one["name"].rpartition(".")[2].replace(" ", "")
        if one["_type"] == "tag" and not name.startswith(("__anon", "AnonymousClass")):
            found[one["path"]].definitions.add((name, one["line"]))
    return found


def of_lines(language: str, path: Path) -> Iterator[tuple[str, int]]:
    within = language != "go"
    for number, line in enumerate(path.read_text("utf-8-sig", "replace").splitlines(), 1):
        if language == "go":
            within = (within or line.startswith("import")) and not line.startswith(
                (")", "func", "type", "var")
            )
        if within and (seen := re.match(IMPORTS[language], line)):
            yield seen[1], number


def report(
    language: str, clone: Path, name: str, ours: dict[str, Opinion], other: dict[str, Opinion], show: int
) -> None:
    both: dict[str, int] = defaultdict(int)
    wrong, missed = [], []
    for path, mine in ours.items():
        have, want = getattr(mine, name), getattr(other[path], name)
        if name == "imports" and language == "php":
            have = {(one.rpartition(".")[0] or one, line) for one, line in have}
            have, want = {line for _, line in have}, {line for _, line in want}
        both["ours"] += len(have)
        both["other"] += len(want)
        both["same"] += len(have & want)
        wrong += [(path, one) for one in have - want]
        missed += [(path, one) for one in want - have]
    precision = both["same"] / max(1, both["ours"])
    recall = both["same"] / max(1, both["other"])
    print(
        f"{language:11} {clone.name:20} {name:12} files {len(ours):5} other {both['other']:6}"
        f" precision {precision:.4f} recall {recall:.4f}",
        flush=True,
    )
    draw = random.Random(1)
    for what, listed in (("only ours", wrong), ("only theirs", missed)):
        for path, one in draw.sample(listed, min(show, len(listed))):
            print(f"    {what}: {path} {one}")


if __name__ == "__main__":
    main()
