"""Cited files: their paths in the project, and their bytes."""

from __future__ import annotations

import os
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MAX_BYTES = 4 * 1024 * 1024
"""A larger file is not read."""


def relative(path: str, root: Path) -> str:
    """The path from the project's root with forward slashes; one outside the project stays absolute."""
    plain = path.replace("\\", "/")
    if not plain.startswith("/"):
        return str(PurePosixPath(os.path.normpath(plain))).replace("\\", "/")
    inside = os.path.relpath(plain, root)
    return plain if inside.startswith("..") else inside.replace("\\", "/")


def read(root: Path, path: str, real_root: str = "") -> bytes | None:
    """The bytes of a file inside the project; links that lead out of it are not followed.

    Args:
        root: of the project.
        path: from there.
        real_root: the root without links, where it is known: many files are read faster.
    """
    place = os.path.join(root, path)  # noqa: PTH118  a hot path: one call to the system decides nearly always
    try:
        if not os.path.isfile(place):  # noqa: PTH113
            return None
        real, real_root = os.path.realpath(place), real_root or os.path.realpath(root)
        inside = os.path.commonpath([real, real_root]) == real_root
        if not inside or os.path.getsize(real) > MAX_BYTES:  # noqa: PTH202
            return None
        with open(real, "rb") as file:  # noqa: PTH123
            return file.read()
    except (OSError, ValueError):
        return None
