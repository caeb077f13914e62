"""The project's code as it is now: code, conventions, index."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from recortex.app.citations import citations_of, freshness_of
from recortex.code.facts import (
    NoSymbolError,
    codebase,
    ids_of_convention,
    ids_of_library,
    note_state,
    patterns,
    piece_of,
)
from recortex.codebase.git import git_context, relative
from recortex.domain.code import Convention, Detected
from recortex.domain.kinds import kind_of
from recortex.domain.memory import Memory, priority_of
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import AnyImportance, Importance, RelationType, Scope, Status
from recortex.engines.code.project import is_test
from recortex.engines.code.ranking import FEWEST_TOKENS, MOST_TOKENS, addressed, outline, rank, search
from recortex.engines.code.resolution import Resolver, callers, reached, references
from recortex.engines.pairing import (
    Pair,
    normalised_pair,
    pieces_of_file,
    relation,
    replaced,
    unchanged,
    was_given,
)
from recortex.engines.privacy import output_redacted, redact
from recortex.engines.supersession import insert_superseding
from recortex.errors import InvalidInputError
from recortex.operations.agents import WAITING, capped
from recortex.operations.base import Operations, bounded, file_link, problems_of
from recortex.operations.registry import operation
from recortex.terminal import clean, plural, short, size
from recortex.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from recortex.app.application import Application, StoreServices
    from recortex.code.facts import Codebase
    from recortex.domain.code import Symbol
    from recortex.domain.memory import FileLink
    from recortex.engines.code.project import Address
    from recortex.engines.code.resolution import Edge
    from recortex.terminal import Terminal

CodeAction = Literal["status", "map", "find", "callers", "impact", "patterns"]
MOST_MEMORIES = 10
"""That a symbol's impact names."""
MOST_REACHED = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeSymbol:
    """A definition.

    Attributes:
        distance: how many calls away it is, in an impact; 0 elsewhere.
    """

    name: str
    kind: str
    path: str
    line: int
    last: int
    signature: str = ""
    doc: str = ""
    distance: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeCall:
    """A call of a symbol.

    Attributes:
        caller: the function that it stands in; empty outside of all.
        target: what is called.
        certainty: resolved, or candidate: the receiver is unknown, and few methods have the name.
    """

    path: str
    line: int
    caller: str
    target: str
    certainty: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeMemory:
    """A memory that cites a symbol, or names it."""

    id: str
    kind: str
    text: str
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternMemories:
    """What memories say of a library or a convention.

    Attributes:
        pattern: the library's name or the convention's id.
        has_rationale: whether one explains why it is so.
        known: that explain it, tell what nobody wrote down, decide it, or are linked to it otherwise.
        warnings: those of `known` that warn.
        overrides, expired: approved exceptions that hold, and that ended.
    """

    pattern: str
    has_rationale: bool = False
    known: tuple[CodeMemory, ...] = ()
    warnings: tuple[CodeMemory, ...] = ()
    overrides: tuple[CodeMemory, ...] = ()
    expired: tuple[CodeMemory, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeStatus:
    """What is known of the code.

    Attributes:
        root: of the working tree.
        languages: files that were read, by language.
        partial: files that are no code in places; the rest of them is known.
        skipped: files that were not read, by reason.
        vendored: folders of other people's code.
        parsed: files that were read just now, since their text is new.
        bytes: of the facts on disk, for all working trees.
    """

    root: str
    languages: dict[str, int]
    symbols: int
    calls: int
    partial: int
    skipped: dict[str, int] = field(default_factory=dict)
    vendored: int = 0
    parsed: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """What is known of the project's code.

    Attributes:
        text: the map.
        tokens: of the map, in cl100k_base.
        symbols: that were found or asked about; `reached` and `tests` are those that a change may reach, the
            nearest first.
        calls: of the symbol; in an impact only those that are candidates.
        memories: that cite the symbol.
        used: libraries and practices that the project uses, with their routes and tables.
        conventions: how it is written, counted, with the exceptions.
        known: what memories say of libraries and conventions.
        more: the limit was met; there may be more.
        problems: files that were left out since reading them took too long.
    """

    action: CodeAction
    status: CodeStatus | None = None
    text: str = ""
    tokens: int = 0
    symbols: tuple[CodeSymbol, ...] = ()
    calls: tuple[CodeCall, ...] = ()
    reached: tuple[CodeSymbol, ...] = ()
    tests: tuple[CodeSymbol, ...] = ()
    memories: tuple[CodeMemory, ...] = ()
    used: tuple[Detected, ...] = ()
    conventions: tuple[Convention, ...] = ()
    known: tuple[PatternMemories, ...] = ()
    more: bool = False
    problems: tuple[str, ...] = ()


class CodeOperations(Operations):
    """code."""

    @operation(read_only=True, told=("action", "symbol", "tokens"))
    def code(
        self,
        action: CodeAction = "status",
        symbol: str = "",
        *,
        files: Sequence[str] = (),
        tokens: int = 1_000,
        limit: int = 50,
    ) -> Code:
        """Show the code: a map, symbols, callers, what a change affects, or its patterns.

        Args:
            action: what to show.
            symbol: NAME, Class.method, PATH:NAME or PATH:LINE; for a map, the task.
            files: for a map, files you are working on; by default those that git reports as changed.
            tokens: size of a map in tokens.
            limit: maximum number of symbols or calls.
        """
        known = codebase(self._app)
        told = self._code(known, action, symbol, files, tokens, bounded(limit))
        return replace(told, problems=(*told.problems, *problems_of(known.tree.slow)))

    def _code(
        self, known: Codebase, action: CodeAction, symbol: str, files: Sequence[str], tokens: int, most: int
    ) -> Code:
        if action == "status":
            return Code(action=action, status=_status(known))
        if action == "map":
            return self._code_map(known, symbol, files, tokens)
        if action == "patterns":
            return self._patterns(known, most)
        if not symbol.strip():
            raise InvalidInputError("Which symbol?", hint=f"recortex code {action} NAME")
        if action == "find":
            # One more than are shown, which tells that there are more.
            found = search(known.project, symbol, most + 1)
            shown = tuple(_shown(known, one) for one in found[:most])
            return Code(action=action, symbols=shown, more=len(found) > most)
        targets = _addressed(known, symbol)
        return _callers(known, targets, most) if action == "callers" else self._impact(known, targets, most)

    def _code_map(self, known: Codebase, task: str, files: Sequence[str], budget: int) -> Code:
        if not FEWEST_TOKENS <= budget <= MOST_TOKENS:
            raise InvalidInputError(
                f"A map has from {FEWEST_TOKENS} to {MOST_TOKENS:,} tokens, not {budget}."
            )
        given = [relative(one, known.root) for one in files] or git_context(known.root).files
        ranking = rank(known.project, references(known.project), frozenset(given), task)
        made = outline(known.project, ranking, budget, self._app.count_tokens)
        return Code(action="map", text=redact(made.text).text, tokens=made.tokens)

    def _impact(self, known: Codebase, targets: list[Address], most: int) -> Code:
        found, unsure = reached(known.project, Resolver(known.project), targets, MOST_REACHED)
        shown = [_shown(known, one.address, one.distance) for one in found]
        tests = [one for one in shown if is_test(one.path)]
        others = [one for one in shown if not is_test(one.path)]
        return Code(
            action="impact",
            symbols=tuple(_shown(known, one) for one in targets[:most]),
            reached=tuple(others[:most]),
            tests=tuple(tests[:most]),
            calls=tuple(_call(known, one) for one in unsure[:most]),
            memories=tuple(self._citing(known, targets)),
            more=max(len(others), len(tests), len(unsure)) > most,
        )

    def _patterns(self, known: Codebase, most: int) -> Code:
        found = patterns(known)
        note_state(self._app, found)
        ids = {one.name: ids_of_library(one) for one in found.used[:most]}
        ids |= {one.id: ids_of_convention(one) for one in found.conventions[:most]}
        return Code(
            action="patterns",
            used=found.used[:most],
            conventions=found.conventions[:most],
            known=_known_of_patterns(self._app, ids),
            more=max(len(found.used), len(found.conventions)) > most,
            problems=problems_of(
                {path: why for path, why in found.slow.items() if path not in known.tree.slow}
            ),
        )

    def _citing(self, known: Codebase, targets: list[Address]) -> list[CodeMemory]:
        """The memories that cite one of some symbols, or whose functions name it."""
        found: dict[str, CodeMemory] = {}
        for services in self._app.all_services():
            for address in targets:
                symbol = known.project.symbol(address)
                names = (symbol.plain, symbol.name)
                near = services.store.memories.find(MemoryQuery(files=(address.path,), limit=200))
                named = services.store.memories.find(MemoryQuery(functions=names, limit=200))
                hanging = dict(_hanging(services, address.path, symbol))
                for one in (*near, *named, *services.store.memories.get(list(hanging))):
                    because = hanging.get(one.id) or _because(
                        one, address.path, symbol.plain, symbol.first, symbol.last
                    )
                    if because:
                        clean = output_redacted(one)
                        text = clean.summary or clean.text
                        found.setdefault(
                            one.id, CodeMemory(id=one.id, kind=one.kind, text=text, because=because)
                        )
        return list(found.values())[:MOST_MEMORIES]


def _hanging(services: StoreServices, path: str, symbol: Symbol) -> Iterator[tuple[str, str]]:
    """The memories that hang on a symbol, or on what calls it, and why they bear on it."""
    # Backwards: of several links of a memory, the last one read counts, and that is to be the first.
    for id_, role, name in reversed(services.store.symbols.hanging(path, [symbol.plain])):
        if name == symbol.name:
            yield id_, f"about {name}" if role == "about" else f"about a caller of {name}"


def _because(memory: Memory, path: str, plain: str, first: int, last: int) -> str:
    """Why a memory is about a symbol; empty where it is not."""
    for link in memory.functions:
        if link.name.rpartition(".")[2] == plain and link.file in {"", path}:
            return f"names {link.name}"
    for file in memory.files:
        if file.path == path and file.line_start is not None:
            end = file.line_end or file.line_start
            if file.line_start <= last and end >= first:
                return f"cites {path}:{file.line_start}"
    if any(file.path == path for file in memory.files) and plain in memory.text:
        return f"cites {path} and names {plain}"
    return ""


def _addressed(known: Codebase, text: str) -> list[Address]:
    found = addressed(known.project, text)
    if not found:
        near = [known.project.symbol(one).name for one in search(known.project, text, 3)]
        hint = f"Near: {', '.join(dict.fromkeys(near))}." if near else None
        raise NoSymbolError(f"Nothing is called {text[:80]!r}.", hint=hint)
    return found


def _callers(known: Codebase, targets: list[Address], most: int) -> Code:
    edges = callers(known.project, Resolver(known.project), targets)
    edges.sort(key=lambda one: (one.certainty != "resolved", one.path, one.line))
    return Code(
        action="callers",
        symbols=tuple(_shown(known, one) for one in targets[:most]),
        calls=tuple(_call(known, one) for one in edges[:most]),
        more=len(edges) > most,
    )


def _known_of_patterns(app: Application, ids: Mapping[str, tuple[str, ...]]) -> tuple[PatternMemories, ...]:
    """What memories say of patterns, where any does.

    Args:
        app: the opened application.
        ids: of each pattern, by its name, the ids and names that a memory may know it by.
    """
    every = tuple(dict.fromkeys(each for several in ids.values() for each in several))
    queries = (
        MemoryQuery(patterns=every, statuses=()),
        MemoryQuery(constraints=every, statuses=()),
        # An exception names its pattern in a field, which no query asks for.
        MemoryQuery(kinds=(kind_of("constraint_override"),), statuses=()),
    )
    memories = {
        one.id: one
        for services in (app.all_services() if every else ())
        for query in queries
        for one in services.store.memories.find(query)
    }
    named = [(output_redacted(one), _patterns_of(one)) for one in memories.values()]
    now = app.clock()
    found = (_known_of(name, [one for one, of in named if of & {*of_it}], now) for name, of_it in ids.items())
    return tuple(one for one in found if one.known or one.overrides or one.expired)


def _patterns_of(memory: Memory) -> set[str]:
    """The ids and names of patterns and constraints that a memory refers to."""
    found = {text for link in memory.patterns for text in (link.id, link.name)}
    found |= {text for link in memory.constraints for text in (link.id, link.name)}
    for name in ("pattern_id", "pattern_name", "constraint_id", "constraint_name", "decision_id"):
        found.add(str(getattr(memory.content, name, "")))
    if getattr(memory.content, "scope_type", "") == "pattern":
        found.add(str(getattr(memory.content, "scope_target", "")))
    return found - {""}


_SEVERE = frozenset({"critical", "warning"})
_BECAUSE = {
    "pattern_rationale": "explains it",
    "decision": "decides it",
    "decision_context": "decides it",
    "tribal": "is known of it",
}
"""What a memory of a kind is to a pattern; others are only linked to it."""


def _known_of(pattern: str, memories: Sequence[Memory], now: datetime) -> PatternMemories:
    active = [one for one in memories if one.status is Status.ACTIVE and one.was_valid_at(now)]
    exceptions = [one for one in memories if one.kind == "constraint_override" and one.status not in WAITING]
    order = [*dict.fromkeys(_BECAUSE.values()), "is linked to it"]
    known = [
        _memory(one, _BECAUSE.get(one.kind, order[-1])) for one in active if one.kind != "constraint_override"
    ]
    known.sort(key=lambda one: order.index(one.because))
    grave = (
        one for one in active if one.kind == "tribal" and getattr(one.content, "severity", "") in _SEVERE
    )
    return PatternMemories(
        pattern=pattern,
        has_rationale=any(one.kind == "pattern_rationale" for one in active),
        known=tuple(known[:MOST_MEMORIES]),
        warnings=tuple(_memory(one, "warns") for one in grave),
        overrides=tuple(_memory(one, "is an exception") for one in exceptions if one in active),
        expired=tuple(
            _memory(one, "was an exception")
            for one in exceptions
            if one.valid_until and one.valid_until <= now
        ),
    )


def _memory(one: Memory, because: str) -> CodeMemory:
    return CodeMemory(id=one.id, kind=one.kind, text=one.summary or one.text, because=because)


def _status(known: Codebase) -> CodeStatus:
    files = known.project.files.values()
    return CodeStatus(
        root=str(known.root),
        languages=dict(Counter(one.language for one in files).most_common()),
        symbols=sum(len(one.symbols) for one in files),
        calls=sum(len(one.calls) for one in files),
        partial=sum(not one.whole for one in files),
        skipped=dict(Counter(known.tree.skipped.values()).most_common()),
        vendored=len(known.tree.vendored),
        parsed=known.tree.parsed,
        bytes=known.bytes,
    )


def _shown(known: Codebase, address: Address, distance: int = 0) -> CodeSymbol:
    one = known.project.symbol(address)
    return CodeSymbol(
        name=one.name,
        kind=one.kind,
        path=address.path,
        line=one.line,
        last=one.last,
        signature=redact(one.signature).text,
        doc=redact(one.doc).text,
        distance=distance,
    )


def _call(known: Codebase, edge: Edge) -> CodeCall:
    facts = known.project.files[edge.path]
    return CodeCall(
        path=edge.path,
        line=edge.line,
        caller=facts.symbols[edge.caller].name if edge.caller >= 0 else "",
        target=known.project.symbol(edge.target).name,
        certainty=edge.certainty,
    )


# -- a piece of code with a description, so that plain words find it


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedCode:
    """A piece of code with its description.

    Attributes:
        changed: False where the same was indexed before, and nothing was done.
        superseded: ids of the former pairs' memories that these stand for now.
        redacted: how many secrets were taken out of the code and the description.
    """

    description: Memory
    code: Memory
    changed: bool = True
    superseded: tuple[str, ...] = ()
    redacted: int = 0


class PieceOperations(Operations):
    """index."""

    @operation(idempotent=True)
    def index(
        self,
        path: str,
        description: str = "",
        *,
        tags: Sequence[str] = (),
        importance: AnyImportance | None = None,
    ) -> IndexedCode:
        """Store a piece of code with a description in prose, so that questions in plain words find the code.

        The description is searched. The code is stored as it is, without secrets, and no model sees it; a
        recall that finds the description shows it. Indexing the same lines again replaces what was stored;
        your own description stays until you give another.

        Args:
            path: PATH, PATH:FIRST-LAST, or a symbol: NAME or PATH:NAME; at most 64 KB.
            description: what the code does, why, and what to know; by default a symbol's documentation.
            tags: words to find and group it by.
            importance: how much it matters.
        """
        piece = piece_of(self._app, path, file_link(path, self._app.root))
        services = self._app.services(Scope.PROJECT)
        said = description.strip() or piece.described
        if not said:
            raise InvalidInputError("The description is empty.", hint="Say what the code does, and why.")
        priority = capped(self._app, priority_of(Importance(importance or Importance.NORMAL)))
        pair = partial(
            normalised_pair,
            piece,
            tags=tuple(tags),
            priority=priority,
            now=self._app.clock(),
            new_id=lambda: str(uuid.uuid4()),
            count=TokenCounter().count,
        )
        new = pair(description=said, generated=not description.strip())
        if not description.strip():
            # What somebody wrote about the former piece stays for the new one.
            former = replaced(new, pieces_of_file(services.store, piece.link.path), self._still_there)
            given = next((one.description.text for one in former if was_given(one.description)), "")
            new = pair(description=given) if given else new
        kept = self._keep(services, new)
        if kept.changed:
            services.embedding.embed([kept.description])
        return kept

    def _still_there(self, link: FileLink) -> bool:
        return freshness_of(citations_of(self._app.root, [link])) == "fresh"

    def _keep(self, services: StoreServices, new: Pair) -> IndexedCode:
        description, code = new.description.memory, new.code.memory
        now, actor = self._app.clock(), self._app.actor
        with services.store.transaction():
            # Read again within the transaction: another process may have indexed the file meanwhile.
            former = pieces_of_file(services.store, description.files[0].path)
            for one in former:
                if one.code is not None and unchanged(one, new):
                    said, code = output_redacted(one.description), output_redacted(one.code)
                    return IndexedCode(description=said, code=code, changed=False)
            old = replaced(new, former, self._still_there)
            for new_, replaced_ in (
                (new.description, [one.description for one in old]),
                (new.code, [one.code for one in old if one.code is not None]),
            ):
                insert_superseding(
                    services.store,
                    new_.memory,
                    replaced_,
                    actor=actor,
                    operation="create",
                    now=now,
                    without=(RelationType.SOURCE_OF,),
                    details={"redacted": sorted(set(new_.redacted))} if new_.redacted else {},
                )
            services.store.relations.put(relation(description, code, now))
        gone = [memory.id for one in old for memory in one if memory is not None]
        redacted = len(new.description.redacted) + len(new.code.redacted)
        return IndexedCode(description=description, code=code, superseded=tuple(gone), redacted=redacted)


# -- what is known of the code, and its conventions, as text for people


_ROUTES = 5
"""Routes, and tables, of a library."""


def code(value: Code, terminal: Terminal) -> str:
    """What was asked for, under a heading for each part, and which files were left out."""
    return "\n".join([_code(value, terminal), *terminal.paths("problem", value.problems, "yellow")])


def _code(value: Code, terminal: Terminal) -> str:
    if value.status is not None:
        return _status_line(value.status)
    if value.action == "map":
        size_ = terminal.style(f"{value.tokens} tokens", "dim")
        return f"{clean(value.text)}\n{size_}" if value.text else "There is no code to map."
    if value.action == "patterns":
        about = {one.pattern: one for one in value.known}
        parts = _part(
            "Built with", [_used(one) + _known(about.get(one.name)) for one in value.used], terminal
        )
        written = [
            f"- {clean(one.statement)} [{clean(one.id)}]{_known(about.get(one.id))}"
            for one in value.conventions
        ]
        parts += _part("How it is written", written, terminal)
        return "\n".join(parts + _more(value, terminal)) if parts else "Nothing known is used here."
    if value.action == "find":
        lines = [_symbol(one) for one in value.symbols] or ["Nothing has such a name."]
        return "\n".join(lines + _more(value, terminal))
    parts = [*map(_symbol, value.symbols)]
    if value.action == "callers":
        parts += _part("Callers", [_call_line(one) for one in value.calls], terminal) or ["Nothing calls it."]
        return "\n".join(parts + _more(value, terminal))
    parts += _part("A change may reach", [_reached(one) for one in value.reached], terminal)
    parts += _part("Tests that reach it", [_reached(one) for one in value.tests], terminal)
    parts += _part("Perhaps called by", [_call_line(one) for one in value.calls], terminal)
    known = [f"- {clean(one.text)} ({clean(one.because)}) [{short(one.id)}]" for one in value.memories]
    parts += _part("Known of it", known, terminal)
    return "\n".join(parts + _more(value, terminal))


def _known(value: PatternMemories | None) -> str:
    """What memories say of a pattern, a line for each."""
    if value is None:
        return ""
    each = (*value.known, *value.overrides, *value.expired)
    return "".join(f"\n    {clean(one.text)} ({one.because}) [{short(one.id)}]" for one in each)


def _used(value: Detected) -> str:
    """A library or practice, how far it is used, and the first of its routes and tables."""
    version = f" {clean(value.version)}" if value.version else ""
    counts = [
        plural(number, word) for number, word in ((value.imports, "import"), (value.uses, "use")) if number
    ]
    routes = [f"{one.method} {clean(one.address)}" for one in value.routes[:_ROUTES]]
    tables = [clean(one.name) for one in value.tables[:_ROUTES]]
    more = "; ".join(filter(None, (", ".join(routes), ", ".join(tables))))
    about = "; ".join(filter(None, (value.category, ", ".join(counts))))
    return f"- {clean(value.name)}{version} ({about}){f': {more}' if more else ''}"


def _part(heading: str, lines: list[str], terminal: Terminal) -> list[str]:
    return [terminal.style(heading, "bold"), *lines] if lines else []


def _more(value: Code, terminal: Terminal) -> list[str]:
    return [terminal.style("There may be more: give a greater --limit", "dim")] if value.more else []


def _symbol(one: CodeSymbol) -> str:
    doc = f"  {clean(one.doc)}" if one.doc else ""
    return f"{clean(one.path)}:{one.line}  {one.kind} {clean(one.name)}  {clean(one.signature)}{doc}"


def _reached(one: CodeSymbol) -> str:
    away = f"  ({one.distance} calls away)" if one.distance > 1 else ""
    return f"- {clean(one.path)}:{one.line}  {clean(one.name)}{away}"


def _call_line(one: CodeCall) -> str:
    sure = "" if one.certainty == "resolved" else f"  ({one.certainty}: perhaps {clean(one.target)})"
    return f"- {clean(one.path)}:{one.line}  {clean(one.caller) or '(outside of functions)'}{sure}"


def _status_line(one: CodeStatus) -> str:
    read = ", ".join(f"{count:,} {name}" for name, count in one.languages.items()) or "none"
    lines = [
        clean(one.root),
        f"files: {read}",
        f"{plural(one.symbols, 'symbol')}, {plural(one.calls, 'call')}; {size(one.bytes)} on disk",
    ]
    if one.partial:
        lines.append(f"{plural(one.partial, 'file')} read in part: not all of it is code of the language")
    lines += [f"{plural(count, 'file')} left out: {why}" for why, count in one.skipped.items()]
    if one.vendored:
        lines.append(f"{plural(one.vendored, 'folder')} of other people's code left out")
    return "\n".join(lines)
