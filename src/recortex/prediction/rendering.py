"""Predictions as people read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.text import clean
from recortex.terminal import plural, short

if TYPE_CHECKING:
    from recortex.prediction.operations import Prediction, Preloaded
    from recortex.terminal import Terminal


def prediction(value: Prediction, terminal: Terminal) -> str:
    """A line for each, with what says so below it."""
    lines = [
        f"{terminal.style(f'{one.confidence:.2f}', 'green')}  "
        f"{terminal.style(short(one.id), 'cyan')}  {one.kind}\n"
        f"{terminal.wrap(clean(one.summary), indent=6)}\n      {', '.join(one.because)}"
        for one in value.predicted
    ]
    return "\n".join(lines) or "Nothing is predicted: nothing that is known is about what is worked on."


def preloaded(value: Preloaded, _: Terminal) -> str:
    """For how many files, and how often that was of use."""
    looks = value.hits + value.misses
    used = f" {value.hits} of {plural(looks, 'look')} found their prediction." if looks else ""
    return f"Predicted for the next turn, and for {plural(value.files, 'file')}.{used}"
