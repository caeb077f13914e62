"""What a session starts with: surface."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from recortex.app.brief import brief
from recortex.app.naming import shown
from recortex.codebase.project import branch_and_commit
from recortex.domain.vocabulary import Actor, Scope
from recortex.operations.base import Operations, filled
from recortex.operations.registry import operation


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A memory in the brief.

    Attributes:
        rank: 0 to 1.
        tokens: of its line.
    """

    id: str
    scope: Scope
    rank: float
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """What a session is told at its start.

    Attributes:
        text: the brief, between markers; empty where nothing is known.
        tokens: of the text, in cl100k_base; at most the setting `hooks.brief_tokens`.
        memories: what is in it, highest rank first.
        cached: it was made earlier, and nothing changed since.
        stale_hours: its age, where no newer one could be made.
    """

    text: str
    tokens: int
    memories: tuple[Shown, ...] = ()
    branch: str = ""
    generated_at: datetime
    cached: bool = False
    stale_hours: int | None = None


class BriefOperations(Operations):
    """surface."""

    @operation(read_only=True)
    def surface(self, *, branch: str = "", fresh: bool = False) -> Surface:
        """Show the brief that a session starts with: what matters most, in a few hundred tokens.

        Your rules come first, then decisions, warnings about what is being worked on, and facts that proved
        useful; in each group the most certain and important ones, and those closest to the work.

        Args:
            branch: as if this branch were checked out.
            fresh: make it anew, even if nothing has changed.
        """
        current = shown(branch or branch_and_commit(self._app.root)[0])
        made = brief(self._app, branch=current, cwd=str(self._app.root), fresh=fresh)
        memories = tuple(filled(Shown, item, id=item.memory, scope=Scope(item.scope)) for item in made.items)
        if self._app.actor is Actor.AGENT:
            from recortex.app.given import Asking

            Asking(self._app).note([(one, one.rank, one.tokens) for one in memories], "", 0)
        at = datetime.fromtimestamp(made.generated_at, UTC)
        return filled(Surface, made, memories=memories, branch=current, generated_at=at)
