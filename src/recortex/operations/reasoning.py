"""Why something is as it is: why."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from recortex.domain.reasons import Accounting, Claim, Evidence, Subject, Verbosity, Why
from recortex.errors import InvalidInputError
from recortex.operations.base import MAX_DEPTH, Operations, bounded
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.app.record import Record
    from recortex.domain.exchange import ExchangeHit
    from recortex.domain.memory import Memory
    from recortex.domain.reasons import PictureFormat, Section
    from recortex.engines.reasons.narrative import Link
    from recortex.engines.reasons.weighing import Bearing, Trail

TOLD = ("about", "budget")
"""The parameters of `why` that agents are told of."""
MOST_ASKED = 4_096
CANDIDATES = 12
"""Memories that are asked for where words are given."""
_NEVER_SAYS_WHY = frozenset(("code",))


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
        format: Literal["text", "json", "mermaid", "dot", "graphml", "svg"] = "text",  # noqa: A002
    ) -> Why:
        """Tell why something is as it is: what was decided, by which commits and sessions, what led to it.

        Each sentence names its evidence. Where nothing is known, it says so.

        Args:
            about: PATH, PATH:LINE or PATH:FIRST-LAST; a symbol; the id of a pattern or of a memory; or a
                question in plain words.
            depth: how many relations to follow one after the other, 0 to 10.
            limit: at most so many memories that account for it.
            budget: at most so many tokens.
            verbosity: summary, detailed or comprehensive.
            patterns: also how it is done here, and why.
            constraints: also constraints and exceptions.
            memories: also what else is known.
            decisions: also decisions.
            warnings: also what to watch out for.
            format: a picture of the graph instead of sentences: mermaid, dot, graphml, svg.
        """
        from recortex.engines.reasons.telling import LEAST_BUDGET, MOST_BUDGET, tell

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
        found = _Answer(self, about, limit, depth)
        claims = [one for one in found.claims if one.section in wanted]
        told = tell(found.head, claims, verbosity, budget, self._app.count_tokens)
        return Why(
            about=about,
            subject=found.subject,
            text=told.text,
            tokens=told.tokens,
            budget=budget,
            claims=told.claims,
            answers=tuple(_accounting(one) for one in found.bearings) if told.claims else (),
            confidence=found.confidence if told.claims else 0.0,
            left_out=told.left_out,
            picture=found.picture(format) if format != "text" and format != "json" else "",  # noqa: PLR1714
            degraded=found.degraded,
        )


class _Answer:
    """The parts of an answer, each found when it is first asked for."""

    def __init__(self, operations: ReasonOperations, about: str, limit: int, depth: int) -> None:
        from recortex.app.record import Record

        self._operations = operations
        self._app = operations._app  # noqa: SLF001  parts of one operation
        self._record: Record = Record(self._app)
        self._about, self._limit, self._depth = about, limit, depth
        self._said: tuple[ExchangeHit, ...] = ()
        self.degraded: tuple[str, ...] = ()
        self.trail: Trail | None = None
        self.subject = self._subject()
        self.bearings = self._present(self._bearings()[:limit])

    def _subject(self) -> Subject:
        from recortex.codebase.files import relative
        from recortex.engines.reasons.subject import subject_of

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
            return replace(found, path=path, first=lines.first, last=lines.last)
        return found

    def _bearings(self) -> list[Bearing]:
        """The memories that account for the subject, the likeliest first."""
        from recortex.engines.reasons.weighing import Bearing, bearings

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
        return self._answering()

    def _answering(self) -> list[Bearing]:
        """What answers a question in words."""
        from recortex.engines.consolidation.copies import folded
        from recortex.engines.reasons.weighing import Bearing
        from recortex.engines.retrieval.compound import falling, in_turns
        from recortex.operations.inputs import RecallQuestion
        from recortex.operations.recalling import Recalling
        from recortex.operations.searching import SearchOperations

        asked = RecallQuestion(self._about, limit=max(CANDIDATES, self._limit))
        recalling, only = Recalling(self._app), SearchOperations(self._app).filters(asked)
        parts = [recalling.part(one, only, asked.limit or CANDIDATES) for one in recalling.questions(asked)]
        self.degraded = tuple(
            dict.fromkeys(note for one in parts for each in one.found for note in each.degraded)
        )
        self._said = tuple(one for part in parts for one in part.said if not one.weak)
        hits = folded(
            falling(in_turns([[*part.hits, *part.waiting] for part in parts], lambda hit: hit.memory.id))
        )
        return [
            Bearing(hit.memory, hit.score, "it answers the question")
            for hit in hits
            if hit.memory.kind not in _NEVER_SAYS_WHY and not hit.weak
        ]

    def _present(self, found: Sequence[Bearing]) -> list[Bearing]:
        """The memories without secrets, with the confidence that is left now."""
        from recortex.domain.time import to_micros
        from recortex.engines.decay.present import faded
        from recortex.engines.ingestion.output_redaction import output_redacted

        memories = [one.memory for one in found]
        for services in self._app.all_services():
            memories = list(faded(memories, services.store, to_micros(self._app.clock())))
        by_id = {one.id: output_redacted(one) for one in memories}
        return [one._replace(memory=by_id[one.memory.id]) for one in found]

    @cached_property
    def _linked(self) -> tuple[list[Link], dict[str, Memory]]:
        """The relations that explain the memories, and every memory that they name."""
        from recortex.engines.ingestion.output_redaction import output_redacted
        from recortex.engines.reasons.chains import links, reading

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
        from recortex.engines.reasons.narrative import of_bearing, of_links

        for one in self.bearings:
            yield of_bearing(one)
        if self.trail:
            yield from self._history(self.trail)
        found, memories = self._linked
        yield from of_links(found, memories, [one.memory.id for one in self.bearings])
        for said in self._said:
            yield _of_said(said)

    def _history(self, trail: Trail) -> Iterator[Claim]:
        from recortex.engines.reasons.narrative import of_commits, of_making

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
        if subject.kind == "place" and subject.symbol:
            return f"# Why: {subject.name} (in `{subject.symbol}`)"
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
        from recortex.engines.graph.drawing.picture import drawn, picture_of

        found, memories = self._linked
        main = [one.memory.id for one in self.bearings]
        return drawn(picture_of(memories, [one.relation for one in found], main), form)


def _looks_whole(id_: str) -> bool:
    """Whether a text can only be meant as an id, so that an unknown one is an error and no question."""
    return len(id_) >= 8 and any(sign.isdigit() for sign in id_)  # noqa: PLR2004  as many as are shown


def _sections(
    patterns: bool, constraints: bool, memories: bool, decisions: bool, warnings: bool
) -> frozenset[Section]:
    """The sections that are wanted; history, and what led to what, always are."""
    from recortex.engines.reasons.telling import TITLES

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
    from recortex.engines.reasons.narrative import QUOTED, words_of

    memory = one.memory
    return Accounting(
        memory.id, memory.kind, words_of(memory, QUOTED), memory.status, one.relevance, one.because
    )


def _of_said(said: ExchangeHit) -> Claim:
    from recortex.domain.cleaning import clean
    from recortex.domain.kinds.base import shorten
    from recortex.engines.reasons.narrative import QUOTED

    words = shorten(clean(said.message or said.outcome or said.asked), QUOTED)
    day = f" of {said.said_at:%Y-%m-%d}" if said.said_at else ""
    text = f"In a session{day} it was said, and nobody has checked it: “{words}”"
    return Claim("knowledge", text, (Evidence("exchange", said.id, words),), confidence=said.score)
