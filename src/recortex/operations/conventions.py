"""Conventions of the code as memories: conventions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from recortex.domain.code_patterns import Convention
from recortex.domain.memory import Memory
from recortex.operations.base import Operations, bounded
from recortex.operations.registry import operation

ConventionAction = Literal["list", "keep"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conventions:
    """Conventions that are kept as memories, and those that could be.

    Attributes:
        memories: of conventions; after `keep` those that were added or changed.
        counts: after `keep`, how many were kept, updated, weakened, ended, restored, are the same, or were
            left since a project has at most so many.
        others: conventions that no memory has, the most informative first.
    """

    action: ConventionAction
    memories: tuple[Memory, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    others: tuple[Convention, ...] = ()


class ConventionOperations(Operations):
    """conventions."""

    @operation(person=True)
    def conventions(
        self, action: ConventionAction = "list", *, limit: int = 20, every: bool = False
    ) -> Conventions:
        """Keep how the code is written as memories: the most informative conventions, with their exceptions.

        Those that are kept follow the code: numbers and exceptions are renewed, and what no longer holds is
        put away. Where nobody wrote down why, `recortex review approve ID --reason WHY` says so.

        Args:
            action: list what is kept and what could be; or keep.
            limit: at most so many that could be kept, or are kept anew.
            every: list also those of a kind that is seldom worth telling, which are not kept.
        """
        from recortex.app.code import codebase
        from recortex.app.code_patterns import patterns
        from recortex.app.kept_patterns import Keeping
        from recortex.app.pattern_state import note_state
        from recortex.domain.vocabulary import Scope, Status
        from recortex.engines.ingestion.output_redaction import all_output_redacted
        from recortex.engines.keeping.standing import is_of

        most = bounded(limit)
        found = patterns(codebase(self._app))
        note_state(self._app, found, self._app.clock())
        keeping = Keeping(self._app, self._app.services(Scope.PROJECT), found, Status.ACTIVE)
        if action == "keep":
            keeping.run(most)
        known = keeping.known()
        told = found.counted.conventions(every=True) if every else found.conventions
        others = [one for one in told if not any(is_of(each, one) for each in known)]
        shown = keeping.memories if action == "keep" else known
        return Conventions(
            action=action,
            memories=all_output_redacted(shown),
            counts=dict(+keeping.counts),
            others=tuple(others[:most]),
        )
