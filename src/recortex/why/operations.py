"""Why something is as it is: why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from recortex.domain.context import Accounting, Verbosity, Why
from recortex.errors import InvalidInputError
from recortex.operations.base import MAX_DEPTH, Operations, bounded
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from recortex.domain.context import Bearing, Section


TOLD = ("about", "budget")
"""The parameters of `why` that agents are told of."""
MOST_ASKED = 4_096


class ReasonOperations(Operations):
    """why."""

    @operation(read_only=True, told=TOLD)
    def why(
        self,
        about: str,
        *,
        depth: int = 5,
        limit: int = 5,
        budget: int = 3_000,
        verbosity: Verbosity = "detailed",
        patterns: bool = True,
        constraints: bool = True,
        memories: bool = True,
        decisions: bool = True,
        warnings: bool = True,
        format: Literal["text", "json", "mermaid", "dot", "svg"] = "text",  # noqa: A002
    ) -> Why:
        """Explain why something is as it is: decisions, the commits and sessions behind it, causes.

        Each sentence names its evidence. If nothing is known, it says so.

        Args:
            about: PATH, PATH:LINE or PATH:FIRST-LAST; a symbol; the id of a pattern or memory; or a question
                in plain words.
            depth: how many relations to follow, from 0 to 10.
            limit: maximum number of memories.
            budget: maximum number of tokens.
            verbosity: how much to tell.
            patterns: include how such things are done here, and why.
            constraints: include constraints and exceptions.
            memories: include what else is known.
            decisions: include decisions.
            warnings: include what to watch out for.
            format: text; or a picture of the graph: mermaid, dot or svg.
        """
        from recortex.why.finding import Reasons
        from recortex.why.reasons import LEAST_BUDGET, MOST_BUDGET, tell

        bounded(limit)
        if not 0 <= depth <= MAX_DEPTH:
            raise InvalidInputError(f"The depth must be from 0 to {MAX_DEPTH}, not {depth}.")
        if not LEAST_BUDGET <= budget <= MOST_BUDGET:
            raise InvalidInputError(
                f"The budget must be from {LEAST_BUDGET} to {MOST_BUDGET:,} tokens, not {budget}."
            )
        if not about.strip() or len(about) > MOST_ASKED:
            raise InvalidInputError(
                f"What is asked about must have 1 to {MOST_ASKED:,} characters.",
                hint="Name a file, PATH:LINE, a symbol, a memory, or ask in a sentence.",
            )
        wanted = _sections(patterns, constraints, memories, decisions, warnings)
        found = Reasons(self._app, about, limit, depth)
        claims = [one for one in found.claims if one.section in wanted]
        told = tell(found.head, claims, verbosity, budget, self._app.count_tokens, near=found.near)
        return Why(
            about=about,
            subject=found.subject,
            text=told.text,
            tokens=told.tokens,
            budget=budget,
            claims=told.claims,
            answers=tuple(_accounting(one) for one in found.bearings) if told.claims else (),
            confidence=found.confidence if told.claims else 0.0,
            near=tuple(_accounting(one) for one in found.near),
            left_out=told.left_out,
            picture=found.picture(format) if format != "text" and format != "json" else "",  # noqa: PLR1714
            degraded=found.degraded,
        )


def _sections(
    patterns: bool, constraints: bool, memories: bool, decisions: bool, warnings: bool
) -> frozenset[Section]:
    """The sections that are wanted; history, and what led to what, always are."""
    from recortex.why.reasons import TITLES

    unwanted = {
        section
        for section, wanted in (
            ("patterns", patterns), ("constraints", constraints), ("knowledge", memories),
            ("decisions", decisions), ("warnings", warnings),
        )
        if not wanted
    }  # fmt: skip
    return frozenset(TITLES) - unwanted


def _accounting(one: Bearing) -> Accounting:
    from recortex.why.reasons import QUOTED, words_of

    memory = one.memory
    return Accounting(
        memory.id, memory.kind, words_of(memory, QUOTED), memory.status, one.relevance, one.because
    )
