"""Finds the folders in which a project keeps its decision records."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.domain.expressions import lazy
from recortex.errors import UntrustedFileError
from recortex.filesystem import read_regular

if TYPE_CHECKING:
    from collections.abc import Iterator

ENDINGS = frozenset({".md", ".markdown", ".adoc", ".asciidoc", ".rst"})
_NAMES = lazy(
    r"adrs?$|decisions$|(?:(?:architect\w*|design|technical)[-_ ]?)?decision[-_ ]?(?:records?|logs?)$|"
    r"architect\w*[-_ ]decisions?$",
    re.IGNORECASE,
)
_OTHERS = frozenset(
    {
        "node_modules",
        "vendor",
        "third_party",
        "build",
        "dist",
        "target",
        "test",
        "tests",
        "fixtures",
        "template",
        "templates",
    }
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
    return found or _at_the_top(root)


def _at_the_top(root: Path) -> list[Path]:
    """Files beside the rest of a project whose names say that they are records: `adr-001-….md`."""
    return sorted(one for one in root.iterdir() if _RECORD.match(one.name) and one.suffix.lower() in ENDINGS)


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
