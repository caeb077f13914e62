"""The brief as a file of the project, for agents without hooks: between markers, and ignored by git."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recortex.app.brief_cache import FILE
from recortex.codebase.git import tracked
from recortex.errors import InvalidInputError
from recortex.filesystem import replace_text

if TYPE_CHECKING:
    from pathlib import Path

START, END = "<!-- CORTEX_MEMORY_START -->", "<!-- CORTEX_MEMORY_END -->"
LARGEST = 1_000_000
"""Bytes of a file whose other text is kept around the brief; a larger one is refused."""

_BLOCK = re.compile(f"{re.escape(START)}.*?(?:{re.escape(END)}|\\Z)", re.DOTALL)


def write(root: Path, text: str) -> Path:
    """Put the brief between the markers of the project's file, keep the rest, and make git ignore it.

    Raises:
        InvalidInputError: the file or its folder is a symbolic link, the file is part of the repository, or
            it cannot be ours.
        OSError: it cannot be written.
    """
    path = _own(root)
    _ignore(root)
    path.parent.mkdir(exist_ok=True)
    replace_text(path, _around(_known(path), f"{START}\n{text}\n{END}" if text else f"{START}\n{END}"))
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
    if START in known:
        replace_text(path, _around(known, f"{START}\n{END}"))


def _own(root: Path) -> Path:
    path = root / FILE
    for one in (path.parent, path):
        if one.is_symlink():
            raise InvalidInputError(f"{one} is a symbolic link.", hint="Remove the link.")
    if path.exists() and tracked(root, FILE):
        raise InvalidInputError(
            f"{path} is part of the repository: memories would be committed with it.",
            hint=f"`git rm --cached {FILE}` takes it out.",
        )
    return path


def _known(path: Path) -> str:
    if not path.exists():
        return ""
    if path.stat().st_size > LARGEST:
        raise InvalidInputError(f"{path} has more than {LARGEST:,} bytes.", hint="Move it away.")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InvalidInputError(f"{path} is not UTF-8.", hint="Move it away.") from None


def _around(known: str, block: str) -> str:
    """The former text with the block in place of the former one, or after it."""
    if START in known:
        return _BLOCK.sub(lambda _: block, known, count=1)
    return f"{known.rstrip()}\n\n{block}\n" if known.strip() else f"{block}\n"


def _ignore(root: Path) -> None:
    """Name the file where git looks for what to ignore: in the clone's own list, else in the project's."""
    git = root / ".git"
    if not git.exists():
        return
    path = git / "info" / "exclude" if git.is_dir() else root / ".gitignore"
    if path.is_symlink() or path.parent.is_symlink():
        raise InvalidInputError(f"{path} is a symbolic link.", hint="Remove the link.")
    known = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    if f"/{FILE}" in known.split() or FILE in known.split():
        return
    path.parent.mkdir(exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(("" if not known or known.endswith("\n") else "\n") + f"/{FILE}\n")
