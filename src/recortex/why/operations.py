"""Why something is as it is: why."""

from __future__ import annotations

import dataclasses
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from recortex.app.application import open_code
from recortex.app.citations import cited_by
from recortex.app.knowledge import of_records
from recortex.codebase import line_history
from recortex.codebase.extraction import read_facts
from recortex.codebase.git import read, relative
from recortex.codebase.grammars import GrammarError
from recortex.domain.code import Definition, definition, enclosing, of_facts, whole
from recortex.domain.context import Accounting, Bearing, Claim, Evidence, Verbosity, Why
from recortex.domain.exchange import ExchangeQuery
from recortex.domain.memory import DECISION_RECORD
from recortex.domain.search import MemoryQuery
from recortex.domain.text import clean, shorten, to_micros
from recortex.domain.vocabulary import Scope, Status
from recortex.engines.code.ranking import dotted, is_named
from recortex.engines.copies import folded
from recortex.engines.decay import faded
from recortex.engines.graph import DRAWN, picture_of
from recortex.engines.privacy import output_redacted, record_redacted, redact
from recortex.engines.retrieval.question import cap_scores, in_turns
from recortex.errors import InvalidInputError
from recortex.lean import replace
from recortex.operations.base import MAX_DEPTH, Operations, RecallQuestion, bounded
from recortex.operations.recalling import Recalling
from recortex.operations.registry import operation
from recortex.operations.searching import SearchOperations
from recortex.why.reasons import (
    LEAST_BUDGET,
    MOST_BUDGET,
    QUOTED,
    SHORT,
    TITLES,
    Trail,
    bearings,
    last_part,
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
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from recortex.app.application import Application, StoreServices
    from recortex.codebase.current_code import CurrentCode
    from recortex.domain.code import Commit, FileFacts
    from recortex.domain.context import PictureFormat, Section, Subject
    from recortex.domain.exchange import Exchange, ExchangeHit
    from recortex.domain.memory import Memory
    from recortex.domain.search import ChunkHit
    from recortex.why.reasons import Link

_WHO = {"user": "the person", "assistant": "the agent"}


def account(services: StoreServices, root: Path, memory: Memory) -> list[Claim]:
    """What a store and a working tree know of a memory, in sentences with their evidence.

    Args:
        services: the store that keeps it.
        root: of the project, whose files it may cite.
        memory: as it is shown.
    """
    return [
        *_learned(services, memory),
        *_changed(services, memory),
        *_cited(services, root, memory),
        *_related(services, memory),
    ]


def _learned(services: StoreServices, memory: Memory) -> Iterator[Claim]:
    """Where it comes from: a session's turn, a commit, a file, or somebody's own words."""
    # A history that is imported is recorded long after it was said.
    source, on = memory.source, f"{min(memory.recorded_at, memory.valid_from):%Y-%m-%d}"
    own = Evidence("memory", memory.id, words_of(memory, SHORT))
    if source.session:
        found = _exchange(services, memory)
        who = _WHO.get(source.speaker, source.speaker or "somebody")
        said = shorten(clean(redact(source.quote).text or (found.message if found else "")), QUOTED)
        text = f"It was learned on {on} from what {who} said in session {source.session[:SHORT]}"
        rests_on = Evidence("exchange", found.id, said) if found else own
        yield Claim("history", f"{text}: “{said}”" if said else f"{text}.", (rests_on,))
    if source.commit:
        yield Claim(
            "history",
            f"It comes from commit {source.commit[:7]}.",
            (own, Evidence("commit", source.commit)),
        )
    if not (source.session or source.commit):
        place = (
            f" from {shorten(clean(source.path or source.url), SHORT)}" if source.path or source.url else ""
        )
        yield Claim("history", f"It was recorded on {on}{place}; its origin is {memory.origin}.", (own,))


def _exchange(services: StoreServices, memory: Memory) -> Exchange | None:
    """The exchange that a memory was learned in; None where it is not kept, or the turn is unknown."""
    turn = memory.source.turn
    if turn is None:
        return None
    said = services.store.exchanges.find(ExchangeQuery(session=memory.source.session, work=False))
    return next((record_redacted(one) for one in said if one.first_turn <= turn <= one.last_turn), None)


def _changed(services: StoreServices, memory: Memory) -> Iterator[Claim]:
    """How often it was changed, when last and why, and when it was last found to hold."""
    own = (Evidence("memory", memory.id),)
    versions = services.store.memories.history(memory.id)
    if len(versions) > 1:
        last = max(versions, key=lambda one: one.version)
        reason = f": {shorten(clean(redact(last.reason).text), QUOTED)}" if last.reason else ""
        times = "once" if last.version == 2 else f"{last.version - 1} times"  # noqa: PLR2004
        text = f"It was changed {times} since, last on {last.recorded_from:%Y-%m-%d} by {last.changed_by}"
        yield Claim("history", f"{text}{reason}.", own)
    if memory.validated_at:
        yield Claim("support", f"It was last found to hold on {memory.validated_at:%Y-%m-%d}.", own)
    if memory.evidence > 1:
        yield Claim("support", f"It was learned {memory.evidence} times.", own)
    if memory.valid_until:
        yield Claim("conflicts", f"It holds until {memory.valid_until:%Y-%m-%d}.", own)


def _cited(services: StoreServices, root: Path, memory: Memory) -> Iterator[Claim]:
    """What became of the code that it cites."""
    for one in cited_by([services], [memory], "renames", tree=root)[memory.id]:
        if one.state == "none":
            continue
        section: Section = "support" if one.state in {"fresh", "moved"} else "conflicts"
        told = one.outcome or f"{one.was} reads as it did"
        yield Claim(section, f"Cited code: {told.rstrip('.')}.", (Evidence("memory", memory.id),))


def _related(services: StoreServices, memory: Memory) -> Iterator[Claim]:
    """What led to it, what came of it, what speaks for and against it: the relations that it has itself."""
    # Without a least strength: of one memory, each relation that it has itself is told.
    found = links([memory.id], services.store.relations.find_touching, depth=1, least=0.0)
    ends = {id_ for one in found for id_ in (one.relation.source_id, one.relation.target_id)}
    memories = {one.id: output_redacted(one) for one in services.store.memories.get(sorted(ends))}
    yield from of_links(found, memories | {memory.id: memory}, [memory.id])


# -- definitions in a working tree: by the facts of its code, else by words and indentation


class Definitions:
    """What the files of a working tree define.

    Args:
        root: of the tree.
        facts: the file of the project's facts; it need not be there.
    """

    def __init__(self, root: Path, facts: Path) -> None:
        self._root, self._path = root, facts
        self._lines: dict[str, list[str]] = {}
        self._parsed: dict[str, FileFacts | None] = {}

    def lines(self, path: str) -> list[str]:
        """The lines of a file of the tree; none where it cannot be read."""
        if path not in self._lines:
            data = read(self._root, path)
            self._lines[path] = [] if data is None else data.decode("utf-8", "replace").split("\n")
        return self._lines[path]

    def around(self, path: str, line: int) -> Definition | None:
        """The innermost definition around a line of a file."""
        facts = self._read(path)
        # Without facts, as for a language that is not parsed, indentation tells where a definition ends.
        return of_facts(facts, line) if facts else enclosing(self.lines(path), line)

    def exactly(self, path: str, known: Definition) -> Definition:
        """A definition that was found by words as facts know it; the same where they do not."""
        facts = self._read(path)
        found = [one for one in facts.symbols if one.line == known.first] if facts else []
        return next((definition(one) for one in found if one.plain == known.name), known)

    def named(self, symbol: str) -> tuple[str, Definition] | None:
        """Where kept facts know a symbol, in the file with the shortest path, tests last.

        None where there are no facts, and where the symbol is newer than they.
        """
        name = dotted(symbol)
        found = self._code.defining(name.rpartition(".")[2]) if self._code else ()
        # A declaration, as in a header, says that there is something, and not what it is.
        named = ((path, one) for path, _, one in found if is_named(one, name) and one.kind != "declaration")
        path, one = min(named, key=lambda place: (in_order(place[0]), place[1].first), default=("", None))
        return (path, definition(one)) if one else None

    @cached_property
    def _code(self) -> CurrentCode | None:
        return open_code(self._path, self._root)

    def _read(self, path: str) -> FileFacts | None:
        """The facts of a file; None where there are none."""
        if self._code:
            return self._code.facts(path)
        if path not in self._parsed:
            self._parsed[path] = _parsed(path, read(self._root, path))
        return self._parsed[path]


def _parsed(path: str, data: bytes | None) -> FileFacts | None:
    try:
        facts = read_facts(path, data) if data else None
    except (GrammarError, ImportError):  # none is installed, or not the one of this language
        return None
    return facts if facts and not facts.skipped else None


def in_order(path: str) -> tuple[bool, int, str]:
    """By what the likeliest file of several is found: no test, and the shortest path."""
    # A test has the symbol's name as well, and mostly a longer path.
    return "test" in path.lower(), len(path), path


# -- the way from a place of code through the project's own record: commits, sessions, memories


STATUSES = (Status.ACTIVE, Status.PROPOSED, Status.SUPERSEDED)
"""Of memories that account for something: what was so once is a part of why it is so now."""
LOOKED_AT = 200
"""Memories about a file, and of a session, that are weighed."""
# An exchange may end long before its commit, and a transcript's clock may differ from git's.
BEFORE, AFTER = timedelta(hours=6), timedelta(minutes=2)
"""How long before a commit its session may have edited the file, and how far clocks may differ."""
# For each of them, the exchanges of some hours are searched.
MOST_LIKELY = 3
"""Commits for which such a session is looked for, the latest."""
_ABBREVIATIONS = range(7, 13)
"""The lengths in which git prints the hash of a commit that it made."""


class Record:
    """What one project has of its own past: its repository, its sessions and its memories."""

    def __init__(self, app: Application) -> None:
        self._app = app
        self._root = app.tree
        self._definitions = Definitions(app.tree, app.project.facts)
        self._defined: dict[str, tuple[str, Definition] | None] = {}

    @property
    def stores(self) -> list[StoreServices]:
        """The stores that hold memories of this project."""
        return [one for one in self._app.all_services() if one.scope is not Scope.GLOBAL]

    def knows_file(self, path: str) -> bool:
        """Whether a file is in the project, or memories cite it."""
        if "\0" in path or path.startswith(("/", "../")):
            return False
        if (self._root / path).is_file():
            return True
        named = "/" in path or "." in path
        return (
            named and " " not in path and bool(self._find(MemoryQuery(files=(path,), statuses=(), limit=1)))
        )

    def knows_pattern(self, id_: str) -> bool:
        """Whether a memory explains a pattern."""
        return " " not in id_ and bool(self._find(MemoryQuery(patterns=(id_,), statuses=(), limit=1)))

    def definition(self, symbol: str) -> tuple[str, Definition] | None:
        """The file that defines a symbol, and its lines there; the shortest path of several."""
        if symbol not in self._defined:
            self._defined[symbol] = self._definitions.named(symbol) or self._searched(symbol)
        return self._defined[symbol]

    def _searched(self, symbol: str) -> tuple[str, Definition] | None:
        name = last_part(symbol)
        outer = symbol.split(".", maxsplit=1)[0].split("::", maxsplit=1)[0] if name != symbol else ""
        places = line_history.places_of(self._root, name)
        found = [
            (path, one)
            for path, number, _ in places
            if (one := whole(self._definitions.lines(path), number)) and one.name == name
        ]
        # What a name stands within narrows the choice, where one of the files has it.
        if outer:
            found = [(path, one) for path, one in found if self._within(path, one, outer)] or found
        likeliest = min(found, key=lambda place: (in_order(place[0]), place[1]), default=None)
        return likeliest and (likeliest[0], self._definitions.exactly(*likeliest))

    def _within(self, path: str, one: Definition, outer: str) -> bool:
        around = enclosing(self._definitions.lines(path), one.first - 1)
        return bool(around and around.name == outer) or path.rpartition("/")[2].split(".")[0] == outer

    def trail(self, subject: Subject) -> Trail:
        """The commits of a place and the sessions that made them."""
        if subject.first is None:
            history = line_history.of_file(self._root, subject.path)
            commits = _clean(history.commits)
            return self._with_sessions(Trail(subject, commits))
        first, last = subject.first, subject.last or subject.first
        around = self._definitions.around(subject.path, first)
        subject = replace(subject, symbol=subject.symbol or (around.name if around else ""))
        ranges = [(first, last)]
        # Where the lines are the whole definition, git is asked for them only once.
        if around and (around.first, around.last) != ranges[0]:
            ranges.append((around.first, around.last))
        of_line, *rest = line_history.of_lines(
            self._root,
            subject.path,
            ranges,
            # The text as it is in the tree: lines that are not committed shift those of the last commit.
            "\n".join(self._definitions.lines(subject.path)).encode("utf-8", "replace"),
        )
        commits, others = _clean(of_line.commits), _clean(rest[0].commits) if rest else ()
        return self._with_sessions(Trail(subject, commits, others, uncommitted=of_line.uncommitted))

    def _with_sessions(self, trail: Trail) -> Trail:
        made = self._made_by(trail.commits)
        unknown = [one for one in trail.commits if one.hash not in made]
        # For commits of which no session printed the hash: the exchange that edited the file just before.
        likely: dict[str, Exchange] = {}
        for commit in unknown[:MOST_LIKELY]:
            query = ExchangeQuery(since=commit.at - BEFORE, until=commit.at + AFTER, limit=LOOKED_AT)
            near = (one for services in self.stores for one in services.store.exchanges.find(query))
            edited = next(
                (one for one in near if any(_is_path(file, trail.subject.path) for file in one.files)), None
            )
            if edited:
                likely[commit.hash] = record_redacted(edited)
        # A session that printed the hash is certain, so it goes before one that is only likely.
        return replace(trail, made_by=likely | made, likely=frozenset(likely))

    def memories(self, trail: Trail) -> list[Memory]:
        """The memories that may account for a place: about its file or symbol, or of its sessions."""
        subject = trail.subject
        about = self._find(MemoryQuery(files=(subject.path,), statuses=STATUSES, limit=LOOKED_AT))
        if subject.symbol:
            names = tuple({subject.symbol, last_part(subject.symbol)})
            about += self._find(MemoryQuery(functions=names, statuses=STATUSES, limit=LOOKED_AT))
        for session in {one.session for one in trail.made_by.values()}:
            about += self._find(MemoryQuery(session=session, statuses=STATUSES, limit=LOOKED_AT))
        return about

    def of_pattern(self, id_: str) -> list[Memory]:
        """The memories that explain a pattern, those that say why first."""
        found = self._find(MemoryQuery(patterns=(id_,), statuses=STATUSES, limit=LOOKED_AT))
        return sorted(found, key=lambda one: (one.kind != "pattern_rationale", -one.confidence, one.id))

    def _find(self, query: MemoryQuery) -> list[Memory]:
        return [memory for services in self.stores for memory in services.store.memories.find(query)]

    def _made_by(self, commits: Sequence[Commit]) -> dict[str, Exchange]:
        """The exchange that made each commit, by its hash."""
        if not commits:
            return {}
        # Git prints as many digits as a repository needs to tell its hashes apart.
        short = tuple(one.hash[:length] for one in commits for length in _ABBREVIATIONS)
        query = ExchangeQuery(commits=short, limit=LOOKED_AT)
        made = [one for services in self.stores for one in services.store.exchanges.find(query)]
        made.sort(key=lambda one: -one.part)  # a stretch of work is nearer to its commit than the whole
        found: dict[str, Exchange] = {}
        for commit in commits:
            for one in made:
                if commit.hash.startswith(one.commit):
                    found.setdefault(commit.hash, record_redacted(one))
        return found


def _clean(commits: Iterable[Commit]) -> tuple[Commit, ...]:
    """Commits without secrets in their messages."""
    return tuple(replace(one, message=redact(one.message).text) for one in commits)


def _is_path(file: str, path: str) -> bool:
    """Whether a file, as a client gave it, is that path of the project."""
    plain = file.replace("\\", "/")
    return plain == path or plain.endswith(f"/{path}")


# -- why something is as it is: why


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
            self.subject = dataclasses.replace(found, path=path, first=lines.first, last=lines.last)
        else:
            self.subject = found
        self.bearings = self._present(self._bearings()[:limit])

    def _bearings(self) -> list[Bearing]:
        """The memories that account for the subject, the likeliest first."""
        if self.subject.kind == "memory":
            _, memory = self._app.locate(self.subject.name)
            self.subject = dataclasses.replace(self.subject, name=memory.id)
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
