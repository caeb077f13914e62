"""Predictions kept between two turns: one small file beside the store, with ids and no text of what is kept.

They hold for the session they were made for until it is time, or the file in view is changed.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from recortex.domain.vocabulary import Status
from recortex.errors import UntrustedFileError
from recortex.filesystem import read_own, replace_text
from recortex.lean import NamedTuple
from recortex.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from recortex.app.application import StoreServices
    from recortex.app.projects import Location
    from recortex.domain.memory import Memory

FILE = "predicted.json"
NEXT = ""
"""Stands for the session that starts next, and for no file in view."""
LARGEST = 512_000
LONGEST, SHORTEST = 24 * 3600, 300
"""Seconds that a prediction holds where nothing changes, and at least."""
_FORMAT = f"{__version__}:1"


class Kept(NamedTuple):
    """What is probably needed: ids, whether each is a memory, how sure it is and which strategies say so."""

    id: str
    memory: bool
    confidence: float
    because: tuple[str, ...]


class Predictions(NamedTuple):
    """What was predicted for a session after its last turn.

    Attributes:
        session: its id; empty: the next one.
        made_at: seconds since 1970 UTC.
        seconds: so long it holds.
        by_file: by the name of the file in view, in lower case; empty: whatever is in view.
    """

    session: str
    made_at: float
    seconds: float
    by_file: Mapping[str, tuple[Kept, ...]]


def still_there(services: StoreServices, found: Iterable[Kept], now: datetime) -> list[Memory]:
    """The memories among what was predicted that are still active, and true now."""
    memories = services.store.memories.get([one.id for one in found if one.memory])
    return [one for one in memories if one.status is Status.ACTIVE and one.was_valid_at(now)]


def time_to_live(changes: int) -> float:
    """Seconds that a prediction holds in a project in which so many files were written within a day."""
    return max(LONGEST / (1 + changes), SHORTEST)


class PredictionCache:
    """The predictions of a store, and how often one was there; a damaged file counts as missing."""

    def __init__(self, location: Location) -> None:
        self._path: Path = location.place(FILE)
        self._data = self._read()

    @property
    def hits(self) -> int:
        """How often a prediction was there."""
        return int(self._data["hits"])

    @property
    def misses(self) -> int:
        """How often it had to be made."""
        return int(self._data["misses"])

    def find(self, session: str, name: str, now: float, changed_at: float = 0.0) -> tuple[Kept, ...] | None:
        """What was predicted for a file of a session; None where nothing holds.

        Args:
            session: its id; one that had no turn yet is the next one.
            name: of the file, in lower case; empty: whatever is in view.
            now: seconds since 1970 UTC.
            changed_at: when the file was changed last.
        """
        for known in (session, NEXT):
            if one := self._data["sessions"].get(known):
                fresh = (
                    one["made_at"] <= now < one["made_at"] + one["seconds"] and changed_at <= one["made_at"]
                )
                found = one["by_file"].get(name) if fresh else None
                return (
                    tuple(Kept(id_, memory, sure, tuple(because)) for id_, memory, sure, because in found)
                    if found is not None
                    else None
                )
        return None

    def count(self, *, hit: bool) -> None:
        """Count a look."""
        self._data["hits" if hit else "misses"] += 1
        self._write()

    def keep(self, predictions: Sequence[Predictions]) -> None:
        """Keep these in place of all others."""
        self._data["sessions"] = {
            one.session: {"made_at": one.made_at, "seconds": one.seconds, "by_file": one.by_file}
            for one in predictions
        }
        self._write()

    def _write(self) -> None:
        with suppress(OSError):  # it can be missing: everything in it can be made again
            replace_text(self._path, json.dumps(self._data))

    def _read(self) -> dict[str, Any]:
        empty: dict[str, Any] = {"version": _FORMAT, "hits": 0, "misses": 0, "sessions": {}}
        with suppress(OSError, UntrustedFileError, ValueError, RecursionError):
            data = json.loads(read_own(self._path, LARGEST))
            if isinstance(data, dict) and data.get("version") == _FORMAT and data.keys() == empty.keys():
                return data
        return empty
