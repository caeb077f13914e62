"""What describing gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class KindField:
    """A field of a kind's content; the main one is what a plain text fills."""

    name: str
    takes: str
    main: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KindShown:
    """A kind of memory.

    Attributes:
        half_life_days: None where it never fades.
        fields, example: only of a kind that was asked for by name; the example is taken by `remember` as it
            stands.
    """

    kind: str
    about: str
    half_life_days: float | None = None
    category: str = ""
    fields: tuple[KindField, ...] = ()
    example: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class KindsShown:
    """Every kind, or the one that was asked for."""

    kinds: tuple[KindShown, ...] = ()
