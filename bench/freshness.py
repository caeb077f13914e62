"""Whether cited code is followed through real history: cited at old commits, looked for at a newer one.

    python bench/freshness.py FOLDER [FOLDER …] [--count 100] [--read 20] [--json FILE]

Each FOLDER is a git repository (a bare one too). Functions and ranges of lines of its main language are cited
at several old commits, then the newest commit is checked out and the citations are asked what became of them,
as `validate` asks.

What is right is told by others than the code under test. `git blame --reverse` says of each old line where it
is now, through every commit between and across renamed files; and `difflib` compares the two versions of the
file directly. Where the two differ, either is taken as right, and their number is printed. The classes:

- all lines stand, in their order and nothing between them: fresh where they were, else moved, at that place
  exactly;
- some stand: changed, at a range that holds four fifths of those that stand, and is not twice as long;
- of fewer than a quarter: changed or gone; nobody can say from which share on it is the same code;
- none stand: gone; where `difflib` shows other lines in their place, also changed at these lines;
- found where neither looks, in another file or past other lines of its own: right if both say none stands,
  and the same lines stand there in a row, or three fifths of them (by `difflib` within that range alone).

White space within lines does not count, nor do lines without a letter or digit, such as a closing brace, to
the share that stands. Every miss is printed with both truths. `--read N`
prints N citations with their texts before and after, for a reader to judge.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import re
import subprocess
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.app.citations import citations_of, cite

if TYPE_CHECKING:
    from recortex.domain.citation import Citation
    from recortex.domain.memory import FileLink

BACK = (60, 250, 600, 1_200)
"""Commits before the newest at which is cited, as far as the history reaches."""
SUFFIXES = (".py", ".go", ".rs", ".js", ".ts", ".java")
LONGEST = 60
"""Lines of a range."""
FEW, HELD, STRETCH, ELSEWHERE = 0.25, 0.8, 2.0, 0.6


def bare(line: str) -> str:
    """A line without its white space."""
    return "".join(line.split())


@dataclass
class Repository:
    """A clone of a repository that can be moved through its history."""

    folder: Path
    texts: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def git(self, *words: str, check: bool = True) -> str:
        """What git says."""
        done = subprocess.run(
            ["git", "-c", "core.quotePath=false", *words], cwd=self.folder, capture_output=True, check=check
        )
        return done.stdout.decode("utf-8", "replace")

    def lines(self, commit: str, path: str) -> list[str]:
        """A file at a commit; no lines where it is not there."""
        if (commit, path) not in self.texts:
            done = subprocess.run(
                ["git", "show", f"{commit}:{path}"], cwd=self.folder, capture_output=True, check=False
            )
            text = done.stdout.decode("utf-8", "replace")
            self.texts[commit, path] = [] if done.returncode else re.split(r"\r\n|\r|\n", text)
        return self.texts[commit, path]


@dataclass(frozen=True)
class Truth:
    """Where each line of a range is now, by its old number: (path, line); what is not there is gone."""

    stands: dict[int, tuple[str, int]]
    replaced: tuple[str, int, int] | None = None


def blamed(repository: Repository, old: str, new: str, path: str) -> dict[int, tuple[str, int]]:
    """By `git blame --reverse`: where each line of an old file is now."""
    said = repository.git("blame", "--reverse", "-w", "--porcelain", f"{old}..{new}", "--", path, check=False)
    found: dict[int, int] = {}
    names: dict[str, str] = {}
    commit, line, was = "", 0, 0
    for text in said.split("\n"):
        if match := re.match(r"([0-9a-f]{40}) (\d+) (\d+)", text):
            commit, line, was = match[1], int(match[2]), int(match[3])
        elif text.startswith("filename "):
            names[commit] = text[9:]
        elif text.startswith("\t") and commit == new:
            found[was] = line
    return {was: (names[new], line) for was, line in found.items()}


Places = dict[int, tuple[str, int]]
Replaced = tuple[int, int, int, int]


def compared(old: list[str], new: list[str], path: str) -> tuple[Places, list[Replaced]]:
    """By `difflib`: the same, and which lines stand in the place of which."""
    a, b = [(n, bare(one)) for n, one in enumerate(old, 1)], [(n, bare(one)) for n, one in enumerate(new, 1)]
    a, b = [one for one in a if one[1]], [one for one in b if one[1]]
    matcher = SequenceMatcher(None, [one for _, one in a], [one for _, one in b], autojunk=False)
    stands: Places = {}
    replaced = []
    for kind, a1, a2, b1, b2 in matcher.get_opcodes():
        if kind == "equal":
            stands |= {a[a1 + k][0]: (path, b[b1 + k][0]) for k in range(a2 - a1)}
        elif kind == "replace":
            replaced.append((a[a1][0], a[a2 - 1][0], b[b1][0], b[b2 - 1][0]))
    return stands, replaced


class Known(NamedTuple):
    """What the two truths say of an old file, and its name now."""

    by_git: Places
    by_text: Places
    replaced: list[Replaced]
    now: str


def span(found: Citation) -> tuple[int, int]:
    """The lines of an answer; an empty range where it names none."""
    return found.first or 1, found.last or 0


class Judge:
    """Judges citations of one repository between an old and a new commit."""

    def __init__(self, repository: Repository, old: str, new: str) -> None:
        self.repository, self.old, self.new = repository, old, new
        said = repository.git("diff", "-M", "--name-status", "--diff-filter=R", old, new).splitlines()
        self.renames = {before: after for _, before, after in (line.split("\t") for line in said)}
        self._known: dict[str, Known] = {}

    def known(self, path: str) -> Known:
        """What is known of an old file."""
        if path not in self._known:
            by_git = blamed(self.repository, self.old, self.new, path)
            names = Counter(name for name, _ in by_git.values())
            now = path if self.repository.lines(self.new, path) else self.renames.get(path, "")
            now = now or (names.most_common(1)[0][0] if names else path)
            before, after = self.repository.lines(self.old, path), self.repository.lines(self.new, now)
            self._known[path] = Known(by_git, *compared(before, after, now), now)
        return self._known[path]

    def truths(self, path: str, first: int, last: int) -> tuple[Truth, Truth]:
        """By git and by difflib, of the lines of a range that say something."""
        known, said = self.known(path), self.said(path, first, last)
        places = (
            (known.now, b1, b2) for a1, a2, b1, b2 in known.replaced if a1 <= said[0] and said[-1] <= a2
        )
        replaced = next(places, None)
        by_git, by_text = (
            Truth({n: one[n] for n in said if n in one}, replaced) for one in (known.by_git, known.by_text)
        )
        return by_git, by_text

    def renamed(self, path: str, truths: tuple[Truth, Truth]) -> set[str]:
        """What a file that is not there any more was renamed to, if some of the cited lines stand there."""
        if self.repository.lines(self.new, path):
            return set()
        return {name for truth in truths for name, _ in truth.stands.values()}

    def said(self, path: str, first: int, last: int) -> list[int]:
        """The numbers of the lines that say something."""
        lines = self.repository.lines(self.old, path)
        told = [n for n in range(first, last + 1) if any(map(str.isalnum, lines[n - 1]))]
        return told or [n for n in range(first, last + 1) if bare(lines[n - 1])]

    def text(self, commit: str, path: str, first: int, last: int) -> list[str]:
        """The lines of a range that are not blank, without white space."""
        lines = self.repository.lines(commit, path)
        return [one for one in map(bare, lines[first - 1 : last]) if one]

    def right(self, truth: Truth, path: str, first: int, last: int, found: Citation) -> tuple[bool, str]:
        """Whether an answer is right by a truth, and the class that the truth gives."""
        said = self.said(path, first, last)
        share = len(truth.stands) / len(said)
        if share == 1.0:
            places = [truth.stands[n] for n in said]
            name, a, b = places[0][0], places[0][1], places[-1][1]
            numbers = [n for _, n in places]
            together = {one for one, _ in places} == {name} and numbers == sorted(numbers)
            whole = self.text(self.old, path, first, last)
            shift = a - said[0]
            if together and self.text(self.new, name, first + shift, b + last - said[-1]) == whole:
                expected = "fresh" if (name, shift) == (path, 0) else "moved"
                same = (found.path, found.first, found.last) == (name, first + shift, b + last - said[-1])
                return (found.state == expected and same), expected
        if share == 0.0:
            if found.state == "gone":
                return True, "gone"
            if truth.replaced and found.state == "changed" and found.path == truth.replaced[0]:
                _, b1, b2 = truth.replaced
                return not (span(found)[1] < b1 or span(found)[0] > b2), "gone"
            return False, "gone"
        if found.state == "gone" and share < FEW:
            return True, "few"
        name, _ = Counter(one for one, _ in truth.stands.values()).most_common(1)[0]
        numbers = [n for one, n in truth.stands.values() if one == name]
        held = found.path == name and found.first is not None and self._covers(found, numbers)
        return (found.state == "changed" and held), "few" if share < FEW else "changed"

    def _covers(self, found: Citation, numbers: list[int]) -> bool:
        """Whether a range holds most of the lines that stand, and is not much longer."""
        first, last = span(found)
        cited = (found.link.line_end or 0) - (found.link.line_start or 0) + 1
        inside = sum(first <= n <= last for n in numbers)
        most = max(max(numbers) - min(numbers) + 1, cited)
        return inside >= HELD * len(numbers) and last - first + 1 <= STRETCH * most + 5

    def elsewhere(self, path: str, first: int, last: int, found: Citation) -> bool:
        """Whether the cited lines stand where the answer says, though both truths say that none stand."""
        if found.first is None or found.state not in {"moved", "changed"}:
            return False
        was, now = (
            self.text(self.old, path, first, last),
            self.text(self.new, found.path, *span(found)),
        )
        if found.state == "moved":
            return was == now
        blocks = SequenceMatcher(None, was, now, autojunk=False).get_matching_blocks()
        return sum(block.size for block in blocks) >= ELSEWHERE * len(was)


def functions(path: str, lines: list[str]) -> list[tuple[int, int]]:
    """The functions and classes of a file, as ranges."""
    if path.endswith(".py"):
        try:
            tree = ast.parse("\n".join(lines))
        except SyntaxError:
            return []
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        return [
            (one.lineno, one.end_lineno or one.lineno) for one in ast.walk(tree) if isinstance(one, kinds)
        ]
    begins = re.compile(
        r"^(\s*)(?:func |(?:pub(?:\(\w+\))? )?(?:async )?fn |(?:export )?(?:async )?function |class ).*\{\s*$"
    )
    found = []
    for n, line in enumerate(lines, 1):
        if match := begins.match(line):
            end = next((m for m in range(n, len(lines)) if lines[m].startswith(f"{match[1]}}}")), None)
            if end is not None:
                found.append((n, end + 1))
    return found


def sample(repository: Repository, old: str, count: int, chance: random.Random) -> list[tuple[str, int, int]]:
    """As many functions as ranges of the main language, of files with more than 20 lines."""
    paths = repository.git("ls-tree", "-r", "--name-only", old).splitlines()
    suffix = Counter(Path(path).suffix for path in paths if path.endswith(SUFFIXES)).most_common(1)[0][0]
    files = [path for path in paths if path.endswith(suffix) and len(repository.lines(old, path)) > 20]
    symbols = [(path, *one) for path in files for one in functions(path, repository.lines(old, path))]
    found = chance.sample(symbols, min(count // 2, len(symbols)))
    while len(found) < count:
        path = chance.choice(files)
        lines = repository.lines(old, path)
        first = chance.randrange(1, len(lines))
        last = min(first + int(chance.triangular(0, LONGEST, 3)), len(lines) - 1)
        while first <= last and not bare(lines[first - 1]):
            first += 1
        while last >= first and not bare(lines[last - 1]):
            last -= 1
        if first <= last:
            found.append((path, first, last))
    return found


class Asked(NamedTuple):
    """A citation and what became of it."""

    old: str
    link: FileLink
    found: Citation

    @property
    def place(self) -> tuple[str, int, int]:
        """Where it was cited."""
        return self.link.path, self.link.line_start or 1, self.link.line_end or 1


def main() -> None:
    """Cite, move on, ask, judge."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--read", type=int, default=0)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    figures = [run(folder, chosen) for folder in chosen.folders]
    if chosen.json:
        chosen.json.write_text(json.dumps(figures, indent=1))


