"""What git ignores: in a repository git says so, asked once; elsewhere `.gitignore` files are read here.

Such a file may come from a stranger. Git runs with a limit of time, without the repository's configuration;
here a pattern is matched part by part, each in time proportional to the length of a name, and one that is
longer or has more stars than anybody writes is not used.
"""

from __future__ import annotations

import os
import re
from fnmatch import translate
from typing import TYPE_CHECKING, NamedTuple

from recortex.codebase.git import ignored_paths
from recortex.errors import UntrustedFileError
from recortex.filesystem import read_regular

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

MOST_BYTES = 256 * 1024
"""Of a file with what git ignores."""
MOST_PATTERNS, LONGEST, MOST_STARS = 1_000, 256, 16
"""Patterns of one file; characters and stars of one pattern. What is beyond is not used."""
SECONDS = 10.0
"""For git to list what it ignores."""
_ESCAPED = re.compile(r"\\(.)")
_TRAILING = re.compile(r"(?<!\\)((?:\\\\)++)[ \t]++$|(?:(?<![\\ \t])|(?<=\\[ \t]))[ \t]++$")


class Listed(NamedTuple):
    """What a repository ignores.

    Attributes:
        top: of its working tree.
        paths: from there, with slashes; a folder's ends with one, and stands for all in it.
    """

    top: str
    paths: frozenset[str]

    def says(self, relative: str, *, folder: bool) -> bool | None:
        """Whether a path is ignored."""
        return (f"{relative}/" if folder else relative) in self.paths


class Rule(NamedTuple):
    """One pattern.

    Attributes:
        parts: of the names on the way; None: any number of folders. A single one is of the last name.
        includes: it takes back what an earlier one ignores.
        folders: it is about folders alone.
        anchored: it begins at the folder of its file.
    """

    parts: tuple[re.Pattern[str] | None, ...]
    includes: bool
    folders: bool
    anchored: bool

    def matches(self, names: Sequence[str], *, folder: bool) -> bool:
        """Whether a path fits, given by the names on the way."""
        if self.folders and not folder:
            return False
        return _fits(names if self.anchored else names[-1:], self.parts)


class Patterns(NamedTuple):
    """What a `.gitignore` says about the paths below its folder, the last rule that fits first."""

    top: str
    rules: tuple[Rule, ...]

    def says(self, relative: str, *, folder: bool) -> bool | None:
        """Whether a path is ignored; None where the file says nothing about it."""
        names = relative.split("/")
        # The rules are kept in reverse: the last one that fits decides, as with git.
        for rule in self.rules:
            if rule.matches(names, folder=folder):
                return not rule.includes
        return None


Ignored = Listed | Patterns


def hides(ignored: Sequence[Ignored], path: str, *, folder: bool) -> bool:
    """Whether git ignores a path: the nearest file that says something about it decides."""
    for one in reversed(ignored):
        relative = os.path.relpath(path, one.top).replace(os.sep, "/")
        said = one.says(relative, folder=folder)
        if said is not None:
            return said
    return False


def ignored_above(folder: Path) -> tuple[Ignored, ...]:
    """What the repository of a folder ignores; without git, by files above it. Outside of one nothing.

    A folder that is ignored itself hides all that is in it.
    """
    above = [folder, *folder.parents]
    # `.git` may be a file (a worktree, a submodule), and a dangling link still marks a repository.
    top = next((one for one in above if os.path.lexists(one / ".git")), folder)
    inside = above[: above.index(top)]
    if (listed := _listed(top)) is not None:
        ignored: tuple[Ignored, ...] = (listed,)
    else:
        # Git's own order of precedence: the exclude file of the clone is overruled by every `.gitignore`, and
        # each of these by the ones further down.
        ignored = with_own((), top, ".git/info/exclude")
        for one in reversed(above[: above.index(top) + 1]):
            if one != folder:
                ignored = with_own(ignored, one)
    # Git does not look into an ignored folder: a rule further down cannot take a file back.
    if any(hides(ignored, str(one), folder=True) for one in inside):
        return (Patterns(str(folder), (_EVERYTHING,)),)
    return ignored


def with_own(above: tuple[Ignored, ...], folder: Path, name: str = ".gitignore") -> tuple[Ignored, ...]:
    """What is ignored above a folder, with what its own file says; one that cannot be read says nothing.

    Where git was asked, it has read these files, but for those of a repository within this one.
    """
    if above and isinstance(above[0], Listed):
        # A repository within the repository has rules of its own, of which the outer one's list says nothing.
        if str(folder) == above[0].top or not os.path.lexists(folder / ".git"):
            return above
        above = ()
    try:
        text = read_regular(folder / name, MOST_BYTES).decode("utf-8", "replace")
    except (OSError, UntrustedFileError, ValueError):
        return above
    return (*above, Patterns(str(folder), tuple(reversed(list(_rules(text))))))


def _listed(top: Path) -> Listed | None:
    """What git says that it ignores in a working tree; None where it does not answer in time."""
    if not os.path.lexists(top / ".git"):
        return None
    found = ignored_paths(top, seconds=SECONDS)
    return None if found is None else Listed(str(top), found)


def _rules(text: str) -> Iterator[Rule]:
    # The file belongs to whoever wrote the repository: limits keep a hostile one from taking our time.
    for line in text.splitlines()[:MOST_PATTERNS]:
        if len(line) <= LONGEST and line.count("*") <= MOST_STARS:
            yield from _rule(line)


def _rule(line: str) -> Iterator[Rule]:
    """The rule of a line; none of a comment, or of one that git would not understand."""
    pattern = _TRAILING.sub(r"\1", line)
    includes = pattern.startswith("!")
    pattern = pattern.removeprefix("!") if includes else pattern
    folders = pattern.endswith("/")
    names = pattern.strip("/").split("/")
    if pattern.startswith("#") or not any(names):
        return
    anchored = "/" in pattern.rstrip("/")
    try:
        parts = [None if name == "**" else _name(name) for name in names]
    except re.error:
        return
    if parts[-1] is None:  # all that is in a folder, and not the folder
        parts.append(_name("*"))
    yield Rule(tuple(parts), includes, folders, anchored)


def _name(pattern: str) -> re.Pattern[str]:
    """The expression of a pattern for one name; it takes time proportional to the length of the name."""
    plain = _ESCAPED.sub(lambda found: f"[{found[1]}]" if found[1] in "*?[" else found[1], pattern)
    return re.compile(translate(plain.replace("[^", "[!")))


def _fits(names: Sequence[str], parts: Sequence[re.Pattern[str] | None]) -> bool:
    """Whether names fit a pattern's parts, each at its place; only the last `**` is tried for longer ones."""
    at = place = 0
    mark = back = -1
    while at < len(names):
        part = parts[place] if place < len(parts) else _NOTHING
        if part is None:
            mark, back, place = place, at, place + 1
        elif part.match(names[at]):
            at, place = at + 1, place + 1
        elif mark >= 0:
            back += 1
            at, place = back, mark + 1
        else:
            return False
    return all(one is None for one in parts[place:])


_NOTHING = re.compile(r"(?!)")
_EVERYTHING = Rule((re.compile(""),), includes=False, folders=False, anchored=False)
