"""Whose word a prompt is, where the client leaves no mark: the repository's, if a command of it says so."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.codebase.command_files import command_files
from recortex.codebase.project import working_tree
from recortex.formats.command_text import LEAST_WHOLE, Template, bodies, template, typed_beside

if TYPE_CHECKING:
    from recortex.domain.transcript import Turn

_DEEPEST = 12
"""Folders between the one that a session works in and the top of its checkout in which commands are found."""


class RepositoryCommands:
    """Tells prompts that commands of a project made from those that somebody typed.

    Args:
        root: the project's.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._of_folder: dict[Path, tuple[Template, ...]] = {}
        self._around: dict[str, tuple[Path, ...]] = {}

    def attributed(self, turn: Turn, folder: str) -> Turn:
        """The turn; of one that a command made, only the arguments are the person's, if it has any.

        Args:
            turn: of a session.
            folder: in which the session works.
        """
        asked = turn.by_person and turn.form in {"prompt", "queued", "command"}
        words = self.typed(turn.text, folder) if asked else None
        if words is None:
            return turn
        if not words:
            return replace(turn, author="repository")
        injected = "\n".join(filter(None, (turn.injected, turn.text)))
        return replace(turn, text=words, form="command", injected=injected)

    def typed(self, text: str, folder: str) -> str | None:
        """What the person typed of a prompt that a command made; None where none made it.

        Args:
            text: of the prompt.
            folder: in which the session works.
        """
        if len(text) < LEAST_WHOLE:
            return None
        known = (one for place in self._places(folder) for one in self._templates(place))
        return typed_beside(text, known)

    def _places(self, folder: str) -> tuple[Path, ...]:
        """The project, and the folders from the one that a session works in up to the top of its checkout."""
        if folder not in self._around:
            self._around[folder] = tuple(dict.fromkeys([self._root, *_up(folder)]))
        return self._around[folder]

    def _templates(self, folder: Path) -> tuple[Template, ...]:
        if folder not in self._of_folder:
            texts = (body for name, text in command_files(folder) for body in bodies(name, text))
            self._of_folder[folder] = tuple(dict.fromkeys(filter(None, map(template, texts))))
        return self._of_folder[folder]


def _up(folder: str) -> list[Path]:
    with suppress(OSError, ValueError):  # names that the system rejects
        path = Path(folder)
        if path.is_absolute() and path.is_dir():
            path, top = path.resolve(), working_tree(path).resolve()
            return [one for one in islice((path, *path.parents), _DEEPEST) if one.is_relative_to(top)]
    return []
