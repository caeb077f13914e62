"""The account of one memory, and the way from a place of code to what accounts for it."""

from __future__ import annotations

from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from recortex.app.citations import can_parse, cited_by, open_code
from recortex.codebase import line_history
from recortex.codebase.project import read
from recortex.codebase.syntax.extraction import read_facts
from recortex.codebase.syntax.grammars import GrammarError
from recortex.domain.code import Definition, definition, enclosing, of_facts, whole
from recortex.domain.context import Claim, Evidence
from recortex.domain.exchange import ExchangeQuery
from recortex.domain.kinds.base import shorten
from recortex.domain.search import MemoryQuery
from recortex.domain.text import clean
from recortex.domain.vocabulary import Scope, Status
from recortex.engines.code.ranking import dotted, is_named
from recortex.engines.ingestion.output_redaction import output_redacted, record_redacted
from recortex.engines.privacy import redact
from recortex.lean import replace
from recortex.why.reasons import QUOTED, SHORT, Trail, last_part, links, of_links, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from recortex.app.application import Application, StoreServices
    from recortex.codebase.syntax.current_code import CurrentCode
    from recortex.domain.code import Commit, FileFacts
    from recortex.domain.context import Section, Subject
    from recortex.domain.exchange import Exchange
    from recortex.domain.memory import Memory


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
            self._parsed[path] = _parsed(path, read(self._root, path)) if can_parse() else None
        return self._parsed[path]


def _parsed(path: str, data: bytes | None) -> FileFacts | None:
    try:
        facts = read_facts(path, data) if data else None
    except GrammarError:  # the one of this language
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
