"""What making a project's memory gives back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Adoptable:
    """Memories of this project that are kept elsewhere.

    Attributes:
        path: the folder that they are in.
        reason: why they may be this project's: its checkout was moved or copied, an earlier checkout was at
            the same path (replaced), or an older version kept them in the work tree (older).
        made_for: the path of the checkout that they were learned in.
        first, last: when the first and the last of them were recorded.
        problem: why they cannot be used.
    """

    path: str
    reason: Literal["moved", "copied", "replaced", "older"]
    made_for: str
    memories: int = 0
    first: datetime | None = None
    last: datetime | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Initialised:
    """Where memories of this project are kept.

    Attributes:
        root: the checkout that they are bound to.
        workspace: on a server; else empty.
        memories: that are kept there now.
        adopted: how many were taken over.
        adoptable: what `recortex init --adopt` would take over.
        refused: why an older version's folder in the work tree is left alone.
        histories: agents that have left sessions on this machine, which `recortex import` reads.
        hosts: agents on this machine that do not use this memory yet; `recortex install` lets them.
    """

    path: str
    created: bool
    schema: int
    root: str = ""
    workspace: str = ""
    memories: int = 0
    adopted: int = 0
    adoptable: tuple[Adoptable, ...] = ()
    refused: str = ""
    histories: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
