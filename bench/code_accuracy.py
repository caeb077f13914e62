"""Definitions and imports of real code, against a second opinion that shares nothing with ours.

    python bench/code_accuracy.py LANGUAGE CLONE … [--by COMMAND] [--show 10]

Python is read by `ast`, Rust by `rustc` (a nightly one). For JavaScript, TypeScript, Java, C#, Go and PHP
`--by` gives the command of a program in `bench/code_tools`, each of which asks the language's own parser: the
compiler of TypeScript, `javac`, Roslyn, `go/parser`, php-parser. Definitions of C and C++ are read by
universal-ctags and by libclang; of each, one is wrong where the other is right: ctags guesses at macros, and
libclang sees one branch of an `#if` and lacks headers. What either has counts as right, and what both have
must be found; of what only one has, the number is printed. Their imports are read by a line's pattern.

Compared are classes and their like, functions and methods by plain name and line; imports by module and line.
Precision is the share of ours that the other has, recall the share of the other's that we have. Files that
the other cannot read are left out and counted. Whose fault a difference is, a reader decides: `--show` prints
some.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import re
import shlex
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import code_rust
from recortex.codebase.syntax.extraction import read_facts
from recortex.codebase.syntax.grammars import GRAMMARS
from recortex.codebase.syntax.working_tree import visits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.code_facts import FileFacts, Import, Symbol

KINDS = frozenset({"class", "interface", "struct", "enum", "trait", "function", "method", "macro"})
TOOLS = Path(__file__).resolve().parent / "code_tools"
CTAGS = {"c": ("C", "fsgu"), "cpp": ("C++", "fsguc")}
"""Names of ctags, and the letters of the kinds that are compared."""
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


class Opinion(NamedTuple):
    """What a file has: definitions and imports as name and line.

    Attributes:
        doubtful: definitions that may also be none; finding them is right, and so is not finding them.
    """

    definitions: set[tuple[str, int]]
    imports: set[tuple[str, int]]
    doubtful: frozenset[tuple[str, int]] = frozenset()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("language")
    parser.add_argument("clones", type=Path, nargs="+")
    parser.add_argument("--by", default="", help="the command of a program of bench/code_tools")
    parser.add_argument("--show", type=int, default=0)
    given = parser.parse_args()
    for clone in given.clones:
        paths = files_of(clone, given.language)
        other = opinions(given.language, clone, paths, shlex.split(given.by))
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
        if one.kind in compared and not (language in {"c", "cpp"} and _is_local(one, facts))
    }
    imports = {
        (_whole(one, language), one.line)
        for one in facts.imports
        if not (language == "rust" and _is_module(one))
        and not (language == "php" and one.name == "*")
        and not (language == "cpp" and (one.name != "*" or ("." not in one.module and one.module[0] != "<")))
    }
    return Opinion(definitions, imports)


def _whole(one: Import, language: str) -> str:
    joint = {"rust": "::", "csharp": ".", "php": "."}.get(language, "")
    named = joint and one.name and not (language == "csharp" and one.name == "*")
    whole = f"{one.module}{joint}{one.name}" if named else one.module
    return whole.strip("<>" if language in CTAGS else "").removeprefix(joint or "\0")


def _is_module(one: Import) -> bool:
    """`mod a;`, which is no `use`."""
    return one.module == "self" and one.name == one.alias


def _is_local(one: Symbol, facts: FileFacts) -> bool:
    """Whether a definition lies in a function: ctags leaves those out."""
    return one.parent >= 0 and facts.symbols[one.parent].kind in {"function", "method"}


def opinions(language: str, clone: Path, paths: Sequence[str], command: list[str]) -> dict[str, Opinion]:
    """The other's."""
    if language == "python":
        return {path: found for path in paths if (found := of_ast((clone / path).read_bytes()))}
    if language == "rust":
        return {path: found for path in paths if (found := of_rustc(clone / path))}
    if language in CTAGS:
        return of_ctags_and_clang(language, clone, paths)
    assert command, "give --by"
    return of_program(command, clone, paths)


def of_rustc(path: Path) -> Opinion | None:
    found = code_rust.read(path.read_text("utf-8", "replace"))
    if found is None:
        return None
    return Opinion(
        found[0], {(name, line) for name, line in found[1] if not re.fullmatch(r"self::\w+", name)}
    )


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
        if one.get("unread"):
            continue
        found[one["path"]] = Opinion(
            {(name, number) for name, number in one["definitions"]},
            {(name, number) for name, number in one["imports"]},
        )
    return found


def of_ctags_and_clang(language: str, clone: Path, paths: Sequence[str]) -> dict[str, Opinion]:
    import code_clang

    tagged, given = of_ctags(language, clone, paths), code_clang.arguments(clone, paths, language)
    found = {}
    for path in paths:
        parsed = code_clang.read(clone, path, given)
        includes = {
            (seen[1], number)
            for number, line in enumerate((clone / path).read_text("utf-8-sig", "replace").splitlines(), 1)
            if (seen := INCLUDE.match(line))
        }
        found[path] = Opinion(tagged[path] & parsed, includes, frozenset(tagged[path] ^ parsed))
    return found


def of_ctags(language: str, clone: Path, paths: Sequence[str]) -> dict[str, set[tuple[str, int]]]:
    name, kinds = CTAGS[language]
    found: dict[str, set[tuple[str, int]]] = {path: set() for path in paths}
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
            found[one["path"]].add((name, one["line"]))
    return found


def report(
    language: str, clone: Path, name: str, ours: dict[str, Opinion], other: dict[str, Opinion], show: int
) -> None:
    both: dict[str, int] = defaultdict(int)
    wrong, missed = [], []
    for path, mine in ours.items():
        have, want = getattr(mine, name), getattr(other[path], name)
        if name == "definitions":
            both["alone"] += len(other[path].doubtful)
            both["found alone"] += len(have & other[path].doubtful)
            both["right"] += len(have & other[path].doubtful)
        both["ours"] += len(have)
        both["other"] += len(want)
        both["same"] += len(have & want)
        both["right"] += len(have & want)
        wrong += [(path, one) for one in have - want if one not in other[path].doubtful]
        missed += [(path, one) for one in want - have]
    precision = both["right"] / max(1, both["ours"])
    recall = both["same"] / max(1, both["other"])
    alone = f" of one alone {both['alone']}, found {both['found alone']}" if both["alone"] else ""
    print(
        f"{language:11} {clone.name:20} {name:12} files {len(ours):5} other {both['other']:6}"
        f" precision {precision:.4f} recall {recall:.4f}{alone}",
        flush=True,
    )
    draw = random.Random(1)
    for what, listed in (("only ours", wrong), ("only theirs", missed)):
        for path, one in draw.sample(listed, min(show, len(listed))):
            print(f"    {what}: {path} {one}")


if __name__ == "__main__":
    main()
