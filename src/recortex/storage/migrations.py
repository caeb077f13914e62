"""The schema as numbered SQL files, the same numbers in every engine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

_FILE = re.compile(r"(\d{4})_(\w+)\.sql")


class Migration(NamedTuple):
    """One step of the schema."""

    version: int
    name: str
    sql: str


def known(folder: Path) -> tuple[Migration, ...]:
    """The migrations of a folder, in order."""
    found = ((_FILE.fullmatch(path.name), path) for path in sorted(folder.glob("*.sql")))
    return tuple(
        Migration(int(match[1]), match[2], path.read_text(encoding="utf-8")) for match, path in found if match
    )


def newest(folder: Path) -> int:
    """The last number in a folder; no file is read for it."""
    return max(int(match[1]) for path in folder.iterdir() if (match := _FILE.fullmatch(path.name)))
