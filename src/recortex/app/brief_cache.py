"""Briefs that are kept: a small file per branch, folder and client, and one in the project for all agents.

The hook reads one in milliseconds, so nothing heavy is imported here. A file that
is not ours, is too large, or has another format counts as missing.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from recortex.domain.text import END, START, UNNAMED, lazy
from recortex.errors import InvalidInputError, UntrustedFileError
from recortex.filesystem import read_own, replace_text
from recortex.lean import NamedTuple, lazy_module, sha256
from recortex.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from recortex.app.projects import Location
    from recortex.codebase import git as git_files
else:
    git_files = lazy_module("recortex.codebase.git")

FRESH_SECONDS = 24 * 3600
"""Confidence fades with time, so a brief is made anew after a day even where nothing changed."""
FOLDER = "surface-cache"
FILE = ".claude/cortex-memory.local.md"
"""Where a project may have its brief in a file, when the settings ask for it."""
LARGEST = 64_000
"""Bytes of a cached brief: one has about three."""

_FORMAT = f"{__version__}:4"  # of the file: what another version wrote is made anew


class Item(NamedTuple):
    """A memory in the brief: its id, scope, rank from 0 to 1, and the tokens of its line."""

    memory: str
    scope: str
    rank: float
    tokens: int


class Line(NamedTuple):
    """A line on an earlier session: its id, the line with its line break, and the tokens of that."""

    session: str
    text: str
    tokens: int


class Brief(NamedTuple):
    """What a session is told at its start.

    Attributes:
        text: between our markers; empty where there is nothing to say.
        tokens: exact count of the text in cl100k_base.
        items: what is in it, highest rank first.
        generated_at: seconds since 1970 UTC.
        stale_hours: its age, where it may be out of date and no newer one could be made; the text says so.
        cached: whether it was made earlier.
        sessions: the lines on earlier sessions that are in it.
    """

    text: str
    tokens: int
    items: tuple[Item, ...]
    generated_at: float
    stale_hours: int | None = None
    cached: bool = False
    sessions: tuple[Line, ...] = ()

    def without_sessions(self, only: str = "") -> Brief:
        """The brief without the lines on earlier sessions, or without that on one of them."""
        gone = [line for line in self.sessions if not only or line.session == only]
        kept = tuple(line for line in self.sessions if line not in gone)
        # The first place alone: a memory's line may have the same words.
        text = self.text
        for line in gone:
            text = text.replace(line.text, "", 1)
        # Without any line there is nothing to say, and a heading alone would say it.
        if not (kept or self.items):
            return self._replace(text="", tokens=0, sessions=())
        return self._replace(text=text, tokens=self.tokens - sum(line.tokens for line in gone), sessions=kept)


class Cached(NamedTuple):
    """A brief as it was kept.

    Attributes:
        generation: of the stores that it was made from.
        fresh_until: seconds since 1970 UTC.
        budget: tokens that it was made to fit in.
    """

    brief: Brief
    generation: str
    fresh_until: float
    budget: int

    def fresh(self, generation: str, now: float, budget: int) -> bool:
        """Whether nothing changed since, and it is not too old; one from the future is not believed."""
        unchanged = (generation, budget) == (self.generation, self.budget)
        return unchanged and self.brief.generated_at <= now < self.fresh_until

    def stale(self, now: float) -> Brief:
        """The brief with a notice of its age."""
        hours = max(0, int((now - self.brief.generated_at) // 3600))
        notice = f"This list was made {min(hours, 99_999)} hours ago and may be out of date."
        text = self.brief.text.replace(f"{START}\n", f"{START}\n{notice}\n", 1)
        return self.brief._replace(text=text, stale_hours=hours, cached=True)


def key(branch: str, cwd: str, client: str = "") -> str:
    """The name of a brief's file: SHA-256 of branch, folder and client, as far as that has a name."""
    said = f"{branch}:{cwd}" if client in {"", UNNAMED} else f"{branch}:{cwd}:{client}"
    # A folder's name need not be UTF-8.
    return sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def joined(numbers: Sequence[tuple[Path, Sequence[int] | None]]) -> str:
    """A text that changes whenever something in one of the stores does, accesses aside.

    Args:
        numbers: names of stores with the numbers of their `Generation`; None for one that was never made.
    """
    return "|".join(
        f"{path}={'none' if values is None else '.'.join(map(str, values))}" for path, values in numbers
    )


