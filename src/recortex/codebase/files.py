"""Cited files: their paths in the project, and their bytes."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

MAX_BYTES = 4 * 1024 * 1024
"""A larger file is not read."""


def relative(path: str, root: Path) -> str:
    """The path from the project's root with forward slashes; one outside the project stays absolute."""
    plain = path.replace("\\", "/")
    if not plain.startswith("/"):
        return str(PurePosixPath(os.path.normpath(plain))).replace("\\", "/")
    inside = os.path.relpath(plain, root)
    return plain if inside.startswith("..") else inside.replace("\\", "/")


def read(root: Path, path: str) -> bytes | None:
    """The bytes of a file inside the project; links that lead out of it are not followed."""
    place = os.path.join(root, path)  # noqa: PTH118  a hot path: one call to the system decides nearly always
    try:
        if not os.path.isfile(place):  # noqa: PTH113
            return None
        real = os.path.realpath(place)
        inside = os.path.commonpath([real, os.path.realpath(root)]) == os.path.realpath(root)
        if not inside or os.path.getsize(real) > MAX_BYTES:  # noqa: PTH202
            return None
        return Path(real).read_bytes()
    except (OSError, ValueError):
        return None
