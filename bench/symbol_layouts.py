"""Whether symbols stay fresh when only layout, comments or other symbols of their files change.

    python bench/symbol_layouts.py CLONE … [--files 25] [--black PROGRAM] [--clang-format PROGRAM]
        [--typescript FOLDER] [--rust PROGRAM] [--php FOLDER]

Of each clone's newest commit files are drawn, all their symbols are linked, and the files are changed in
three ways, one after the other: laid out anew by a formatter in a style that is not the project's (black,
prettier with its plug-in for PHP from the folder of `--typescript`, clang-format, rustfmt; gofmt after the
blanks were changed); comments put in and taken out; other functions deleted and copied under another name.
Counted is what `symbol_truth.py` calls fresh, and what is not fresh by the code under test. What a formatter
does to the tree itself, such as taking a brace away, is counted apart.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pygments.token import Comment, Text  # type: ignore[import-untyped]

from symbol_freshness import Product, add_tools
from symbol_history import Repository
from symbol_trees import Known, Parsers, language_of, lexer_of
from symbol_truth import Versions

if TYPE_CHECKING:
    from collections.abc import Callable

CLANG = "{BasedOnStyle: %s, ColumnLimit: 64, IndentWidth: 3, SortIncludes: Never, BreakStringLiterals: false}"
PRETTIER = [
    "--print-width=60 --no-semi --use-tabs --trailing-comma=none --arrow-parens=avoid".split(),
    "--print-width=140 --single-quote --trailing-comma=all --arrow-parens=always --tab-width=3".split(),
]
LINE_COMMENT = {"python": "#"}


class Formatters:
    """Lays out a file by a program; None where that refuses."""

    def __init__(self, given: Any) -> None:
        self._given = given

    def __call__(self, path: str, text: str, chance: random.Random) -> str | None:
        command = self._command(path, chance)
        if language_of(path) == "go":
            text = blanks(text)
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        return done.stdout if done.returncode == 0 and done.stdout.strip() else None

    def _command(self, path: str, chance: random.Random) -> list[str]:
        language = language_of(path)
        if language == "python":
            return [self._given.black, "-q", "-l", chance.choice(["50", "140"]), "-C", "-"]
        if language in {"javascript", "typescript", "php"}:
            modules = Path(self._given.typescript) / "node_modules"
            plugin = (
                ["--plugin", str(modules / "@prettier/plugin-php/src/index.mjs")] if language == "php" else []
            )
            php = ["--print-width=60", "--tab-width=3"]
            style = php if language == "php" else chance.choice(PRETTIER)
            command = [
                "node",
                str(modules / "prettier/bin/prettier.cjs"),
                "--stdin-filepath",
                Path(path).name,
            ]
            return [*command, *style, *plugin]
        if language == "rust":
            how = chance.choice(["max_width=60,hard_tabs=true", "max_width=150,use_small_heuristics=Max"])
            return ["rustfmt", "--edition", "2021", "--emit", "stdout", "--quiet", "--config", how]
        if language == "go":
            return ["gofmt"]
        clang = CLANG % chance.choice(["LLVM", "Google", "Mozilla", "GNU"])
        ending = {"csharp": ".cs", "java": ".java"}.get(language, ".cpp")
        return [self._given.clang_format, f"--style={clang}", f"--assume-filename=a{ending}"]


def blanks(text: str) -> str:
    """Go with other indentation, and blank lines behind braces: gofmt would find nothing to do."""
    lines = []
    inside = False
    for line in text.split("\n"):
        inside ^= line.count("`") % 2 == 1
        lines.append(line if inside or "`" in line else line.replace("\t", "  "))
        if not inside and line.endswith("{"):
            lines.append("")
    return "\n".join(lines)


def comments(path: str, text: str, chance: random.Random) -> str | None:
    """Comments put in behind lines and between them, and others taken out."""
    language = language_of(path)
    if path.endswith(("x",)):
        return None
    mark = LINE_COMMENT.get(language, "//")
    out: list[str] = []
    directive = False
    for _, kind, value in lexer_of(language).get_tokens_unprocessed(text):
        if kind in Comment.Preproc or kind in Comment.PreprocFile:
            directive = not value.endswith("\n")
        if kind in Comment.Single and not directive and chance.random() < 0.4:
            out.append("\n" if value.endswith("\n") else "")
        elif kind in Text and "\n" in value and not directive and out and not out[-1].endswith(("\\", "\n")):
            before = "".join(out[-3:]).rpartition("\n")[2]
            add = (
                f" {mark} it's noted {chance.randrange(99)}"
                if mark not in before and "/*" not in before
                else ""
            )
            head, _, rest = value.partition("\n")
            between = f"{mark} between {chance.randrange(99)}\n" if chance.random() < 0.3 else ""
            out.append(f"{head}{add if chance.random() < 0.4 else ''}\n{between}{rest}")
        else:
            out.append(value)
        if "\n" in value:
            directive = False
    return "".join(out)


def others(symbols: list[Known]) -> Callable[[str, random.Random], str | None]:
    """Of the functions in which nothing lies, a third is deleted, a third copied under another name."""

    def change(text: str, chance: random.Random) -> str | None:
        lines = text.split("\n")
        leaves = [
            one
            for one in symbols
            if one.kind == "callable"
            and one.last - one.first > 1
            and not any(one.first <= x.first and x.last <= one.last for x in symbols if x is not one)
        ]
        for one in sorted(leaves, key=lambda one: -one.first):
            body = lines[one.first - 1 : one.last]
            what = chance.randrange(3)
            if what == 0:
                lines[one.first - 1 : one.last] = []
            elif what == 1:
                copy = [re.sub(rf"\b{re.escape(one.plain)}\b", f"{one.plain}_copy", line) for line in body]
                lines[one.first - 1 : one.first - 1] = copy
        return "\n".join(lines)

    return change


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("clones", type=Path, nargs="+")
    parser.add_argument("--files", type=int, default=25)
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--black", default="black")
    parser.add_argument("--clang-format", default="clang-format")
    parser.add_argument("--rows", type=Path)
    add_tools(parser)
    given = parser.parse_args()
    total: Counter[tuple[str, str]] = Counter()
    rows: list[dict[str, Any]] = []
    for clone in given.clones:
        found, seen = of_clone(clone, given)
        total += found
        rows += seen
        told(clone.parent.name if clone.name == "repo" else clone.name, found)
        if given.rows:
            given.rows.write_text("\n".join(map(json.dumps, rows)))
    told("all", total)


def told(name: str, found: Counter[tuple[str, str]]) -> None:
    for way in sorted({one for one, _ in found}):
        print(
            f"{name:28} {way:10}",
            {what: count for (one, what), count in sorted(found.items()) if one == way},
            flush=True,
        )


def of_clone(clone: Path, given: Any) -> tuple[Counter[tuple[str, str]], list[dict[str, Any]]]:
    """One repository: by the way of the change, how many symbols became what."""
    chance = random.Random(f"{given.seed} {clone}")
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(
            ["git", "clone", "-q", "--shared", "--no-checkout", str(clone), f"{place}/tree"], check=True
        )
        repository = Repository(Path(place) / "tree")
        repository.lay("HEAD")
        product = Product(repository.folder, Path(place) / "facts.db")
        paths = sorted(repository.files("HEAD"))
        paths = chance.sample(paths, min(given.files, len(paths)))
        texts = {path: (repository.folder / path).read_bytes().decode("utf-8", "replace") for path in paths}
        bench = _Bench(repository, product, Parsers.of(given), texts)
        ways: dict[str, Callable[[str, str, random.Random], str | None]] = {
            "formatter": Formatters(given),
            "comments": comments,
        }
        for way, change in ways.items():
            bench.run(way, lambda path, text, change=change: change(path, text, chance))  # type: ignore[misc]
        bench.run("others", lambda path, text: others(bench.known[path])(text, chance))
        return bench.found, bench.rows


class _Bench:
    def __init__(
        self, repository: Repository, product: Product, parsers: Parsers, texts: dict[str, str]
    ) -> None:
        self.repository, self.product, self.parsers = repository, product, parsers
        self.texts = {path: text.replace("\r\n", "\n").removeprefix("\ufeff") for path, text in texts.items()}
        self.raw = texts
        self.known = {path: one for path, one in self._read(self.texts).items() if one}
        places = [(path, one) for path, symbols in self.known.items() for one in symbols]
        self.links = dict(zip(places, product.links(places), strict=True))
        self.found: Counter[tuple[str, str]] = Counter()
        self.rows: list[dict[str, Any]] = []

    def _read(self, texts: dict[str, str]) -> dict[str, list[Known] | None]:
        found: dict[str, list[Known] | None] = {}
        for language in {language_of(path) for path in texts}:
            some = {path: text for path, text in texts.items() if language_of(path) == language}
            found |= self.parsers.read(language, some)
        return found

    def run(self, way: str, change: Callable[[str, str], str | None]) -> None:
        """Change all files, ask for each symbol, and change them back."""
        made = {path: change(path, self.texts[path]) for path in self.known}
        texts = {path: text for path, text in made.items() if text is not None and text != self.texts[path]}
        after = {path: one for path, one in self._read(texts).items() if one is not None}
        for path in after:
            (self.repository.folder / path).write_text(texts[path], "utf-8")
        before = {path: self.known[path] for path in after}
        versions = Versions(before, after, {}, lambda side, path: (self.texts, texts)[side][path])
        places = [(path, one) for path in after for one in self.known[path]]
        answers = dict(zip(places, self.product.ask([self.links[place] for place in places]), strict=True))
        for path in after:
            for number, one in enumerate(self.known[path]):
                answer = answers[path, one]
                if answer is None:
                    self.found[way, "unlinked"] += 1
                    continue
                truth = versions.truth(path, number).state
                said = f"{truth} -> {answer.state}"
                self.found[way, said] += 1
                if truth == "fresh" != answer.state:
                    old = self.texts[path].split("\n")[one.first - 1 : one.last]
                    new = texts[path].split("\n")[(answer.first or 1) - 1 : answer.last]
                    self.rows.append(
                        {
                            "way": way,
                            "path": path,
                            "name": one.name,
                            "said": said,
                            "what": answer.what,
                            "old": old,
                            "new": new,
                            "files": (self.texts[path], texts[path]),
                        }
                    )
        for path in after:
            (self.repository.folder / path).write_bytes(self.raw[path].encode())


if __name__ == "__main__":
    main()
