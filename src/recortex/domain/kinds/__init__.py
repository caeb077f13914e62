"""The 27 kinds of memory. A new kind is one class here; everything else iterates `KINDS`."""

from __future__ import annotations

from typing import NewType

from recortex.domain.kinds import agnostic, code_specific, universal
from recortex.domain.kinds.base import Content
from recortex.errors import InvalidKindError

Kind = NewType("Kind", str)


def _content_classes() -> dict[Kind, type[Content]]:
    found = (
        value
        for module in (agnostic, code_specific, universal)
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Content) and value is not Content
    )
    return {Kind(content.kind): content for content in found}


KINDS: dict[Kind, type[Content]] = _content_classes()

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


__all__ = ["ALIASES", "KINDS", "Content", "Kind", "kind_of"]
