"""Why something is as it is: why."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from recortex.app.knowledge import of_records
from recortex.codebase.git import relative
from recortex.domain.context import Accounting, Bearing, Claim, Evidence, Verbosity, Why
from recortex.domain.kinds.base import shorten
from recortex.domain.memory import DECISION_RECORD
from recortex.domain.text import clean
from recortex.domain.time import to_micros
from recortex.engines.copies import folded
from recortex.engines.decay import faded
from recortex.engines.graph.walks import DRAWN, picture_of
from recortex.engines.ingestion.output_redaction import output_redacted
from recortex.engines.retrieval.question import cap_scores, in_turns
from recortex.errors import InvalidInputError
from recortex.operations.base import MAX_DEPTH, Operations, RecallQuestion, bounded
from recortex.operations.recalling import Recalling
from recortex.operations.registry import operation
from recortex.operations.searching import SearchOperations
from recortex.why.account import Record
from recortex.why.reasons import (
    LEAST_BUDGET,
    MOST_BUDGET,
    QUOTED,
    TITLES,
    bearings,
    links,
    of_bearing,
    of_commits,
    of_links,
    of_making,
    reading,
    subject_of,
    tell,
    words_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.app.application import Application
    from recortex.domain.context import PictureFormat, Section
    from recortex.domain.exchange import ExchangeHit
    from recortex.domain.memory import Memory
    from recortex.domain.search import ChunkHit
    from recortex.why.reasons import Link, Trail


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
    memory = one.memory
    return Accounting(
        memory.id, memory.kind, words_of(memory, QUOTED), memory.status, one.relevance, one.because
    )


# -- what `why` finds: the memories that account for a subject, its commits and sessions, the chains


CANDIDATES = 12
"""Memories that are asked for where words are given."""
RECORDS_FIRST = 0.25
"""The power to which a record's probability is raised among memories: the scores of these are higher."""
_NEVER_SAYS_WHY = frozenset(("code",))
_DOCUMENTS = 2
"""Parts of other documents that are told."""


