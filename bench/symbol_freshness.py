"""Whether symbols that memories hang on are followed through real commits: fresh, moved, changed or gone.

    python bench/symbol_freshness.py CLONE … [--commits 90] [--skip 0] [--typescript FOLDER]
        [--rust PROGRAM] [--php FOLDER] [--rows FILE] [--draws FOLDER]

Each CLONE is a git repository, a bare one too. Of its last commits on the first-parent line that touch code
(`--skip` leaves out the newest), symbols of the files are drawn that the next one, the next ten, or the next
fifty of them touch: of each state some, as far as there are, the draw is fixed. They are linked at the older
commit and asked for at the newer one. What is right is told by `symbol_truth.py`, from the trees of other
parsers (`symbol_trees.py`); where that says that two answers are right, both are, and the table tells how
often. An answer is right with its state and its place. Printed are the states against the truth, what is
taken for stale though only layout, comments or other symbols changed, the share of moved ones that are found,
and how often the first changed line is right. `--rows` writes each answer as a line of JSON; `--draws` names
a folder in which what was drawn is kept, with its truth, for the next run.

`--typescript` names a folder with `node_modules/typescript`; `--rust` the program that cargo builds from
`code_tools/trees_rust` (with syn 1); `--php` the folder that `PhpParser/autoload.php` is in.
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
import re
import subprocess
import tempfile
from collections import Counter, defaultdict
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from recortex.app.symbols import judge, open_code
from recortex.domain.code_facts import CALLABLE, CONTAINERS
from recortex.engines.code.freshness import link_of
from symbol_history import Draw, Drawn, Repository
from symbol_trees import Known, Parsers, language_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from recortex.app.store_services import StoreServices
    from recortex.codebase.syntax.current_code import CurrentCode
    from recortex.domain.citation import Citation
    from recortex.domain.memory import SymbolLink
    from symbol_truth import Place, Truth

SAME = 0.6
"""The share of lines that two places of one symbol have in common: parsers differ in comments at its ends."""
STATES = ("fresh", "moved", "changed", "gone")


class Product:
    """What is measured: links of symbols to the code as it is, and what became of them, as `recall` asks."""

    def __init__(self, folder: Path, facts: Path) -> None:
        self.folder, self.facts = folder, facts

    def links(self, places: Sequence[tuple[str, Known]]) -> list[SymbolLink | None]:
        """Links to symbols whose names stand on known lines; None for what our facts do not have."""
        code = open_code(self.facts, self.folder, make=True)
        assert code is not None
        with closing(code):
            code.refresh()
            return [self._link(code, path, one) for path, one in places]

    def _link(self, code: CurrentCode, path: str, one: Known) -> SymbolLink | None:
        now = code.of(path)
        for symbol in now.facts.symbols if now and now.facts else ():
            same = symbol.line == one.line and symbol.plain.lstrip("~") == one.plain.lstrip("~")
            if now and now.facts and same and symbol.kind in CALLABLE | CONTAINERS:
                copies = code.copies(symbol.hash, path)
                return link_of(path, now.facts, symbol, key=now.key, copies=copies)
        return None

    def ask(self, links: Sequence[SymbolLink | None]) -> list[Citation | None]:
        """What became of each; None of what was not linked, or cannot be compared."""
        asked = {str(number): [link] for number, link in enumerate(links) if link}
        services = cast("StoreServices", SimpleNamespace(facts=self.facts))
        found = judge(services, asked, self.folder, "tree")
        return [next(iter(found.get(str(number), ())), None) for number in range(len(links))]


class Row(NamedTuple):
    """A drawn symbol and its answer."""

    repository: str
    language: str
    gap: int
    commits: tuple[str, str]
    path: str
    name: str
    kind: str
    line: int
    truth: str
    either: bool
    cause: str
    wanted: list[str]
    answer: str
    place: str
    what: str
    right: bool
    first: str
    lines: tuple[int, ...]


def rows_of(
    name: str, repository: Repository, commits: Sequence[str], drawn: Sequence[Drawn]
) -> Iterator[Row]:
    """Goes through the commits once, links and asks."""
    link_at, ask_at = defaultdict(list), defaultdict(list)
    for one in drawn:
        link_at[one.old].append(one)
        ask_at[one.new].append(one)
    with tempfile.TemporaryDirectory() as place:
        product = Product(repository.folder, Path(place) / "facts.db")
        links: dict[int, SymbolLink | None] = {}
        for number, commit in enumerate(commits):
            if number not in link_at and number not in ask_at:
                continue
            repository.lay(commit)
            asked = [links[id(one)] for one in ask_at[number]]
            for one, link, found in zip(ask_at[number], asked, product.ask(asked), strict=True):
                pair = (commits[one.old][:10], commit[:10])
                yield row(name, pair, one, found, linked=link is not None)
            made = product.links([(one.path, one.one) for one in link_at[number]])
            links |= {id(one): link for one, link in zip(link_at[number], made, strict=True)}


def row(name: str, commits: tuple[str, str], one: Drawn, found: Citation | None, *, linked: bool) -> Row:
    truth = one.truth
    first = ""
    if found and found.state == truth.state == "changed" and truth.first:
        said = re.search(r"line (\d+)", found.what)
        off = min(abs(int(said[1]) - line) for line in truth.first) if said else 99
        first = "right" if off == 0 else "near" if off == 1 else "wrong"
    return Row(
        repository=name,
        language=language_of(one.path),
        gap=one.new - one.old,
        commits=commits,
        path=one.path,
        name=one.one.name,
        kind=one.one.kind,
        line=one.one.line,
        truth=truth.state,
        either=len(truth.right) > 1,
        cause=truth.cause,
        wanted=[
            f"{state} {where.path}:{where.one.line} {where.one.name}"
            for state, places in truth.right.items()
            for where in places
        ],
        answer=found.state if found else "none" if linked else "unlinked",
        place=f"{found.path}:{found.first}-{found.last} {found.renamed}" if found else "",
        what=found.what if found else "",
        right=found is not None and is_right(truth, found),
        first=first,
        lines=truth.first,
    )


def is_right(truth: Truth, found: Citation) -> bool:
    """Its state is one of those that are right, and its place one of those of that state."""
    if found.state not in truth.right:
        return False
    return found.state == "gone" or any(_at(place, found) for place in truth.right[found.state])


def _at(place: Place, found: Citation) -> bool:
    """Whether a place is that of an answer: its name lies within, and most lines of both are the same."""
    first, last, one = found.first or 0, found.last or 0, place.one
    if place.path != found.path or not first <= one.line <= last:
        return False
    both = min(last, one.last) - max(first, one.first) + 1
    return both >= SAME * (max(last, one.last) - min(first, one.first) + 1) or abs(last - one.last) <= 1


def report(rows: Sequence[Row]) -> None:
    """The tables."""
    linked = [one for one in rows if one.answer != "unlinked"]
    print(
        f"symbols {len(rows)}, commits {len({(one.repository, one.commits[1]) for one in rows})},"
        f" linked {len(linked)}"
    )
    print(
        f"right {share(one.right for one in linked)},"
        f" of them two answers are right for {sum(one.either for one in linked)}"
    )
    for what in ("gap", "language", "repository"):
        for value in sorted({getattr(one, what) for one in linked}):
            some = [one for one in linked if getattr(one, what) == value]
            print(f"  {what:10} {value!s:28} {share(one.right for one in some)}")
    for truth in STATES:
        some = [one for one in linked if one.truth == truth]
        said = Counter(one.answer if one.right or one.answer != truth else "elsewhere" for one in some)
        print(f"  {truth:8} {share(one.right for one in some):24} {dict(said)}")
    fresh = [one for one in linked if one.truth == "fresh"]
    stale = Counter(one.cause for one in fresh if one.answer in {"changed", "gone"})
    print(
        "false stale by what changed:",
        {cause: f"{stale[cause]} of {n}" for cause, n in Counter(one.cause for one in fresh).items()},
    )
    moved = [one for one in linked if one.truth == "moved"]
    sure = [one for one in moved if not one.either]
    print(
        f"healed {share(one.right for one in sure)};"
        f" with those where gone is right too {share(one.answer == 'moved' for one in moved)}"
    )
    print("first changed line:", dict(Counter(one.first for one in linked if one.first)))
    print(flush=True)


def share(right: Iterable[bool]) -> str:
    seen = list(right)
    return f"{100 * sum(seen) / max(1, len(seen)):.2f} % ({sum(seen)} of {len(seen)})"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("clones", type=Path, nargs="+")
    parser.add_argument("--commits", type=int, default=90)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--rows", type=Path)
    parser.add_argument("--draws", type=Path)
    add_tools(parser)
    given = parser.parse_args()
    parsers = Parsers.of(given)
    rows: list[Row] = []
    for clone in given.clones:
        rows += of_clone(clone, given, parsers)
        if given.rows:
            given.rows.write_text("\n".join(json.dumps(one._asdict()) for one in rows))
    if len(given.clones) > 1:
        report(rows)


def add_tools(parser: argparse.ArgumentParser) -> None:
    """The arguments that say where the other parsers are."""
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--typescript", default="")
    parser.add_argument("--rust", default="trees")
    parser.add_argument("--php", default="/usr/share/php")


def of_clone(clone: Path, given: Any, parsers: Parsers) -> list[Row]:
    """One repository."""
    name = clone.parent.name if clone.name == "repo" else clone.name
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", str(clone), place], check=True)
        repository = Repository(Path(place))
        commits = repository.commits(given.commits, given.skip)
        draw = Draw(repository, commits, parsers, random.Random(f"{given.seed} {name}"))
        kept = given.draws and given.draws / f"{name}-{given.commits}-{given.skip}-{given.seed}.pickle"
        if kept and kept.exists():
            drawn = pickle.loads(kept.read_bytes())  # noqa: S301  made by this bench
        else:
            drawn = draw.all()
            if kept:
                kept.write_bytes(pickle.dumps(drawn))
        print(f"== {name}: {len(commits)} commits, {len(drawn)} symbols drawn", flush=True)
        rows = list(rows_of(name, repository, commits, drawn))
    report(rows)
    return rows


if __name__ == "__main__":
    main()
