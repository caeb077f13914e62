"""The files that a project works on now, for the brief: by git, and by the last sessions of the branch."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING

from recortex.app.naming import shown
from recortex.domain.exchange import ExchangeQuery

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import datetime
    from pathlib import Path

    from recortex.ports.exchanges import ExchangeRecords

LATELY = timedelta(days=7)
LOOKED_AT = 100
"""The latest exchanges of the branch whose files count, within a week."""


def files_in_play(tree: Path, records: ExchangeRecords, branch: str, now: datetime) -> frozenset[str]:
    """Paths of files that are uncommitted, in the last commits, or were edited in the last sessions.

    Args:
        tree: the top of the working tree; what git says of it is relative to it.
        records: of the project's store; their paths are as the client gave them.
        branch: that is checked out.
        now: the time.
    """
    from recortex.codebase.git import files_at_work

    lately = ExchangeQuery(branch=branch, since=now - LATELY, until=now, limit=LOOKED_AT)
    edited = (path for one in records.find(lately) for path in one.files)
    return frozenset((*(shown(path) for path in files_at_work(tree)), *edited))


def touched(cited: Iterable[tuple[str, int]], files: Collection[str]) -> frozenset[int]:
    """The keys of memories about one of these files.

    Args:
        cited: paths that memories are linked to, with their keys. `git.py` may stand for `src/git.py`, unless
            several of the files have that name.
        files: paths, relative or absolute.
    """
    parted = [_parts(path) for path in files]
    names = Counter(parts[-1] for parts in parted)
    ends = {parts[start:] for parts in parted for start in range(len(parts))}
    meant = ((_parts(path), key) for path, key in cited)
    return frozenset(key for path, key in meant if path in ends and (len(path) > 1 or names[path[0]] == 1))


def _parts(path: str) -> tuple[str, ...]:
    return tuple(
        part for part in path.rstrip(".").replace("\\", "/").split("/") if part not in {"", "."}
    ) or ("",)
