"""A project's decision records and command files, and pieces of its files as text."""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase, translate
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from blake3 import blake3

from recortex import plugins
from recortex.codebase.git import MAX_BYTES, ignored_paths, relative
from recortex.domain.text import lazy
from recortex.errors import InvalidInputError, UntrustedFileError
from recortex.filesystem import read_regular

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

MOST_PATTERNS = 256 * 1024
"""Of a file with what git ignores."""
MOST_PATTERNS, LONGEST, MOST_STARS = 1_000, 256, 16
"""Patterns of one file; characters and stars of one pattern. What is beyond is not used."""
ASKING_SECONDS = 10.0
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
        text = read_regular(folder / name, MOST_PATTERNS).decode("utf-8", "replace")
    except (OSError, UntrustedFileError, ValueError):
        return above
    return (*above, Patterns(str(folder), tuple(reversed(list(_rules(text))))))


def _listed(top: Path) -> Listed | None:
    """What git says that it ignores in a working tree; None where it does not answer in time."""
    if not os.path.lexists(top / ".git"):
        return None
    found = ignored_paths(top, seconds=ASKING_SECONDS)
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


# -- A project's decision records and command files, and pieces of its files as text


ENDINGS = frozenset({".md", ".markdown", ".adoc", ".asciidoc", ".rst"})
_NAMES = lazy(
    r"adrs?$|decisions$|(?:(?:architect\w*|design|technical)[-_ ]?)?decision[-_ ]?(?:records?|logs?)$|"
    r"architect\w*[-_ ]decisions?$",
    re.IGNORECASE,
)
_OTHERS = frozenset(
    """
    node_modules vendor third_party build dist target test tests fixtures template templates
    """.split()
)
"""Folders whose records, if any, are not this project's own."""
_TESTS = lazy(r"(?:.*[-_.])?tests?(?:[-_.].*)?$", re.IGNORECASE)
_RECORD = lazy(r"adr[-_]?\d", re.IGNORECASE)
_DEEPEST, _MOST = 6, 20_000
"""Folders within folders, and folders in all, that are looked at."""
_NAMED_BY, _MOST_NAME = ".adr-dir", 4_096
"""The file in which adr-tools keeps the name of the folder, and the most of it that is read."""


def record_folders(root: Path) -> list[Path]:
    """The folders that hold decision records, by their names, none within another; else files at the top."""
    found = [folder for folder in (_named(root),) if folder is not None]
    for folder in _walk(root):
        if not any(folder.is_relative_to(one) for one in found):
            found.append(folder)
    # Without such a folder, records may stand beside the rest of the project: `adr-001-….md`.
    return found or sorted(
        one for one in root.iterdir() if _RECORD.match(one.name) and one.suffix.lower() in ENDINGS
    )


def _named(root: Path) -> Path | None:
    """The folder that adr-tools was told to use, if it is in the project."""
    try:
        name = read_regular(root / _NAMED_BY, _MOST_NAME).decode().strip()
        folder = (root / name).resolve()
        inside = bool(name) and folder.is_relative_to(root.resolve()) and folder.is_dir()
    except (OSError, UntrustedFileError, ValueError):
        return None
    return root / name if inside else None


def _walk(root: Path) -> Iterator[Path]:
    for seen, (place, folders, files) in enumerate(os.walk(root)):
        depth = len(Path(place).relative_to(root).parts)
        folders[:] = sorted(filter(_of_project, folders)) if depth < _DEEPEST and seen < _MOST else []
        named = _NAMES.match(os.path.basename(place))  # noqa: PTH119
        if depth and named and any(Path(one).suffix.lower() in ENDINGS for one in files):
            yield Path(place)


def _of_project(name: str) -> bool:
    """Whether a folder may hold the project's own records."""
    return not name.startswith(".") and name.lower() not in _OTHERS and not _TESTS.match(name)


# -- finds the documents in files, folders and patterns, but for ignored and hidden ones and links outward


_WILD = frozenset("*?[")
_NEVER = frozenset({"node_modules", "__pycache__"})
"""Folders of other people's files, also where git does not ignore them."""
_DOCUMENT_FILES_DEEPEST = 60
"""Folders within folders."""
SECONDS = 60.0
"""For looking through folders; what was not looked at by then is left out, and told."""


