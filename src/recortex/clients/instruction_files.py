"""The instruction files of a project and the person's own: which clients load which of them by themselves.

Seen in sessions of Claude Code 2.1.330: it loads CLAUDE.md, .claude/CLAUDE.md, CLAUDE.local.md and
.claude/rules at the start, nested ones when it reads a file beside them, and AGENTS.md where there is none of
its own. The others by their documentation. Where versions differ, a client counts as loading a file: nothing
is to be said twice. Hooks import this module: nothing heavy is imported.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from recortex import plugins

if TYPE_CHECKING:
    from collections.abc import Iterator

Speaker = Literal["repository", "agent", "person"]
"""Whose word a file is."""

MOST_FILES = 64
"""Files that are read of a project."""
DEPTH, MOST_FOLDERS = 4, 2_000
"""How deep nested files are looked for, and in how many folders at most."""
OWN_NOTES = "memory of Claude Code: "
"""Before the names of the files in which Claude Code keeps what it noted itself: not the project's."""
PERSONS = "~/.claude/CLAUDE.md"
"""The name of the person's own file, wherever `CLAUDE_CONFIG_DIR` has it: it names no place of a project."""


Loaded: TypeAlias = "dict[str, frozenset[str]]"
"""The clients that load a file, by its name."""


class _Known(NamedTuple):
    """What the clients say of instruction files.

    Attributes:
        files: from the project's root.
        folders: of rules.
        endings: of the names of rules in them.
        nested: names that are loaded from folders below, too.
    """

    files: Loaded
    folders: Loaded
    endings: dict[str, tuple[str, ...]]
    nested: tuple[str, ...]


@cache
def _known() -> _Known:
    files, folders = dict[str, set[str]](), dict[str, set[str]]()
    endings, nested = dict[str, tuple[str, ...]](), dict[str, None]()
    for client in plugins.clients():
        for name in client.files:
            files.setdefault(name, set()).add(client.name)
        for name in client.unloaded:
            files.setdefault(name, set())
        for name, ending in client.folders.items():
            folders.setdefault(name, set()).add(client.name)
            endings[name] = ending
        nested |= dict.fromkeys(client.nested)
    return _Known(_frozen(files), _frozen(folders), endings, tuple(nested))


def _frozen(loaded: dict[str, set[str]]) -> Loaded:
    return {name: frozenset(clients) for name, clients in loaded.items()}


@cache
def importing() -> frozenset[str]:
    """Clients that load what a file imports by `@path`."""
    return frozenset(client.name for client in plugins.clients() if client.imports)


_OF_CLAUDE = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md")
_NOT_ENTERED = frozenset(
    (
        "node_modules",
        "vendor",
        "venv",
        "third_party",
        "dist",
        "build",
        "target",
        "__pycache__",
        "site-packages",
    )
)


@dataclass(frozen=True, slots=True)
class InstructionFile:
    """A file that tells agents how to work on a project.

    Attributes:
        name: its path from the project's root with forward slashes; of a client's own notes, `OWN_NOTES` and
            the file's name; of the person's own file, `PERSONS`.
        clients: those that load it by themselves.
        speaker: whose word it is; no name decides that, since a repository may name its folders anyhow.
    """

    path: Path
    name: str
    clients: frozenset[str]
    speaker: Speaker = "repository"

    @property
    def outside(self) -> bool:
        """It did not come with the project: a client's notes on its own sessions, or the person's file."""
        return self.speaker != "repository"


def instruction_files(root: Path) -> list[InstructionFile]:
    """The instruction files of a project, each once, at most `MOST_FILES`; links out of it are left out."""
    real = os.path.realpath(root)
    found: dict[str, InstructionFile] = {}
    for name, clients in _names(root):
        path = root / name
        if len(found) < MOST_FILES and path.is_file() and inside(path, real):
            found.setdefault(name, InstructionFile(path, name, clients))
    return [_as_loaded(one, found) for one in found.values()]


def notes(folder: Path) -> list[InstructionFile]:
    """The files of the folder in which Claude Code keeps notes on a project."""
    names: list[str] = []
    with suppress(OSError):
        names = sorted(one.name for one in folder.iterdir() if one.suffix == ".md")
    return [
        InstructionFile(folder / name, f"{OWN_NOTES}{name}", frozenset(("claude-code",)), "agent")
        for name in names[:MOST_FILES]
    ]


def persons_path(claude: Path | None, root: Path) -> Path | None:
    """Where the person tells Claude Code what holds in all projects; the file need not be there.

    None inside the project, since what came with a repository is not the person's word, whatever the
    environment says of it; and None where there is no home folder.

    Args:
        claude: Claude Code's own folder, where it is not in the home folder.
        root: the project's top folder.
    """
    try:
        path = (claude.expanduser() if claude else Path.home() / ".claude") / "CLAUDE.md"
        outside = path.is_absolute() and not inside(path, os.path.realpath(root))
    except (OSError, RuntimeError, ValueError):
        return None
    return path if outside else None


def persons_file(path: Path) -> InstructionFile:
    """The person's own file at a path; OpenCode falls back on it too."""
    return InstructionFile(path, PERSONS, _known().files["CLAUDE.md"], "person")


def watched(root: Path) -> list[str]:
    """Paths that tell whether one of the usual files was made, changed or removed."""
    return [os.path.join(root, name) for name in {**_known().files, **_known().folders}]  # noqa: PTH118


def inside(path: Path, real_root: str) -> bool:
    """Whether a path leads to a place in a project, links followed."""
    try:
        return os.path.commonpath([os.path.realpath(path), real_root]) == real_root
    except ValueError:
        return False


def _names(root: Path) -> Iterator[tuple[str, frozenset[str]]]:
    known = _known()
    yield from known.files.items()
    for folder, clients in known.folders.items():
        for name in _listed(root, folder, known.endings[folder]):
            yield name, clients
    for name in _nested(root):
        yield name, known.files[name.rpartition("/")[2]]


def _listed(root: Path, folder: str, ending: tuple[str, ...]) -> Iterator[str]:
    """The rules in a folder and those below it."""
    for visited, (where, folders, names) in enumerate(os.walk(root / folder)):
        folders.sort()
        if visited > MOST_FILES:
            return
        for name in sorted(names):
            if name.endswith(ending):
                yield Path(where, name).relative_to(root).as_posix()


def _nested(root: Path) -> Iterator[str]:
    """Files of folders below, those of other repositories aside."""
    nested = _known().nested
    for visited, (where, folders, names) in enumerate(os.walk(root)):
        parts = Path(where).relative_to(root).parts
        if visited > MOST_FOLDERS:
            return
        if parts and ".git" in (*folders, *names):
            folders.clear()
            continue
        below = len(parts) < DEPTH
        folders[:] = sorted(n for n in folders if below and not n.startswith(".") and n not in _NOT_ENTERED)
        if parts:
            yield from ("/".join((*parts, name)) for name in nested if name in names)


def _as_loaded(file: InstructionFile, found: dict[str, InstructionFile]) -> InstructionFile:
    """The file with Claude Code among its clients, where that has no file of its own in the same folder."""
    if file.name.rpartition("/")[2] != "AGENTS.md":
        return file
    folder = file.name.removesuffix("AGENTS.md").removesuffix(".claude/")
    if any(f"{folder}{name}" in found for name in _OF_CLAUDE):
        return file
    return replace(file, clients=file.clients | {"claude-code"})
