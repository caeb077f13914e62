"""Prices of models in US dollars per million tokens."""

from __future__ import annotations

import json
import math
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from recortex.llm.settings import ModelSettings


class Price(NamedTuple):
    """US dollars for a million tokens, which is also micro-dollars for one."""

    input: float
    output: float

    def of(self, input_tokens: int, output_tokens: int) -> int:
        """Whole micro-dollars, rounded up."""
        return math.ceil(input_tokens * self.input + output_tokens * self.output - _ROUNDING)


@cache
def prices() -> dict[str, Price]:
    """The providers' public prices as of 2026-11-22, for prompts below 100,000 tokens, by model.

    If a promotion ends on 2026-12-31, the price after it is listed. Names of the agent's command line, such
    as `haiku`, have the price of the most expensive model that they stand for.
    """
    rows = json.loads((Path(__file__).parent / "prices.json").read_bytes())
    return {model: Price(*row) for model, row in rows.items()}


FREE = Price(0.0, 0.0)
_ROUNDING = 1e-9
_DATE = re.compile(r"-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest|\d{3})$")


def price_of(settings: ModelSettings, model: str) -> tuple[Price, str]:
    """The price of a model, and a notice if the price is unknown.

    A date at the end of the name does not matter. A name that only begins like a known one is unknown: its
    price may be twenty times higher.
    """
    known = prices().get(_DATE.sub("", model.rsplit("/", 1)[-1].lower()))
    if settings.provider == "ollama":
        return FREE, ""
    if known is not None:
        return known, ""
    configured = Price(settings.price_input, settings.price_output)
    if configured != FREE:
        return configured, ""
    return FREE, (
        f"The price of the model {model[:80]!r} is not known: its calls count as free, only the daily "
        "tokens stop them. Set llm.price_input and llm.price_output."
    )