class Place(NamedTuple):
    """A path or pattern that is to be ingested.

    Attributes:
        path: a file or folder, absolute; of a pattern the folder that it begins in.
        pattern: the parts of a pattern below that folder; empty: it is none.
    """

    path: Path
    pattern: tuple[str, ...] = ()

    def covers(self, path: Path) -> bool:
        """Whether a file lies there."""
        if self.pattern:
            return path.is_relative_to(self.path) and _matches(
                path.relative_to(self.path).parts, self.pattern
            )
        return path == self.path or path.is_relative_to(self.path)

    @property
    def written(self) -> str:
        """As one path, with the pattern."""
        return str(self.path.joinpath(*self.pattern))


@dataclass(slots=True)
class Found:
    """What there is at a place.

    Attributes:
        files: to read.
        passed_over: what a person may miss, and why.
        unreadable: folders of which nothing is known now.
        until: the time, by the monotonic clock, after which no further folder is looked through.
    """

    files: list[Path] = field(default_factory=list)
    passed_over: list[tuple[Path, str]] = field(default_factory=list)
    unreadable: list[Path] = field(default_factory=list)
    until: float = field(default_factory=lambda: time.monotonic() + SECONDS)


def place(text: str, folder: Path) -> Place:
    """The place that a path or pattern names, from a folder."""
    path = Path(os.path.normpath(folder / Path(text).expanduser()))
    if path.exists() or not _WILD.intersection(text):
        return Place(path)
    parts = path.parts
    first = next(number for number, part in enumerate(parts) if _WILD.intersection(part))
    return Place(Path(*parts[:first]), parts[first:])


def find(wanted: Place, endings: Collection[str]) -> Found:
    """The documents at a place, in the order of their paths.

    Args:
        wanted: a file is taken whatever its name is; in folders and by patterns only documents are found.
        endings: of the names of documents, in lower case.

    Raises:
        OSError: it is not there, or the folder cannot be read.
    """
    found = Found()
    if not wanted.pattern and not wanted.path.is_dir():
        # Raises an error where it is not there.
        wanted.path.stat()
        found.files.append(wanted.path)
        return found
    # Raises an error where it cannot be read; while walking, such folders are only passed over.
    os.scandir(wanted.path).close()
    links: list[Path] = []
    for path in _document_files_walk(wanted.path, ignored_above(wanted.path), found):
        named = path.suffix.lower() in endings or (
            bool(wanted.pattern) and path.suffix and wanted.pattern[-1].endswith(path.suffix)
        )
        if named and wanted.covers(path):
            (links if path.is_symlink() else found.files).append(path)
    # Take links to files inside of the folder that are not found by themselves.
    inside = wanted.path.resolve()
    known = {path.resolve() for path in found.files}
    for link in links:
        target = link.resolve()
        if not target.is_relative_to(inside):
            found.passed_over.append((link, "a link that leads out of the folder"))
        elif target not in known and target.is_file():
            known.add(target)
            found.files.append(link)
    found.files.sort()
    return found


def _document_files_walk(
    folder: Path, above: tuple[Ignored, ...], found: Found, depth: int = 0
) -> Iterator[Path]:
    """Files below a folder that neither git nor their name hides; links to folders are not followed."""
    if time.monotonic() > found.until:
        found.passed_over.append(
            (folder, f"left out: looking for documents took longer than {SECONDS:.0f} s")
        )
        found.unreadable.append(folder)
        return
    ignored = with_own(above, folder)
    try:
        with os.scandir(folder) as entries:
            listed = sorted(entries, key=lambda one: one.name)
    except OSError as error:
        found.passed_over.append((folder, f"it cannot be read: {error.strerror or error}"))
        found.unreadable.append(folder)
        return
    for entry in listed:
        deeper = entry.is_dir(follow_symlinks=False)
        if entry.name.startswith(".") or hides(ignored, entry.path, folder=deeper):
            continue
        if deeper and depth == _DOCUMENT_FILES_DEEPEST:
            found.passed_over.append((Path(entry.path), "it lies too deep"))
        elif deeper and entry.name not in _NEVER:
            yield from _document_files_walk(Path(entry.path), ignored, found, depth + 1)
        elif entry.is_symlink() and entry.is_dir():
            found.passed_over.append((Path(entry.path), "a link to a folder"))
        elif not deeper:
            yield Path(entry.path)


