"""What a memory can be: kinds."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from recortex.codec import schema_of
from recortex.domain.kinds import KINDS, kind_of
from recortex.operations.base import Operations
from recortex.operations.registry import operation

EXAMPLES = files("recortex.operations").joinpath("kind_examples.json")
"""The content of one memory of each kind."""

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recortex.domain.kinds import Kind


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


class KindOperations(Operations):
    """kinds."""

    @operation(read_only=True)
    def kinds(self, kind: str = "") -> KindsShown:
        """List the kinds of memory; for one kind, show its fields and an example for `remember`.

        Args:
            kind: a kind, or a synonym of one.
        """
        if kind:
            return KindsShown(kinds=(_whole(kind_of(kind)),))
        return KindsShown(kinds=tuple(_line(name) for name in sorted(KINDS)))


def _line(kind: Kind, **more: Any) -> KindShown:
    content = KINDS[kind]
    about = " ".join((content.__doc__ or "").split("\n\n")[0].split())
    return KindShown(
        kind=kind, about=about, half_life_days=content.half_life_days, category=content.category, **more
    )


def _whole(kind: Kind) -> KindShown:
    """A kind with its fields, and an example as one would be kept."""
    schemas: Mapping[str, Any] = schema_of(kind)["properties"]
    main = KINDS[kind].main
    fields = tuple(
        KindField(name=name, takes=takes(schema), main=name == main) for name, schema in schemas.items()
    )
    example = json.loads(EXAMPLES.read_text(encoding="utf-8"))[kind]
    return _line(kind, fields=fields, example={"kind": str(kind), "content": example})


def takes(schema: Mapping[str, Any]) -> str:
    """What a value has to be, in words; of an object its fields, of a list what it lists."""
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(takes(one) for one in schema["anyOf"]))
    if "enum" in schema:
        return " | ".join(str(word) for word in schema["enum"] if word != "")
    if schema.get("type") == "array":
        return f"list of {takes(schema.get('items') or {})}"
    if "properties" in schema:
        inner = ", ".join(
            f"{name}{'' if name in schema.get('required', ()) else '?'}: {takes(one)}"
            for name, one in schema["properties"].items()
        )
        return f"{{{inner}}}"
    if schema.get("type") == "object":
        return f"{{name: {takes(schema.get('additionalProperties') or {})}}}"
    return _WORDS.get(str(schema.get("type")), "anything")


_WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "yes or no",
    "null": "nothing",
}
