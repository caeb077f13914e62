"""What every kind of memory has: its place in the vocabulary, its lifetime, and how its content reads."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar, dataclass_transform

if TYPE_CHECKING:
    from collections.abc import Callable

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


_Class = TypeVar("_Class", bound="Content")


_NOTHING: dict[str, Any] = {}
"""Stands for an empty dictionary of its own."""


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def content(
    *,
    half_life_days: float | None = None,
    archive_below: float = 0.0,
    revalidate_days: int = 365,
    category: Category = "",
) -> Callable[[type[_Class]], type[_Class]]:
    """Make a class the content of a kind: a dataclass with slots whose fields are named and have defaults.

    The kind has the class's name. `dataclass` would write and compile eight methods for each
    class, which every hook would wait for: they inherit these from `Content` instead.

    Args:
        half_life_days: after so many days without use the confidence is half; None means never.
        archive_below: a memory whose confidence stays below this may be archived.
        revalidate_days: after so many days it should be checked again.
        category: the heading in the brief; empty where the kind is never shown there.
    """

    def make(cls: type[_Class]) -> type[_Class]:
        made = dataclass(slots=True, init=False, eq=False, repr=False)(cls)
        made.kind = "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in cls.__name__).lstrip(
            "_"
        )
        made.half_life_days, made.archive_below = half_life_days, archive_below
        made.revalidate_days, made.category = revalidate_days, category
        made.usual = {
            one.name: _NOTHING if one.default_factory is dict else one.default for one in fields(made)
        }
        return made

    return make


@content()
class Content:
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
        usual: the usual value of each field.
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
    usual: ClassVar[dict[str, Any]]

    def __init__(self, **values: Any) -> None:
        """Set the fields that are given; the others are as usual."""
        usual = self.usual
        if not values.keys() <= usual.keys():
            raise TypeError(f"{type(self).__name__} has no field {min(values.keys() - usual.keys())!r}.")
        put = object.__setattr__
        for name, value in (usual | values).items():
            put(self, name, {} if value is _NOTHING else value)

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse to change: content is frozen."""
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        """Refuse to change: content is frozen."""
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __eq__(self, other: object) -> bool:
        """Whether both are of one kind, with the same in every field."""
        return self._values() == other._values() if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        """By every field."""
        return hash(self._values())

    def __repr__(self) -> str:
        """The expression that makes it."""
        said = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.usual)
        return f"{type(self).__qualname__}({said})"

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.usual)

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
            f"{field.name.replace('_', ' ').capitalize()}: {said}"
            for field in fields(self)
            if field.name != self.main
            and getattr(self, field.name) != field.default
            and (said := spoken(getattr(self, field.name)))
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
    parts: Any = value  # a nested dataclass
    return ", ".join(said for field in fields(parts) if (said := spoken(getattr(parts, field.name))))
