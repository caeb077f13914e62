"""What is known for a task: context."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.domain.context import Context
from recortex.errors import ConfigError, InvalidInputError, RecortexError
from recortex.operations.base import Operations
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recortex.app.given import Asking
    from recortex.engines.context.assembling import LaidOut, Offer

MOST_NAMED = 50
"""Files, and patterns, that may be given."""
MAX_TASK = 20_000
MOST_MATRIX = 65_536
"""Bytes of a matrix of intents."""
TOLD = ("task", "files", "intent", "budget")
"""The parameters of `context` that agents are told of by default."""


class ContextOperations(Operations):
    """context."""

    @operation(core=True, read_only=True, told=TOLD)
    def context(
        self,
        task: str,
        *,
        files: Sequence[str] = (),
        patterns: Sequence[str] = (),
        intent: str = "",
        budget: int = 2_000,
        session: str = "",
        again: bool = False,
    ) -> Context:
        """Tell what is known for a task within a budget: warnings, rules, decisions, how it is done, facts.

        Call it before you begin, with the files you are going to touch. What the session was given before is
        left out.

        Args:
            task: what is to be done, in plain words.
            files: paths in view.
            patterns: ids of code patterns that matter.
            intent: such as fix_bug, add_feature, refactor; told by the task, unless given.
            budget: at most so many tokens.
            session: the id of the session that asks; that of the client which runs the server, unless said.
            again: also what the session was given before.
        """
        from recortex.app.given import Asking
        from recortex.app.knowledge import Knowledge
        from recortex.engines.context.assembling import lay_out, of_document, of_exchange

        began = time.monotonic()
        _check(task, files, patterns, budget)
        asking = Asking(self._app, session)
        intent = _intent(intent, task, files, asking.actions)
        boosts = _boosts(intent, self._app.settings["context.matrix"])
        known = Knowledge(self._app, task, files, patterns)
        offers = known.offers(boosts)
        fresh = [one for one in offers if again or asking.is_new(one.memory)]
        asides = [*map(of_document, known.written()), *map(of_exchange, known.said())]
        asides = [one for one in asides if again or one.id not in asking.receipts]
        laid = lay_out(fresh, asides, boosts, budget, self._app.count_tokens)
        known_already = {one.memory.id for one in offers} - {one.memory.id for one in fresh}
        saved = min(sum(asking.receipts[id_].tokens for id_ in known_already), budget)
        _note(asking, laid, fresh, intent, began, saved)
        return Context(
            task=task,
            intent=intent,
            text=laid.text,
            tokens=laid.tokens,
            budget=budget,
            entries=laid.entries,
            left_out=_left_out(laid, offers, fresh),
            degraded=known.degraded,
        )


def _boosts(intent: str, matrix: str) -> Mapping[str, float]:
    """By how much each kind counts for an intent, with the person's own matrix where a file of one is set.

    Raises:
        ConfigError: it cannot be read, or is none.
    """
    from recortex.engines.intent.classifying import boosts, read_matrix

    if not matrix:
        return boosts(intent)
    from recortex.filesystem import read_own

    try:
        text = read_own(Path(matrix).expanduser(), MOST_MATRIX, links=True).decode()
        return boosts(intent, read_matrix(text))
    except (OSError, UnicodeDecodeError, RecortexError) as error:
        hint = "Mend it, or empty the setting `context.matrix`."
        raise ConfigError(f"{matrix} cannot be used: {error}", hint=hint) from error


def _check(task: str, files: Sequence[str], patterns: Sequence[str], budget: int) -> None:
    """Raise where the task, its files or the budget cannot be used."""
    from recortex.engines.context.assembling import LEAST_BUDGET, MOST_BUDGET

    if not LEAST_BUDGET <= budget <= MOST_BUDGET:
        raise InvalidInputError(
            f"The budget must be from {LEAST_BUDGET} to {MOST_BUDGET:,} tokens, not {budget}."
        )
    if len(task) > MAX_TASK:
        raise InvalidInputError(f"The task has more than {MAX_TASK:,} characters.", hint="Give its gist.")
    if max(len(files), len(patterns)) > MOST_NAMED:
        raise InvalidInputError(f"At most {MOST_NAMED} files and as many patterns can be given.")


def _intent(given: str, task: str, files: Sequence[str], actions: Sequence[str]) -> str:
    """The intent that was given, if there is such a one, else that of the task, files and last actions.

    Raises:
        InvalidInputError: there is none of that name.
    """
    from recortex.engines.intent.classifying import classify, rules

    if given and given not in rules():
        raise InvalidInputError(f"There is no intent {given[:40]!r}.", hint=f"Intents: {', '.join(rules())}.")
    return given or classify(task, files, actions)


def _left_out(laid: LaidOut, offers: Sequence[Offer], fresh: Sequence[Offer]) -> dict[str, int]:
    given = {one.memory.id for one in offers} - {one.memory.id for one in fresh}
    counts = {"budget": laid.crowded_out, "given": len(given)}
    return {reason: number for reason, number in counts.items() if number}


def _note(
    asking: Asking, laid: LaidOut, offers: Sequence[Offer], intent: str, began: float, saved: int
) -> None:
    memories = {one.memory.id: one.memory for one in offers}
    given = [(memories[one.id], one.relevance, one.tokens) for one in laid.entries if one.id in memories]
    asking.note(given, intent, round(1_000 * (time.monotonic() - began)), saved)
