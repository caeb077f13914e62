"""Decides which known memories a new one ends without a person, and which one ends it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from recortex.domain.relation import CONSENSUS
from recortex.domain.vocabulary import Status
from recortex.engines.supersession.authority import may_replace
from recortex.engines.supersession.detection import NOTHING, Outcome
from recortex.engines.supersession.reading import read_together
from recortex.engines.supersession.resting import supporters
from recortex.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.memory import Memory
    from recortex.engines.ingestion.similar_memories import Resemblance
    from recortex.engines.supersession.detection import SupersessionVerdict
    from recortex.ports.changes import ChangeReader
    from recortex.ports.store import Store


class Ending:
    """Judges a new memory and those that resemble it.

    Args:
        store: where the memories are.
        reader: reads two statements together; None: rules decide alone.
    """

    def __init__(self, store: Store, reader: ChangeReader | None) -> None:
        self._store, self._reader = store, reader

    def read(self, memory: Memory, one: Resemblance, text: str) -> Resemblance:
        """What the rules take for a change, as it is read together: some of it can both hold.

        Args:
            memory: the new one.
            one: what it has in common with a known one.
            text: of the known one.
        """
        verdict = self._together(memory.text, text, one.verdict)
        return replace(one, verdict=verdict, reverse=self._together(text, memory.text, one.reverse))

    def _together(self, new: str, known: str, rules: SupersessionVerdict) -> SupersessionVerdict:
        if rules.outcome is not Outcome.REPLACES:
            return NOTHING  # a guess: it is read when the vectors are there (`app/changes.py`)
        if self._reader:
            with suppress(EmbeddingError):
                return read_together(known, new, rules, self._reader.chances([(known, new)])[0])
        return rules

    def replaced_by(self, memory: Memory, similar: Sequence[Resemblance]) -> dict[str, str]:
        """The ids of the known memories that a new one replaces, each with the evidence."""
        verdicts = {one.id: one.verdict for one in similar if one.verdict.outcome is Outcome.REPLACES}
        found = self._store.memories.get(list(verdicts)) if verdicts else []
        return {
            old.id: verdicts[old.id].evidence for old in found if self.may_end(memory, old, verdicts[old.id])
        }

    def later_replacement(self, memory: Memory, similar: Sequence[Resemblance]) -> Memory | None:
        """The known memory that replaces a new one which is recorded late, such as from an old session."""
        verdicts = {one.id: one.reverse for one in similar if one.reverse.outcome is Outcome.REPLACES}
        found = self._store.memories.get(list(verdicts)) if verdicts else []
        later = (known for known in found if known.valid_from > memory.valid_from)
        return next((known for known in later if may_replace(known, memory, verdicts[known.id])), None)

    def may_end(self, new: Memory, old: Memory, verdict: SupersessionVerdict) -> bool:
        """Whether one memory may end another: who said it, and that not several others support the other."""
        return may_replace(new, old, verdict) and not self._agreed(old)

    def _agreed(self, memory: Memory) -> bool:
        found = supporters(memory.id, self._store.relations.of([memory.id]))
        known = self._store.memories.get(list(found)) if len(found) >= CONSENSUS else ()
        return sum(one.status is Status.ACTIVE for one in known) >= CONSENSUS
