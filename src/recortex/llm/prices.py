"""What models cost: US dollars for a million tokens, in and out."""

from __future__ import annotations

import math
import re
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


_ROUNDING = 1e-9

# The providers' public prices as of 2026-11-22, for prompts as short as ours (below 100,000 tokens). Where a
# promotion ends on 2026-12-31 the price after it stands here.
PRICES = {
    "claude-haiku-5-5": Price(0.10, 0.50),
    "claude-haiku-4-5": Price(1.00, 5.00),
    "claude-3-5-haiku": Price(0.80, 4.00),
    "claude-sonnet-5-5": Price(2.00, 10.00),
    "claude-sonnet-5": Price(2.00, 10.00),
    "claude-sonnet-4-6": Price(3.00, 15.00),
    "claude-sonnet-4-5": Price(3.00, 15.00),
    "claude-sonnet-4": Price(3.00, 15.00),
    "claude-opus-5-5": Price(4.00, 20.00),
    "claude-opus-5": Price(5.00, 25.00),
    "claude-opus-4-6": Price(5.00, 25.00),
    "claude-opus-4-5": Price(5.00, 25.00),
    "gpt-6-luna": Price(0.10, 0.50),
    "gpt-6-sol": Price(2.00, 10.00),
    "gpt-5-nano": Price(0.05, 0.40),
    "gpt-5-mini": Price(0.25, 2.00),
    "gpt-5": Price(1.25, 10.00),
    "gpt-4.1-nano": Price(0.10, 0.40),
    "gpt-4.1-mini": Price(0.40, 1.60),
    "gpt-4.1": Price(2.00, 8.00),
    "gpt-4o-mini": Price(0.15, 0.60),
    "gpt-4o": Price(2.50, 10.00),
    "gemini-3.8-flash": Price(1.50, 7.50),
    "gemini-3.5-flash-lite": Price(0.30, 2.50),
    "gemini-3.1-flash-lite": Price(0.25, 1.50),
    "gemini-2.5-flash-lite": Price(0.10, 0.40),
    "gemini-2.5-flash": Price(0.30, 2.50),
    "gemini-2.5-pro": Price(1.25, 10.00),
    # Names of the agent's command line, at the dearest model that they stand for today.
    "haiku": Price(1.00, 5.00),
    "sonnet": Price(3.00, 15.00),
    "opus": Price(5.00, 25.00),
}
FREE = Price(0.0, 0.0)
_DATE = re.compile(r"-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest|\d{3})$")


def price_of(settings: ModelSettings, model: str) -> tuple[Price, str]:
    """The price of a model, and a notice where it had to be taken on trust.

    A name counts with and without its date; a name that merely begins like a known one does not, since its
    price may be twenty times another.
    """
    known = PRICES.get(_DATE.sub("", model.rsplit("/", 1)[-1].lower()))
    if settings.provider == "ollama":
        return FREE, ""
    if known is not None:
        return known, ""
    told = Price(settings.price_input, settings.price_output)
    if told != FREE:
        return told, ""
    return FREE, (
        f"The price of the model {model[:80]!r} is not known: its calls count as free, only the daily "
        "tokens stop them. "
        "Set llm.price_input and llm.price_output."
    )