class Reasons:
    """The parts of an answer, each found when it is first asked for."""

    def __init__(self, app: Application, about: str, limit: int, depth: int) -> None:
        self._app, self._record = app, Record(app)
        self._about, self._limit, self._depth = about, limit, depth
        self._said: tuple[ExchangeHit, ...] = ()
        self._written: tuple[ChunkHit, ...] = ()
        self.near: tuple[Bearing, ...] = ()
        self.degraded: tuple[str, ...] = ()
        self.trail: Trail | None = None
        record = self._record
        found = subject_of(
            relative(self._about, self._app.root) if self._about.startswith(("/", "./")) else self._about,
            is_file=record.knows_file,
            is_memory=lambda id_: _looks_whole(id_) or bool(self._app.memories_beginning(id_)),
            is_pattern=record.knows_pattern,
            is_symbol=lambda name: record.definition(name) is not None,
        )
        if found.kind == "symbol" and (place := record.definition(found.symbol)):
            path, lines = place
            self.subject = replace(found, path=path, first=lines.first, last=lines.last)
        else:
            self.subject = found
        self.bearings = self._present(self._bearings()[:limit])

    def _bearings(self) -> list[Bearing]:
        """The memories that account for the subject, the likeliest first."""
        if self.subject.kind == "memory":
            _, memory = self._app.locate(self.subject.name)
            self.subject = replace(self.subject, name=memory.id)
            return [Bearing(memory, 1.0, "it was asked about")]
        if self.subject.kind == "pattern":
            found = self._record.of_pattern(self.subject.name)
            return [Bearing(one, 1.0, "it explains this pattern") for one in found]
        if self.subject.path:
            self.trail = self._record.trail(self.subject)
            self.subject = self.trail.subject
            return bearings(self.trail, self._record.memories(self.trail))
        # What answers a question in words: decision records by their parts, the rest as `recall` does
        records = of_records(self._app, self._about)
        asked = RecallQuestion(self._about, limit=max(CANDIDATES, self._limit))
        recalling, only = Recalling(self._app), SearchOperations(self._app).filters(asked)
        parts = [recalling.part(one, only, asked.limit or CANDIDATES) for one in recalling.questions(asked)]
        notes = [note for part in parts for each in part.found for note in each.degraded]
        self.degraded = tuple(dict.fromkeys(notes))
        self._said = recalling.passages([one for part in parts for one in part.said if not one.hit.weak])
        self._written = tuple(
            one for part in parts for one in part.documents if not (one.weak or one.path in records.paths)
        )[:_DOCUMENTS]
        hits = folded(
            cap_scores(in_turns([[*part.hits, *part.waiting] for part in parts], lambda hit: hit.memory.id))
        )
        others = [
            Bearing(hit.memory, hit.score, "it answers the question")
            for hit in hits
            if not (hit.weak or hit.memory.kind in _NEVER_SAYS_WHY)
            and not (records.paths and hit.memory.source.rule == DECISION_RECORD)
        ]
        placed = [(one.relevance**RECORDS_FIRST, one) for one in records.answers]
        placed += [(one.relevance, one) for one in others]
        self.near = tuple(self._present(records.near))
        return [one for _, one in sorted(placed, key=lambda pair: -pair[0])]

    def _present(self, found: Sequence[Bearing]) -> list[Bearing]:
        """The memories without secrets, with the confidence that is left now."""
        memories = [one.memory for one in found]
        for services in self._app.all_services():
            memories = list(faded(memories, services.store, to_micros(self._app.clock())))
        by_id = {one.id: output_redacted(one) for one in memories}
        return [one._replace(memory=by_id[one.memory.id]) for one in found]

    @cached_property
    def _linked(self) -> tuple[list[Link], dict[str, Memory]]:
        """The relations that explain the memories, and every memory that they name."""
        starts = [one.memory.id for one in self.bearings]
        memories = {one.memory.id: one.memory for one in self.bearings}
        found: list[Link] = []
        for services in self._app.all_services() if starts else ():
            walked = links(starts, reading(services.store.relations, starts), depth=self._depth)
            far = {id_ for one in walked for id_ in (one.relation.source_id, one.relation.target_id)}
            others = services.store.memories.get(sorted(far - memories.keys()))
            memories |= {one.id: output_redacted(one) for one in others}
            found += walked
        return found, memories

    @property
    def claims(self) -> Iterator[Claim]:
        """Every sentence with its evidence, each section's likeliest first."""
        for one in self.bearings:
            yield of_bearing(one)
        if self.trail:
            yield from self._history(self.trail)
        found, memories = self._linked
        yield from of_links(found, memories, [one.memory.id for one in self.bearings])
        yield from map(_of_said, self._said)
        yield from map(_of_written, self._written)

    def _history(self, trail: Trail) -> Iterator[Claim]:
        known = {one.hash for one in trail.of_line}
        what = "this file" if trail.subject.first is None else "these lines"
        if trail.subject.first is not None and trail.subject.last == trail.subject.first:
            what = "this line"
        yield from of_commits(trail.of_line, what)
        others = [one for one in trail.of_symbol if one.hash not in known]
        yield from of_commits(others, f"`{trail.subject.symbol}` around it")
        for commit in trail.commits:
            if commit.hash in trail.made_by:
                made = trail.made_by[commit.hash]
                yield of_making(commit, made, likely=commit.hash in trail.likely)

    @property
    def head(self) -> str:
        """The subject on one line."""
        subject = self.subject
        if subject.kind == "place":
            within = f"in `{subject.symbol}`" if subject.symbol else ""
            new = ""
            if self.trail and self.trail.uncommitted:
                new = "not committed yet"
            elif self.trail and not self.trail.commits:
                new = "no commit known"
            notes = ", ".join(filter(None, (within, new)))
            return f"# Why: {subject.name} ({notes})" if notes else f"# Why: {subject.name}"
        if subject.kind == "symbol":
            return f"# Why: `{subject.symbol}` ({subject.path}:{subject.first}-{subject.last})"
        return f"# Why: {' '.join(subject.name.split())[:200]}"

    @property
    def confidence(self) -> float:
        """Of the likeliest memory: how well it bears on the subject, and how sure it is itself."""
        if self.bearings:
            best = self.bearings[0]
            return round(best.relevance * best.memory.confidence, 3)
        return 0.5 if self.trail and self.trail.commits else 0.0

    def picture(self, form: PictureFormat) -> str:
        """The graph of the memories and their relations."""
        found, memories = self._linked
        main = [one.memory.id for one in self.bearings]
        return DRAWN[form](picture_of(memories, [one.relation for one in found], main))


def _looks_whole(id_: str) -> bool:
    """Whether a text can only be meant as an id, so that an unknown one is an error and no question."""
    return len(id_) >= 8 and any(sign.isdigit() for sign in id_)  # noqa: PLR2004  as many as are shown


def _of_said(said: ExchangeHit) -> Claim:
    words = shorten(clean(said.message or said.outcome or said.asked), QUOTED)
    day = f" of {said.said_at:%Y-%m-%d}" if said.said_at else ""
    text = f"Said in a session{day}, unchecked: “{words}”"
    return Claim("knowledge", text, (Evidence("exchange", said.id, words),), confidence=said.score)


def _of_written(hit: ChunkHit) -> Claim:
    words = shorten(clean(hit.text), QUOTED)
    text = f"{hit.path}:{hit.first_line}-{hit.last_line} says: “{words}”"
    return Claim("knowledge", text, (Evidence("document", hit.id, words),), confidence=hit.score)
