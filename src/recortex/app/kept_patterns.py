"""Conventions kept as memories: new ones on request, known ones followed, reasons looked for."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from recortex.codebase.files import read
from recortex.codebase.manifests import LARGEST
from recortex.domain.kinds import kind_of
from recortex.domain.query import MemoryQuery
from recortex.domain.vocabulary import Status, Trust
from recortex.engines.code.conventions.counting import Share
from recortex.engines.code.detection.evidence import plain
from recortex.engines.ingestion.query_terms import query_terms
from recortex.engines.keeping.linking import EXPLAINING, ids_of_convention
from recortex.engines.keeping.reasons import Reason, comment_beside, said_of
from recortex.engines.keeping.standing import (
    MOST_KEPT,
    NOTED,
    draft_of,
    followed,
    is_kept,
    is_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from recortex.app.application import Application
    from recortex.app.code_patterns import Patterns
    from recortex.app.store_services import StoreServices
    from recortex.domain.code_patterns import Convention
    from recortex.domain.memory import Memory
    from recortex.engines.ingestion.draft import Draft

_KINDS = tuple(
    map(kind_of, ("pattern_rationale", "decision", "decision_context", "tribal", "insight", "preference"))
)
_DOCUMENTS = (".md", ".mdx", ".rst", ".adoc")
MOST_DOCUMENTS = 300
_BEFORE, _AFTER = 8, 12
"""Lines around a definition in which its comments are."""
_STANDING = frozenset({Status.ACTIVE, Status.PROPOSED, Status.QUARANTINED})


class Keeping:
    """Keeps the conventions of a project in step with its code.

    Args:
        app: the opened application.
        services: the project's store.
        found: what was counted.
        status: of new memories; None: their origin decides.
    """

    def __init__(
        self, app: Application, services: StoreServices, found: Patterns, status: Status | None
    ) -> None:
        self._app, self._services, self._found, self._status = app, services, found, status
        self._now: datetime = app.clock()
        self.counts: Counter[str] = Counter()
        self.memories: list[Memory] = []
        self._documents: list[tuple[str, str]] | None = None

    def run(self, most: int = MOST_KEPT) -> None:
        """Follow what is kept, then keep what is new: at most `most` now, and `MOST_KEPT` in a project."""
        known = self.known()
        now_kept = [self._follow(one) for one in known]
        standing = sum(one.status in _STANDING for one in now_kept)
        wanted = [one for one in self._found.conventions if not any(is_of(each, one) for each in known)]
        room = min(max(MOST_KEPT - standing, 0), most)
        drafts = [self._draft(one) for one in wanted[:room]]
        self.counts["left"] = len(wanted) - len(drafts)
        for kept in self._services.ingestion.keep(drafts, now=self._now, actor=self._app.actor):
            self.counts["kept"] += kept.added
            self.memories.append(kept.memory)
        self._services.embedding.embed(self.memories)

    def known(self) -> list[Memory]:
        """Every memory of a convention, those that were put away included."""
        kinds = (kind_of("semantic"), kind_of("pattern_rationale"))
        found = self._services.store.memories.find(MemoryQuery(kinds=kinds, statuses=()))
        return [one for one in found if is_kept(one)]

    def _follow(self, memory: Memory) -> Memory:
        noted = memory.metadata[NOTED]
        counted = self._found.counted.conventions(every=True)
        one = next((each for each in counted if is_of(memory, each)), None)
        share = (
            Share(one.support, one.total, one.exceptions)
            if one
            else self._found.counted.share(
                noted["language"], noted["population"], noted["trait"], noted["values"]
            )
        )
        made = followed(memory, one, share, self._edited(memory), self._now)
        self.counts[made.became] += 1
        if made.became == "same":
            return memory
        reason = f"{share.support} of {share.total} have it now"
        changed = self._services.ingestion.change(
            memory,
            made.memory,
            now=self._now,
            actor=self._app.actor,
            operation="recount",
            reason=reason,
        )
        self.memories.append(changed)
        return changed

    def _edited(self, memory: Memory) -> bool:
        """Whether somebody changed what it says."""
        return any(one.operation == "edit" for one in self._services.store.ledger.entries(memory.id))

    def _draft(self, one: Convention) -> Draft:
        return draft_of(one, self.reason(one), self._status, self._now)

    def reason(self, one: Convention) -> Reason | None:
        """Why a convention is kept, where a memory, a comment beside it or a document says so."""
        return next(self._reasons(one), None)

    def _reasons(self, one: Convention) -> Iterator[Reason]:
        for memory in self._linked(one):
            if text := _explanation(memory) or said_of(one, memory.text):
                yield Reason(text, memory.id)
        for memory in self._candidates(one):
            if text := said_of(one, memory.text):
                yield Reason(text, memory.id)
        yield from self._beside(one)
        for path, text in self._texts():
            if said := said_of(one, text):
                yield Reason(said, "", path)

    def _linked(self, one: Convention) -> list[Memory]:
        query = MemoryQuery(patterns=ids_of_convention(one), kinds=_KINDS)
        return [each for each in self._services.store.memories.find(query) if not is_kept(each)]

    def _candidates(self, one: Convention) -> list[Memory]:
        ids = [id_ for id_, _ in self._services.store.search.candidates(query_terms(one.name))]
        return [
            each
            for each in self._services.store.memories.get(ids)
            if each.kind in _KINDS
            and each.status is Status.ACTIVE
            and each.trust is not Trust.UNTRUSTED
            and not is_kept(each)
        ]

    def _beside(self, one: Convention) -> Iterator[Reason]:
        """Sentences of comments at the definition of what is shared, which name the convention."""
        names = {plain(value.partition("<")[0]) for value in one.values}
        for path, facts in self._found.sources.code.items():
            for symbol in facts.symbols:
                if symbol.plain in names and symbol.parent == -1:
                    lines = self._text(path).splitlines()
                    near = lines[max(symbol.first - _BEFORE - 1, 0) : symbol.line + _AFTER]
                    if said := said_of(one, comment_beside(near)):
                        yield Reason(said, "", path, symbol.line)

    def _texts(self) -> Sequence[tuple[str, str]]:
        """The documents of the project."""
        if self._documents is None:
            paths = [one for one in self._found.sources.paths if one.lower().endswith(_DOCUMENTS)]
            self._documents = [(path, self._text(path)) for path in paths[:MOST_DOCUMENTS]]
        return self._documents

    def _text(self, path: str) -> str:
        data = read(self._app.tree, path)
        return data[:LARGEST].decode("utf-8", "replace") if data else ""


def _explanation(memory: Memory) -> str:
    """What a memory that was linked to a pattern as its explanation says of why it is so; else empty."""
    fields = ("rationale", "business_context", "technical_context") if memory.kind == EXPLAINING else ()
    return next((text for name in fields if (text := str(getattr(memory.content, name, "")))), "")
