"""What the stores of bench/retrieval.py hold, and what is asked of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class Item:
    """One thing to remember, with what a real caller knows of it."""

    id: str
    text: str
    kind: str
    session: str = ""
    turn: int | None = None
    speaker: str = ""
    at: datetime | None = None
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    importance: str = "normal"


@dataclass(frozen=True)
class Query:
    """A question; `enough` of its gold are a whole answer, 0: all of it."""

    text: str
    category: str
    gold: frozenset[str]
    enough: int = 0


@dataclass(frozen=True)
class Store:
    """One isolated memory and what is asked of it; `unanswerable` questions have no answer in it."""

    name: str
    items: tuple[Item, ...]
    queries: tuple[Query, ...]
    unanswerable: tuple[str, ...] = field(default=())