def run(folder: Path, chosen: argparse.Namespace) -> dict[str, Any]:
    """One repository."""
    chance = random.Random(f"{chosen.seed} {folder.parent.name}")
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["git", "clone", "-q", str(folder), place], check=True)
        repository = Repository(Path(place))
        commits = repository.git("log", "--first-parent", "--format=%H").split()
        cited = at_old_commits(repository, commits, chosen.count, chance)
        repository.git("checkout", "-q", commits[0])
        began = time.perf_counter()
        found = citations_of(repository.folder, [link for _, link in cited], "tree")
        seconds = time.perf_counter() - began
        judges = {old: Judge(repository, old, commits[0]) for old, _ in cited}
        asked = [Asked(old, link, one) for (old, link), one in zip(cited, found, strict=True)]
        print(f"== {folder.parent.name}: {len(asked)} citations asked in {seconds:.2f} s")
        figures = told(judges, asked) | moved(repository, chosen.count, chance)
        for one in chance.sample(asked, min(chosen.read, len(asked))):
            shown(judges[one.old], one)
    print({"repository": folder.parent.name} | figures)
    return {"repository": folder.parent.name, "seconds": round(seconds, 3)} | figures


def at_old_commits(
    repository: Repository, commits: list[str], count: int, chance: random.Random
) -> list[tuple[str, FileLink]]:
    """Citations at several old commits, about as many at each."""
    back = [one for one in BACK if one < len(commits)]
    cited = []
    for nth, steps in enumerate(back):
        old, share = commits[steps], count * (nth + 1) // len(back) - count * nth // len(back)
        repository.git("checkout", "-q", old)
        places = sample(repository, old, share, chance)
        cited += [(old, cite(repository.folder, path, first, last, old)) for path, first, last in places]
    return cited


