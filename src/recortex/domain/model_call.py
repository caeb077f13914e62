"""Questions to a language model, its answers, and the record of each call."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from recortex.lean import Value

Purpose = Literal[
    "extract", "edges", "hypothesis", "polish", "correct"
]  # the last one of former versions alone
Outcome = Literal["pending", "ok", "refused", "failed", "unusable"]
Reason = Literal[
    "off",  # no provider is set
    "inside",  # this process belongs to an agent that Recortex itself runs
    "nothing_to_send",
    "not_configured",  # no key, no program, an address that will not do
    "budget",
    "connection",
    "timeout",
    "status",  # an HTTP status other than success, also after retries
    "redirect",
    "too_large",
    "truncated",
    "declined",  # the model would not
    "not_json",
    "wrong_form",
    "program",  # the agent's command line ended badly
]


class Request(Value, frozen=True, kw_only=True):
    """A question with a structured answer: a JSON object that holds one list.

    Attributes:
        system: the instructions.
        prompt: what they are about; it leaves this machine as it stands.
        schema: JSON schema of the answer; every object closed and every property required.
        items: the name of the list in the answer.
        session: the agent's session that it is asked for.
        max_output: tokens that the answer may have.
    """

    purpose: Purpose
    system: str
    prompt: str
    schema: Mapping[str, Any]
    items: str
    session: str = ""
    max_output: int = 8_192


class ModelCall(Value, frozen=True, kw_only=True):
    """One call of a language model, also one that failed or was refused.

    Attributes:
        micro_usd: millionths of a US dollar.
        outcome: `pending` while it runs (and for good where the process was killed: then the reserve counts
            as spent); `refused` by the budget, before anything was sent; `unusable`: there was an answer, but
            not of the asked form.
    """

    at: datetime
    provider: str
    model: str
    purpose: Purpose
    session: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    micro_usd: int = 0
    milliseconds: int = 0
    outcome: Outcome = "pending"


class Spending(Value, frozen=True, kw_only=True):
    """What a day's calls came to; those that still run count with their reserve."""

    calls: int = 0
    tokens: int = 0
    micro_usd: int = 0
    refused: int = 0
    failed: int = 0


class Limit(Value, frozen=True, kw_only=True):
    """What a day's calls may come to at most."""

    tokens: int
    micro_usd: int


class Answer(Value, frozen=True):
    """What a model answered: the items of the asked list, as JSON values that nobody has checked yet."""

    items: tuple[Any, ...]
    call: ModelCall


class Unavailable(Value, frozen=True):
    """There is no answer: what the rules found is all.

    Attributes:
        detail: a sentence for people, without a key and without a word of what was sent or answered.
        call: as it stands in the ledger; None where nothing was tried.
    """

    reason: Reason
    detail: str
    call: ModelCall | None = None
