"""The way from a place of code through the project's own record: commits, sessions, memories."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from recortex.app.definitions import Definitions, in_order
from recortex.codebase import line_history
from recortex.domain.exchange import ExchangeQuery
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Scope, Status
from recortex.engines.ingestion.output_redaction import record_redacted
from recortex.engines.privacy import redact
from recortex.engines.reasons.definitions import enclosing, whole
from recortex.engines.reasons.weighing import Trail, last_part

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recortex.app.application import Application
    from recortex.app.store_services import StoreServices
    from recortex.domain.commit import Commit
    from recortex.domain.exchange import Exchange
    from recortex.domain.memory import Memory
    from recortex.domain.reasons import Subject
    from recortex.engines.reasons.definitions import Definition

STATUSES = (Status.ACTIVE, Status.PROPOSED, Status.SUPERSEDED)
"""Of memories that account for something: what was so once is a part of why it is so now."""
LOOKED_AT = 200
"""Memories about a file, and of a session, that are weighed."""
BEFORE, AFTER = timedelta(hours=6), timedelta(minutes=2)
"""How long before a commit its session may have edited the file, and how far clocks may differ."""
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
        if around and (around.first, around.last) != ranges[0]:
            ranges.append((around.first, around.last))
        of_line, *rest = line_history.of_lines(
            self._root,
            subject.path,
            ranges,
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