def told(judges: dict[str, Judge], asked: list[Asked]) -> dict[str, Any]:
    """The figures; prints the classes and each miss."""
    counts: Counter[str] = Counter()
    classes: Counter[tuple[str, str]] = Counter()
    for one in asked:
        judge, found = judges[one.old], one.found
        truths = judge.truths(*one.place)
        answers = [judge.right(truth, *one.place, found) for truth in truths]
        nowhere = not any(truth.stands for truth in truths)
        beside = nowhere and judge.elsewhere(*one.place, found) and not any(well for well, _ in answers)
        well = beside or any(well for well, _ in answers)
        to = judge.renamed(one.link.path, truths)
        counts += Counter(
            right=well,
            truths_differ=answers[0][1] != answers[1][1],
            found_past_the_truths=beside,
            renamed=bool(to),
            followed=bool(to) and (found.path in to or beside),
        )
        classes[next((name for good, name in answers if good), answers[0][1]), found.state] += 1
        if not well:
            spans = [sorted(n for _, n in truth.stands.values()) for truth in truths]
            where = [f"{len(n)} stand, {n[0]}-{n[-1]}" if n else "none stand" for n in spans]
            print(f"MISS {one.old[:8]} {found.was} -> {found.state} {found.path}:{found.first}-{found.last}")
            print(
                f"     {found.what}; git: {answers[0][1]}, {where[0]}; difflib: {answers[1][1]}, {where[1]}"
            )
    for (expected, state), count in sorted(classes.items()):
        print(f"   {expected:8} answered {state:8} {count}")
    size = sum(len(one.link.signature) for one in asked) / len(asked)
    share = round(counts["right"] / len(asked), 4)
    return {"citations": len(asked), "share": share, **counts, "characters": round(size, 1)}


