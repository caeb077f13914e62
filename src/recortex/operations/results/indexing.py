"""What indexing code and making vectors give back."""

from __future__ import annotations

from dataclasses import dataclass

from recortex.domain.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedCode:
    """A piece of code with its description.

    Attributes:
        changed: False where the same was indexed before, and nothing was done.
        superseded: ids of the former pairs' memories that these stand for now.
        redacted: how many secrets were taken out of the code and the description.
    """

    description: Memory
    code: Memory
    changed: bool = True
    superseded: tuple[str, ...] = ()
    redacted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Backfilled:
    """How many memories got the vector that they waited for.

    Attributes:
        done: in this run.
        left: still without one; they are found by their words.
        embedder: who made the vectors; empty where none was made.
        seconds: how long it took.
        stopped: why it ended before all had theirs; empty where nothing was in the way.
    """

    done: int
    left: int
    embedder: str = ""
    seconds: float = 0.0
    dry_run: bool = False
    stopped: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reembedded:
    """How far the memories are from the embedding model that is set.

    Attributes:
        model: that one; empty where vectors are switched off.
        former: models whose vectors memories had before this run.
        done: memories that got a vector in this run.
        left: still without one of the model; they are found by their words.
        seconds: how long it took.
        per_second: memories in a second of this run.
        seconds_left: of work, at that rate; nothing where it is not known.
        stopped: why it ended before all had theirs; empty where nothing was in the way.
    """

    model: str
    done: int
    left: int
    former: tuple[str, ...] = ()
    seconds: float = 0.0
    per_second: float = 0.0
    seconds_left: float | None = None
    dry_run: bool = False
    stopped: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChange:
    """A change of the embedding model that is not done yet.

    Memories without a vector of it are found by their words.

    Attributes:
        model: that is set.
        former: models whose vectors memories still have.
        share: of the memories, from 0 to 1, that have a vector of the model.
        left: memories that have none of it.
        per_second: memories in a second so far; 0 where it is not known.
        seconds_left: of work, at that rate; nothing where it is not known.
    """

    model: str
    former: tuple[str, ...]
    share: float
    left: int
    per_second: float = 0.0
    seconds_left: float | None = None
