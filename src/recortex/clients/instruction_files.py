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
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

Speaker = Literal["repository", "agent", "person"]
"""Whose word a file is."""

MOST_FILES = 64
"""Files that are read of a project."""
DEPTH, MOST_FOLDERS = 4, 2_000
"""How deep nested files are looked for, and in how many folders at most."""
IMPORTING = frozenset(("claude-code", "gemini", "qwen"))
"""Clients that load what a file imports by `@path`."""
OWN_NOTES = "memory of Claude Code: "
"""Before the names of the files in which Claude Code keeps what it noted itself: not the project's."""
PERSONS = "~/.claude/CLAUDE.md"
"""The name of the person's own file, wherever `CLAUDE_CONFIG_DIR` has it: it names no place of a project."""

_AGENTS = frozenset(("codex", "cursor", "windsurf", "cline", "opencode", "vscode", "qwen"))
_CLAUDE = frozenset(("claude-code", "opencode"))
_CURSOR, _WINDSURF = frozenset(("cursor", "cline")), frozenset(("windsurf", "cline"))
_FILES = {
    "CLAUDE.md": _CLAUDE,
    ".claude/CLAUDE.md": _CLAUDE,
    "CLAUDE.local.md": frozenset(("claude-code",)),
    "AGENTS.md": _AGENTS,
    "AGENTS.override.md": frozenset(("codex",)),
    ".claude/AGENTS.md": frozenset[str](),
    "GEMINI.md": frozenset(("gemini",)),
    "QWEN.md": frozenset(("qwen",)),
    ".cursorrules": _CURSOR,
    ".windsurfrules": _WINDSURF,
    ".clinerules": frozenset(("cline",)),
    ".github/copilot-instructions.md": frozenset(("vscode",)),
}
_FOLDERS: dict[str, tuple[str | tuple[str, ...], frozenset[str]]] = {
    ".claude/rules": (".md", frozenset(("claude-code",))),
    ".cursor/rules": ((".mdc", ".md"), _CURSOR),
    ".windsurf/rules": (".md", _WINDSURF),
    ".clinerules": (".md", frozenset(("cline",))),
}
_NESTED = ("CLAUDE.md", "AGENTS.md", "GEMINI.md")
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
    return InstructionFile(path, PERSONS, _CLAUDE, "person")


def watched(root: Path) -> list[str]:
    """Paths that tell whether one of the usual files was made, changed or removed."""
    return [os.path.join(root, name) for name in {**_FILES, **_FOLDERS}]  # noqa: PTH118  a hot path


def inside(path: Path, real_root: str) -> bool:
    """Whether a path leads to a place in a project, links followed."""
    try:
        return os.path.commonpath([os.path.realpath(path), real_root]) == real_root
    except ValueError:
        return False


def _names(root: Path) -> Iterator[tuple[str, frozenset[str]]]:
    yield from _FILES.items()
    for folder, (ending, clients) in _FOLDERS.items():
        for name in _listed(root, folder, ending):
            yield name, clients
    for name in _nested(root):
        yield name, _FILES[name.rpartition("/")[2]]


def _listed(root: Path, folder: str, ending: str | tuple[str, ...]) -> Iterator[str]:
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
            yield from ("/".join((*parts, name)) for name in _NESTED if name in names)


def _as_loaded(file: InstructionFile, found: dict[str, InstructionFile]) -> InstructionFile:
    """The file with Claude Code among its clients, where that has no file of its own in the same folder."""
    if file.name.rpartition("/")[2] != "AGENTS.md":
        return file
    folder = file.name.removesuffix("AGENTS.md").removesuffix(".claude/")
    if any(f"{folder}{name}" in found for name in _OF_CLAUDE):
        return file
    return replace(file, clients=file.clients | {"claude-code"})
