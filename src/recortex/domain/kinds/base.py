"""What every kind of memory has: its place in the vocabulary, its lifetime, and how its content reads."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar, Literal, Self

Category = Literal[
    "architecture", "gotcha", "pattern", "context", "progress", "decision", "code_description", ""
]

SUMMARY_CHARACTERS = 200
_PREVIEW_CHARACTERS = 160


def shorten(text: str, limit: int = _PREVIEW_CHARACTERS) -> str:
    """The text on one line, cut at a word to at most `limit` characters with a closing ellipsis."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    head, space, _ = cut.rpartition(" ")
    return (head if space and len(head) > limit // 2 else cut).rstrip(" ,;:.") + "…"


def titled(title: str, text: str) -> str:
    """`title: text`, or the text alone where it has no title of its own."""
    return shorten(f"{title}: {text}" if title and text else title or text, SUMMARY_CHARACTERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The typed content of a memory; each subclass is one kind.

    Attributes:
        kind: the kind's name, as stored and shown.
        half_life_days: after so many days without use the confidence is half; None means never.
        archive_below: a memory whose confidence stays below this may be archived.
        revalidate_days: after so many days it should be checked again.
        category: the heading on the surface; empty where the kind is never shown there.
        main: the field that a plain text fills.
        event: it happened once, so an equal text from another moment is another memory, not a duplicate.
        embedded: whether vectors are made of it.
    """

    kind: ClassVar[str] = ""
    half_life_days: ClassVar[float | None] = None
    archive_below: ClassVar[float] = 0.0
    revalidate_days: ClassVar[int] = 365
    category: ClassVar[Category] = ""
    main: ClassVar[str] = ""
    event: ClassVar[bool] = False
    embedded: ClassVar[bool] = True

    @classmethod
    def from_text(cls, text: str) -> Self:
        """The content that a plain text stands for: its main field."""
        return cls(**{cls.main: text})

    def statement(self) -> str:
        """The main field: what the memory says in one piece."""
        return str(getattr(self, self.main))

    def text(self) -> str:
        """Everything that was said, as plain text: the main field first, then the other fields that are not as usual."""
        rest = [
            f"{field.name.replace('_', ' ').capitalize()}: {said}"
            for field in fields(self)
            if field.name != self.main
            and getattr(self, field.name) != field.default
            and (said := spoken(getattr(self, field.name)))
        ]
        return "\n".join([self.statement(), *rest] if self.statement() else rest)

    def summary(self) -> str:
        """One line of about twenty tokens, in B's form for the kind."""
        return shorten(self.statement() or self.text(), SUMMARY_CHARACTERS)


def spoken(value: object) -> str:
    """A field's value as words; empty for what says nothing (None, False, 0, no items)."""
    if not value or isinstance(value, bool):
        return ""
    if isinstance(value, str | int | float):
        return str(value)
    if isinstance(value, dict):
        return "; ".join(f"{key} {said}" for key, item in value.items() if (said := spoken(item)))
    if isinstance(value, tuple | list):
        return "; ".join(said for item in value if (said := spoken(item)))
    return ", ".join(said for field in fields(value) if (said := spoken(getattr(value, field.name))))  # type: ignore[arg-type]  # a nested value