def load(folder: Path, *, branch: str, cwd: str, client: str = "") -> Cached | None:
    """The brief that was kept for a branch and folder; None where there is none that can be used."""
    path = folder / f"{key(branch, cwd, client)}.json"
    try:
        # Only a file of this user is believed: its text goes to the agent word for word.
        return _read(json.loads(read_own(path, LARGEST)))
    except (OSError, UntrustedFileError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def save(folder: Path, cached: Cached, *, branch: str, cwd: str, client: str = "") -> None:
    """Keep a brief, whole or not at all, for its owner alone.

    Raises:
        OSError: the folder cannot be written.
    """
    brief = cached.brief
    kept = {
        "version": _FORMAT,
        "generation": cached.generation,
        "generated_at": brief.generated_at,
        "fresh_until": cached.fresh_until,
        "budget": cached.budget,
        "text": brief.text,
        "tokens": brief.tokens,
        "items": brief.items,
        "sessions": brief.sessions,
    }
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    replace_text(folder / f"{key(branch, cwd, client)}.json", json.dumps(kept))


def invalidate(folder: Path) -> int:
    """Delete every brief that was kept, and what a killed process left; returns how many files are gone."""
    gone = 0
    with suppress(OSError):
        for entry in list(os.scandir(folder)):
            if entry.name.endswith((".json", ".part")):
                with suppress(OSError):
                    os.unlink(entry.path)  # noqa: PTH108  pathlib is not needed here otherwise
                    gone += 1
    return gone


def _read(data: Any) -> Cached | None:
    """A cached brief from what its file says.

    Raises:
        KeyError, TypeError, ValueError: the file does not say that.
    """
    text = data["text"]
    # Without its marks the text would be taken for something that was said, and be learned.
    ours = not text or (text.startswith(f"{START}\n") and text.endswith(f"\n{END}") and text.count(END) == 1)
    if data["version"] != _FORMAT or not ours:
        return None
    items = tuple(
        Item(str(memory), str(scope), float(rank), int(tokens))
        for memory, scope, rank, tokens in data["items"]
    )
    sessions = tuple(Line(str(session), str(line), int(tokens)) for session, line, tokens in data["sessions"])
    at = float(data["generated_at"])
    brief = Brief(text, int(data["tokens"]), items, at, cached=True, sessions=sessions)
    return Cached(brief, str(data["generation"]), float(data["fresh_until"]), int(data["budget"]))


# -- the brief as a file of the project, for agents without hooks: between markers, and ignored by git


FILE_START, FILE_END = "<!-- CORTEX_MEMORY_START -->", "<!-- CORTEX_MEMORY_END -->"
LARGEST_FILE = 1_000_000
"""Bytes of a file whose other text is kept around the brief; a larger one is refused."""

_BLOCK = lazy(f"{re.escape(FILE_START)}.*?(?:{re.escape(FILE_END)}|\\Z)", re.DOTALL)


def write(root: Path, text: str) -> Path:
    """Put the brief between the markers of the project's file, keep the rest, and make git ignore it.

    Raises:
        InvalidInputError: the file or its folder is a symbolic link, the file is part of the repository, or
            it cannot be ours.
        OSError: it cannot be written.
    """
    # Ignored before it is there: a commit in between would take it along.
    path = _own(root)
    _ignore(root)
    path.parent.mkdir(exist_ok=True)
    replace_text(
        path,
        _around(_known(path), f"{FILE_START}\n{text}\n{FILE_END}" if text else f"{FILE_START}\n{FILE_END}"),
    )
    return path


def clear(root: Path) -> None:
    """Take the brief out of the project's file, where one stands in it.

    Raises:
        InvalidInputError: the file or its folder is a symbolic link, the file is part of the repository, or
            it cannot be ours.
        OSError: it cannot be written.
    """
    path = _own(root)
    known = _known(path)
    if FILE_START in known:
        replace_text(path, _around(known, f"{FILE_START}\n{FILE_END}"))


def _own(root: Path) -> Path:
    path = root / FILE
    for one in (path.parent, path):
        # A link in a cloned repository would have the brief written wherever it leads.
        if one.is_symlink():
            raise InvalidInputError(f"{one} is a symbolic link.", hint="Remove the link.")
    if path.exists() and git_files.tracked(root, FILE):
        raise InvalidInputError(
            f"{path} is part of the repository: memories would be committed with it.",
            hint=f"`git rm --cached {FILE}` takes it out.",
        )
    return path


def _known(path: Path) -> str:
    if not path.exists():
        return ""
    if path.stat().st_size > LARGEST_FILE:
        raise InvalidInputError(f"{path} has more than {LARGEST_FILE:,} bytes.", hint="Move it away.")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InvalidInputError(f"{path} is not UTF-8.", hint="Move it away.") from None


def _around(known: str, block: str) -> str:
    """The former text with the block in place of the former one, or after it."""
    if FILE_START in known:
        # A function, not the text itself: backslashes in it would be read as references to groups.
        return _BLOCK.sub(lambda _: block, known, count=1)
    return f"{known.rstrip()}\n\n{block}\n" if known.strip() else f"{block}\n"


def _ignore(root: Path) -> None:
    """Name the file where git looks for what to ignore: in the clone's own list, else in the project's."""
    git = root / ".git"
    if not git.exists():
        return
    # The clone's own list changes no file of the project. In a linked worktree `.git` is a file without
    # that list.
    path = git / "info" / "exclude" if git.is_dir() else root / ".gitignore"
    if path.is_symlink() or path.parent.is_symlink():
        raise InvalidInputError(f"{path} is a symbolic link.", hint="Remove the link.")
    known = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    if f"/{FILE}" in known.split() or FILE in known.split():
        return
    path.parent.mkdir(exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(("" if not known or known.endswith("\n") else "\n") + f"/{FILE}\n")


def forget_briefs(locations: Sequence[Location]) -> int:
    """Delete all briefs that were kept, and what the project's file shows of one.

    Returns how many files are gone.
    """
    for root in {location.project.root for location in locations if location.project}:
        if (root / FILE).exists():
            with suppress(OSError, InvalidInputError):
                clear(root)
    return sum(invalidate(one.place(FOLDER)) for one in locations)
