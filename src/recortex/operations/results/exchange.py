"""What an export gives back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What was written out; `text` holds it where no file was named."""

    format: str
    memories: int
    relations: int
    path: str = ""
    text: str = ""