def _matches(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether the parts of a path fit those of a pattern; `**` stands for any number of folders."""
    if not pattern:
        return not parts
    if pattern[0] == "**":
        return any(_matches(parts[skipped:], pattern[1:]) for skipped in range(len(parts) + 1))
    return bool(parts) and fnmatchcase(parts[0], pattern[0]) and _matches(parts[1:], pattern[1:])


# -- deletes files of facts; apart from their store, which needs the extra `code`


def forget(path: Path) -> None:
    """Delete a file of facts with what SQLite keeps beside it; it is made anew when it is needed."""
    for ending in ("", "-wal", "-shm", "-journal"):
        with suppress(OSError):
            path.with_name(path.name + ending).unlink()


# -- A repository's own command files: prompts that clients send to the agent in the person's name


MOST_FILES, MOST_BYTES, MOST_FOLDERS = 300, 64_000, 300
"""Of one folder's commands: files that are read, bytes of one, and folders that are looked into."""
_OF_ALL = (".agents",)
"""The folders of any client, beside those that each declares for itself."""
_FOLDERS = ("command", "commands", "prompts", "skill", "skills", "workflows")
_ENDINGS = (".md", ".toml")


def command_files(folder: Path) -> Iterator[tuple[str, str]]:
    """Name and text of each command file that clients find below a folder.

    Links to folders are not followed; what is no regular file, is too large or is no UTF-8 is left out.
    """
    real, read = folder.resolve(), 0
    for path in _found(folder):
        if read == MOST_FILES:
            return
        with suppress(OSError, UntrustedFileError, ValueError):
            # A link within the folder may lead out of it.
            if path.resolve().is_relative_to(real):
                text = read_regular(path, MOST_BYTES).decode()
                read += 1
                yield path.name, text


def _found(folder: Path) -> Iterator[Path]:
    looked = 0
    owned = (*(own for client in plugins.clients() for own in client.own_folders), *_OF_ALL)
    for top in (folder / own / name for own in owned for name in _FOLDERS):
        if not top.is_dir() or top.is_symlink():
            continue
        for place, folders, names in os.walk(top):
            looked += 1
            if looked > MOST_FOLDERS:
                return
            folders.sort()
            skills = top.name.startswith("skill")
            for name in sorted(names):
                if name == "SKILL.md" or (not skills and name.endswith(_ENDINGS)):
                    yield Path(place, name)


# -- A piece of a file of the project, as text


MAX_EXCERPT = 64 * 1024
"""Bytes of one piece: a longer text would be found by almost any question."""


class Excerpt(NamedTuple):
    """Lines of a file.

    Attributes:
        path: relative to the project's root.
        content_hash: BLAKE3 of the bytes, as of cited lines.
    """

    path: str
    text: str
    content_hash: str


def excerpt(root: Path, path: str, first: int | None, last: int | None) -> Excerpt:
    """Read lines `first` to `last`, inclusive from 1, or the whole file.

    Raises:
        InvalidInputError: the file is not in the project (also where a link leads out of it), cannot be read,
            is no UTF-8 text, has no such lines, or the piece is larger than 64 KB or empty.
    """
    inside = relative(path, root)
    data = _read(root, inside)
    if first is not None:
        lines = data.splitlines(keepends=True)
        if first > len(lines) or (last or first) > len(lines):
            raise InvalidInputError(
                f"{inside} has {len(lines)} lines.", hint="Give lines that it has, or no lines."
            )
        data = b"".join(lines[first - 1 : last])
    if len(data) > MAX_EXCERPT:
        raise InvalidInputError(
            f"The piece has {len(data):,} bytes; at most {MAX_EXCERPT:,} are kept.",
            hint="Give the lines of one function or class: PATH:FIRST-LAST.",
        )
    if b"\0" in data:
        raise InvalidInputError(f"{inside} is binary.", hint="Only text can be indexed.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{inside} is not UTF-8: a wrong byte at position {error.start}.",
            hint="Only UTF-8 text can be indexed.",
        ) from None
    if not text.strip():
        raise InvalidInputError(f"{inside}: there is nothing in these lines.", hint="Give other lines.")
    return Excerpt(inside, text, str(blake3(data).hexdigest()))


def _read(root: Path, inside: str) -> bytes:
    try:
        place = (root / inside).resolve(strict=True)
        if os.path.isabs(inside) or not place.is_relative_to(root.resolve()):  # noqa: PTH117  a text
            raise InvalidInputError(f"{inside} is outside the project.", hint="Index files of this project.")
        if not place.is_file():
            raise InvalidInputError(f"{inside} is no file.", hint="Give PATH or PATH:FIRST-LAST.")
        if place.stat().st_size > MAX_BYTES:
            raise InvalidInputError(
                f"{inside} is larger than {MAX_BYTES // 1024**2} MB.", hint="Not indexed."
            )
        return place.read_bytes()
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: links in a circle
        reason = getattr(error, "strerror", None) or "not a file's name"
        raise InvalidInputError(
            f"{inside[:200]} cannot be read: {reason}.",
            hint="Give PATH or PATH:FIRST-LAST, from the project's root.",
        ) from None
