"""The code of a repository's commits, and symbols drawn between two of them, with what became of each."""

from __future__ import annotations

import random
import re
import subprocess
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from symbol_trees import CTAGS, ENDINGS, LARGEST, Known, Parsers, language_of, overlooked
from symbol_truth import Truth, Versions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

GAPS = {
    1: {"changed": 3, "moved": 3, "gone": 2, "fresh": 4},
    10: {"changed": 2, "moved": 2, "gone": 1, "fresh": 2},
}
GAPS[50] = GAPS[10]
EVERY = {1: 1, 10: 2, 50: 2}
"""How many symbols of each state are drawn by the number of commits between, and at which commits."""
MOST_VANISHED, MOST_NEW = 40, 3_000
FOREIGN = re.compile(r"(^|/)(vendor|node_modules|third_party|dist|bundled)/|\.min\.js$|\.pb\.go$|_pb2\.py$")


class Repository:
    """A clone that can be moved through its history."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = cache(self._files)
        self._raw: dict[str, bytes] = {}
        self.text = cache(self._text)
        self._laid: dict[str, str] = {}

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", "-c", "core.quotePath=false", *words], cwd=self.folder, capture_output=True, check=True
        )
        return done.stdout.decode("utf-8", "replace")

    def commits(self, count: int, skip: int) -> list[str]:
        """Those that touch code, oldest first."""
        said = self.git(
            "log", "--first-parent", "-m", "--no-renames", "--format=%x00%H", "--name-only", "-n6000"
        )
        rows = (one.strip().split("\n") for one in said.split("\0")[1:])
        touching = [row[0] for row in rows if any(is_code(path) for path in row[1:])]
        return touching[skip : skip + count + 1][::-1]

    def _files(self, commit: str) -> dict[str, str]:
        """The blobs of code by path."""
        rows = (
            row.split("\t", 1) for row in self.git("ls-tree", "-r", "-z", "-l", commit).split("\0") if row
        )
        said = ((head.split(), path) for head, path in rows)
        return {
            path: head[2]
            for head, path in said
            if head[1] == "blob" and is_code(path) and int(head[3]) < LARGEST and head[0] != "120000"
        }

    def _text(self, blob: str) -> str:
        """Of a blob; its lines end as they do everywhere."""
        self.fetch([blob])
        text = self._raw[blob].decode("utf-8", "replace").removeprefix("\ufeff")
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def fetch(self, blobs: Iterable[str]) -> None:
        """Read many at once."""
        wanted = [one for one in dict.fromkeys(blobs) if one not in self._raw]
        asked = "\n".join(wanted).encode()
        command = ["git", "cat-file", "--batch"]
        said = subprocess.run(command, cwd=self.folder, input=asked, capture_output=True, check=True).stdout
        at = 0
        for blob in wanted:
            end = said.index(b"\n", at)
            size = int(said[at:end].split()[2])  # fails where a clone lacks a file
            self._raw[blob] = said[end + 1 : end + 1 + size]
            at = end + size + 2

    def lay(self, commit: str) -> None:
        """Make the folder have the code of a commit, as a checkout does; other files are left out."""
        files = self.files(commit)
        self.fetch(files.values())
        for path in self._laid.keys() - files.keys():
            (self.folder / path).unlink()
        for path, blob in files.items():
            if self._laid.get(path) != blob:
                place = self.folder / path
                if not place.parent.is_dir():
                    place.parent.mkdir(parents=True)
                place.write_bytes(self._raw[blob])
        self._laid = files

    def changed(self, old: str, new: str) -> tuple[list[str], list[str], dict[str, str]]:
        """Files that were touched, by their old and their new names; renamed ones from old to new."""
        only = [f"*{ending}" for ending in ENDINGS]
        said = iter(self.git("diff", "-M", "--name-status", "-z", old, new, "--", *only).split("\0"))
        before, after, renamed = [], [], {}
        for status in said:
            if not status:
                break
            one = other = next(said)
            if status[0] in "RC":
                other = next(said)
            if status[0] == "R":
                renamed[one] = other
            before += [one] if status[0] in "MDRT" else []
            after += [other] if status[0] in "MARTC" else []
        return before, after, renamed


def _renamed_scope(one: Known, now: Iterable[Known]) -> bool:
    """Whether a file has one of its plain name: ctags does not always say the same of what it lies in."""
    return any((other.plain, other.kind) == (one.plain, one.kind) for other in now)


def is_code(path: str) -> bool:
    return bool(language_of(path)) and not FOREIGN.search(path)


class Drawn(NamedTuple):
    """A symbol to be linked at one commit and asked for at another, by their numbers."""

    old: int
    new: int
    path: str
    one: Known
    truth: Truth


@dataclass
class Draw:
    """Draws symbols of one repository."""

    repository: Repository
    commits: list[str]
    parsers: Parsers
    chance: random.Random
    known: dict[tuple[str, str], list[Known] | None] = field(default_factory=dict)

    def all(self) -> list[Drawn]:
        pairs = [(old, old + gap) for gap in GAPS for old in range(0, len(self.commits) - gap, EVERY[gap])]
        changed = {
            (old, new): self.repository.changed(self.commits[old], self.commits[new]) for old, new in pairs
        }
        self._parse(changed)
        return [one for pair in pairs for one in self._of(*pair, changed[pair])]

    def _parse(self, changed: dict[tuple[int, int], tuple[list[str], list[str], dict[str, str]]]) -> None:
        wanted: dict[str, dict[str, str]] = defaultdict(dict)
        for (old, new), (before, after, _) in changed.items():
            for commit, paths in ((old, before), (new, after)):
                blobs = self.repository.files(self.commits[commit])
                for path in paths:
                    if path in blobs:
                        wanted[language_of(path)][blobs[path] + Path(path).suffix] = blobs[path]
        for language, blobs in wanted.items():
            self.repository.fetch(blobs.values())
            texts = {key: self.repository.text(blob) for key, blob in blobs.items()}
            for key, symbols in self.parsers.read(language, texts).items():
                self.known[language, key] = symbols

    def _symbols(self, commit: int, paths: Iterable[str]) -> tuple[dict[str, list[Known]], bool]:
        """The symbols of files, and whether all could be read."""
        blobs = self.repository.files(self.commits[commit])
        seen = {
            path: self.known.get((language_of(path), blobs[path] + Path(path).suffix))
            for path in paths
            if path in blobs
        }
        good = {path: symbols for path, symbols in seen.items() if symbols is not None}
        return good, len(good) == len(seen)

    def _of(
        self, old: int, new: int, changed: tuple[list[str], list[str], dict[str, str]]
    ) -> Iterator[Drawn]:
        (before, _), (after, whole) = self._symbols(old, changed[0]), self._symbols(new, changed[1])
        if sum(map(len, after.values())) > MOST_NEW:
            whole = False

        def text(side: int, path: str) -> str:
            commit = self.commits[(old, new)[side]]
            return self.repository.text(self.repository.files(commit)[path])

        versions = Versions(before, after, changed[2], text)
        places = [(path, index) for path in sorted(before) for index in range(len(before[path]))]
        self.chance.shuffle(places)
        by_state: dict[str, list[Drawn]] = defaultdict(list)
        vanished = 0
        lost = {
            name
            for path, symbols in after.items()
            for name in overlooked(language_of(path), text(1, path), symbols)
        }
        unread = {path for path in changed[1] if path not in after and is_code(path)}
        for path, index in places:
            one = before[path][index]
            if path in unread or changed[2].get(path) in unread:
                continue
            if not versions.stands(path, one):
                if language_of(path) in CTAGS and _renamed_scope(
                    one, after.get(changed[2].get(path, path), ())
                ):
                    continue
                vanished += 1
                if vanished > MOST_VANISHED or not whole or one.plain.lstrip("~") in lost:
                    continue
            truth = versions.truth(path, index)
            by_state[truth.state].append(Drawn(old, new, path, one, truth))
        for state, most in GAPS[new - old].items():
            found = by_state[state]
            if state == "fresh":
                found.sort(key=lambda drawn: drawn.truth.cause == "others")
                found = [*found[: most // 2], *[x for x in found[most // 2 :] if x.truth.cause == "others"]]
            yield from found[:most]
