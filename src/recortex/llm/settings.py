"""The settings of the language model, which `app/wiring.py` fills."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """The rows `llm.*` of the settings, and what belongs to the process.

    Attributes:
        provider: anthropic, openai, gemini, ollama or agent; empty: none.
        model: empty: the provider's usual small one.
        url: the base URL; empty: the provider's own.
        timeout: seconds that one question may take, retries included.
        daily_usd, daily_tokens: what a UTC day may cost.
        price_input, price_output: US dollars for a million tokens, used where the model is not in our table.
        environment: of this process; the agent's command line is found and run with it, nothing else reads
            it.
        inside: this process belongs to an agent that Recortex itself runs, so nothing is asked.
    """

    provider: str = ""
    model: str = ""
    url: str = ""
    timeout: float = 30.0
    daily_usd: float = 0.10
    daily_tokens: int = 200_000
    price_input: float = 0.0
    price_output: float = 0.0
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    inside: bool = False
