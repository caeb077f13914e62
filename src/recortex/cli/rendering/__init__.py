"""Answers as text for people. An answer whose type has no form of its own is shown by its fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.cli.rendering import (
    changes,
    clients,
    health,
    inspection,
    kinds,
    maintenance,
    memories,
    moving,
    pairs,
    standing,
)
from recortex.cli.rendering.fields import fields_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from recortex.cli.terminal import Terminal

# By name, so that showing an answer imports nothing that making it did not.
FORMS: dict[str, Callable[[Any, Terminal], str]] = (
    memories.FORMS
    | changes.FORMS
    | health.FORMS
    | standing.FORMS
    | pairs.FORMS
    | inspection.FORMS
    | clients.FORMS
    | moving.FORMS
    | maintenance.FORMS
    | kinds.FORMS
)


def render(value: Any, terminal: Terminal) -> str:
    """The text of an answer, without a closing line break; nothing a terminal would obey is in it."""
    form = FORMS.get(type(value).__name__, fields_of)
    if not terminal.person:
        return form(value, terminal)
    from recortex.cli.rendering import screens

    return screens.show(value, form, terminal)