def moved(repository: Repository, count: int, chance: random.Random) -> dict[str, str]:
    """How many are followed at once after their files were moved, in several ways, without a commit."""
    commit = repository.git("rev-parse", "HEAD").strip()
    places = [(path, a, b) for path, a, b in sample(repository, commit, count, chance) if b - a >= 2]
    links = [cite(repository.folder, *place, commit) for place in places]
    ways = {"git mv": False, "mv": False, "mv and edited": True, "mv without git": False}
    figures = {}
    for way, edited in ways.items():
        for path in {link.path for link in links}:
            move(repository, path, "elsewhere/" + path, way, edited=edited, chance=chance)
        hidden = repository.folder / ".git", repository.folder / ".hidden"
        if way.endswith("without git"):
            hidden[0].rename(hidden[1])
        found = citations_of(repository.folder, links, "tree")
        if way.endswith("without git"):
            hidden[1].rename(hidden[0])
        well = sum(one.path == "elsewhere/" + one.link.path for one in found)
        figures[way] = f"{well} of {len(links)}"
        repository.git("reset", "-q", "--hard")
        repository.git("clean", "-qfd")
    return figures


def move(
    repository: Repository, path: str, to: str, way: str, *, edited: bool, chance: random.Random
) -> None:
    """Move a file, and maybe change every tenth of its lines."""
    source, target = repository.folder / path, repository.folder / to
    target.parent.mkdir(parents=True, exist_ok=True)
    if way == "git mv":
        repository.git("mv", path, to)
    else:
        source.rename(target)
    if edited:
        lines = target.read_bytes().splitlines(keepends=True)
        target.write_bytes(b"".join(b"edited " + one if chance.random() < 0.1 else one for one in lines))


def shown(judge: Judge, one: Asked) -> None:
    """A citation with its text before and after, for a reader."""
    found, (path, first, last) = one.found, one.place
    print(f"\n---- {one.old[:8]} {found.was} -> {found.state} {found.told}")
    before = judge.repository.lines(one.old, path)[first - 1 : last]
    print("\n".join(f"  - {line}" for line in before[:14]))
    if found.state != "gone" and found.first:
        after = judge.repository.lines(judge.new, found.path)[found.first - 1 : found.last]
        print("\n".join(f"  + {line}" for line in after[:14]))


if __name__ == "__main__":
    main()
