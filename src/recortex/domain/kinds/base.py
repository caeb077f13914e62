"""What every kind of memory has: its place in the vocabulary, its lifetime, and how its content reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, NewType, Self, TypeVar

from recortex.domain.text import shorten
from recortex.errors import InvalidKindError
from recortex.lean import Value, asdict

if TYPE_CHECKING:
    from collections.abc import Callable

Category = Literal[
    "architecture", "gotcha", "pattern", "context", "progress", "decision", "code_description", ""
]

SUMMARY_CHARACTERS = 200


def titled(title: str, text: str) -> str:
    """`title: text`, or the text alone where it has no title of its own."""
    return shorten(f"{title}: {text}" if title and text else title or text, SUMMARY_CHARACTERS)


_Class = TypeVar("_Class", bound="type[Content]")


Kind = NewType("Kind", str)
KINDS: dict[Kind, type[Content]] = {}
"""The kinds in the order of their classes in `kinds`, which `@content` enters."""


def content(
    *,
    half_life_days: float | None = None,
    archive_below: float = 0.0,
    revalidate_days: int = 365,
    category: Category = "",
) -> Callable[[_Class], _Class]:
    """Make a class the content of the kind that has its name.

    Args:
        half_life_days: after so many days without use the confidence is half; None means never.
        archive_below: a memory whose confidence stays below this may be archived.
        revalidate_days: after so many days it should be checked again.
        category: the heading in the brief; empty where the kind is never shown there.
    """

    def make(cls: _Class) -> _Class:
        cls.kind = "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in cls.__name__).lstrip(
            "_"
        )
        cls.half_life_days, cls.archive_below = half_life_days, archive_below
        cls.revalidate_days, cls.category = revalidate_days, category
        if cls.main:  # a kind says what a plain text fills; `Content` itself is none
            KINDS[Kind(cls.kind)] = cls
        return cls

    return make


@content()
class Content(Value, frozen=True):
    """The typed content of a memory; each subclass is one kind.

    Attributes:
        kind: the kind's name, as stored and shown.
        half_life_days, archive_below, revalidate_days, category: see `content`.
        main: the field that a plain text fills.
        heading: the field that stands before the main one in the summary; empty where there is none.
        event: it happened once, so an equal text from another moment is another memory, not a duplicate.
        embedded: whether vectors are made of it.
        replaceable: a later statement may take its place. Not that of what happened (nor of an `event`), and
            not that of code, which indexing renews.
        personal: extraction may keep it in the person's own store, for all projects.
        offered: a language model that is asked about a session may propose it; never an `event`.
        unspoken: fields that are no part of its text: what they hold says nothing about anything.
    """

    kind: ClassVar[str]
    half_life_days: ClassVar[float | None]
    archive_below: ClassVar[float]
    revalidate_days: ClassVar[int]
    category: ClassVar[Category]
    main: ClassVar[str] = ""
    heading: ClassVar[str] = ""
    event: ClassVar[bool] = False
    embedded: ClassVar[bool] = True
    replaceable: ClassVar[bool] = True
    personal: ClassVar[bool] = False
    offered: ClassVar[bool] = True
    unspoken: ClassVar[tuple[str, ...]] = ()

    @property
    def usual(self) -> dict[str, Any]:
        """The usual value of each field."""
        return asdict(type(self)())

    @classmethod
    def from_text(cls, text: str) -> Self:
        """The content that a plain text stands for: its main field."""
        return cls(**{cls.main: text})

    def statement(self) -> str:
        """The main field: what the memory says in one piece."""
        return str(getattr(self, self.main))

    def text(self) -> str:
        """Everything as plain text: the main field first, then the other fields that are not as usual."""
        rest = [
            f"{name.replace('_', ' ').capitalize()}: {said}"
            for name, usual in self.usual.items()
            if name not in (self.main, *self.unspoken)
            and getattr(self, name) != usual
            and (said := spoken(getattr(self, name)))
        ]
        return "\n".join([self.statement(), *rest] if self.statement() else rest)

    def summary(self) -> str:
        """One line of about twenty tokens: `heading: main`, unless the kind has a form of its own."""
        if self.heading:
            return titled(str(getattr(self, self.heading)), self.statement())
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
    parts: Any = value  # a nested one
    return ", ".join(said for part in asdict(parts).values() if (said := spoken(part)))


# -- the kinds by name


ALIASES = {
    "pattern": Kind("pattern_rationale"),
    "gotcha": Kind("tribal"),
    "context": Kind("insight"),
    "factual": Kind("semantic"),
    "experiential": Kind("insight"),
}


def kind_of(name: str) -> Kind:
    """The kind with that name or alias.

    Raises:
        InvalidKindError: there is none.
    """
    plain = name.strip().lower().replace("-", "_")
    kind = ALIASES.get(plain, Kind(plain))
    if kind not in KINDS:
        raise InvalidKindError(
            f"There is no kind of memory called {name[:40]!r}.",
            hint=f"Kinds: {', '.join(sorted(KINDS))}. Aliases: {', '.join(sorted(ALIASES))}.",
        )
    return kind
