"""Changes of mind: what a new statement replaces, and whether two statements give one thing two values.

"Page size 50" and "page size is 100 now" do. The model that reads two statements together is sure of many
pairs that have nothing to do with each other. Where both say a value of one sort for something that both
name, it is right about as often as it is sure, so that less is asked of it (`reading.py`). It reads the
clauses that say so: what follows is often a task.
"""

from __future__ import annotations

import re
from dataclasses import replace
from enum import IntEnum
from functools import lru_cache
from itertools import pairwise, product, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.domain.kinds import KINDS, kind_of
from recortex.domain.memory import AuditEntry, Relation
from recortex.domain.text import RULE
from recortex.domain.vocabulary import Origin, RelationStatus, RelationType, Scope, Status, Trust
from recortex.engines.indexing import search_text, search_text_in
from recortex.engines.tables import Patterns
from recortex.errors import MemoryNotFoundError
from recortex.text.words import CLAIM_WORDS, aliases, sections, singular, word_set, words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from recortex.domain.kinds import Kind
    from recortex.domain.memory import Memory
    from recortex.domain.reports import Candidate
    from recortex.domain.vocabulary import Actor
    from recortex.ports.store import Store


_LISTS = sections(__file__, "lexicon")


FAMILIES = [word_set(line) for line in _LISTS["FAMILIES"].strip().splitlines()]
"""Things of which a project uses one: a move to one of them is a move away from the others."""
FAMILY_OF = {name: place for place, names in reversed([*enumerate(FAMILIES)]) for name in names}
"""The first family of each name."""
SYNONYMS = aliases()
_FRAME = CLAIM_WORDS | word_set(_LISTS["FRAME"])
"""Words in which any rule may be worded: two that have only these in common are about two matters."""


@lru_cache(maxsize=1024)  # one statement is compared with many
def content(text: str) -> frozenset[str]:
    """The stems of the words that tell what a text is about."""
    return stems(words(text)) - _FRAME


def stems(said: Iterable[str]) -> frozenset[str]:
    """Words in the form in which they are compared: lower case, singular but for names, synonyms as one."""
    plain = (word.lower().strip("'’.,:/") for word in said)
    whole = (word if word in SYNONYMS or word in FAMILY_OF else singular(word) for word in plain)
    return frozenset(SYNONYMS.get(word, word) for word in whole if word)


# -- whether two statements give the same thing different values


PATTERNS = Patterns(__file__, "slots")
_LISTS = sections(__file__, "slots")
_LABELLED = word_set(_LISTS["LABELLED"])
"""Things that are told apart by a number: "issue 41" and "issue 42" are two, not one with another value."""
_DIMENSION_OF = {
    word: name for name in ("TIME", "DAY", "SIZE", "SHARE", "LENGTH") for word in word_set(_LISTS[name])
}
_GIVEN_UP_BEFORE, _GIVEN_UP_AFTER = word_set(_LISTS["BEFORE"]), word_set(_LISTS["AFTER"])
_RUN = word_set(_LISTS["RUN"])
"""Words after a tool that make it a command: "then npm install"."""
_FAMILIES_OF = {name: [place for place, names in enumerate(FAMILIES) if name in names] for name in FAMILY_OF}
"""All families of each name: Redis is a cache and a queue."""
_LEAST, _HALF = 2, 0.5
"""Words in common of two statements with counts or names, and their share of the shorter one with names."""
_BEGINNING = 3
"""Words with which both begin, whatever follows."""
_PUNCTUATION = "`'\"()[]*,;:!?"


class _Values(NamedTuple):
    """The values in a statement.

    Attributes:
        measured: numbers, by the dimension of their unit, and days of the week.
        counted: numbers without one, each with the word before it.
        tools: of which a project uses one, by family; without what is given up.
        names: identifiers and proper names.
    """

    measured: Mapping[str, frozenset[str]]
    counted: Mapping[str, str]
    tools: Mapping[int, frozenset[str]]
    names: frozenset[str]


def other_value(known: str, new: str) -> tuple[str, str] | None:
    """The clauses of two statements that give the same thing different values; None where none do.

    None as well where the new one is about a while, or one of both about tests alone.
    """
    if bool(PATTERNS.elsewhere.search(known)) != bool(PATTERNS.elsewhere.search(new)):
        return None
    if PATTERNS.passing.search(new) or _tools(known) & _tools(new):
        return None
    if _same_beginning(known, new):
        return known, new
    found = (pair for pair in product(_clauses(known), _clauses(new)) if _differ(*pair))
    return next(found, (known, new) if _differ(known, new) else None)


def one_value_apart(known: str, new: str) -> bool:
    """Whether two statements are the same word for word but for a number, or a tool of one family.

    After the tool one of them may go on: "hashed by argon2" and "hashed by bcrypt with 12 rounds".
    """
    theirs, mine = (_words(PATTERNS.article.sub("", text).rstrip(" .!")) for text in (known, new))
    shorter = min(len(theirs), len(mine))
    apart = [place for place, (one, other) in enumerate(zip(theirs, mine, strict=False)) if one != other]
    if len(apart) != 1 or apart[0] < _LEAST or shorter <= _BEGINNING:
        return False
    (place,) = apart
    old, value = theirs[place], mine[place]
    if set(_FAMILIES_OF.get(old, ())) & set(_FAMILIES_OF.get(value, ())):
        same = len(theirs) == len(mine) or place == shorter - 1
    else:
        numbers = all(PATTERNS.number.fullmatch(one) for one in (old, value))
        same = numbers and len(theirs) == len(mine) and theirs[place - 1] not in _LABELLED
    return same and other_value(known, new) is not None


def _same_beginning(known: str, new: str) -> bool:
    """Whether two texts begin alike and go on with other words: "images are pushed to A", "… to B now"."""
    theirs, mine = (PATTERNS.article.sub("", text.lower()).rstrip(" .!").split() for text in (known, new))
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(theirs, mine, strict=False)))
    if same < _BEGINNING or not content(" ".join(theirs[:same])):
        return False
    if len({_sibling(" ".join(one[same : same + 1])) for one in (theirs, mine)}) == 1:
        return False
    rest, other = content(" ".join(theirs[same:])), content(" ".join(mine[same : same + _BEGINNING]))
    return bool(rest - other and other - rest)


@lru_cache(maxsize=256)  # one statement is compared with many
def gives_value(text: str) -> bool:
    """Whether a statement gives something a value: a number, a tool or a name."""
    return any(_values(text))


@lru_cache(maxsize=256)
def _clauses(text: str) -> tuple[str, ...]:
    parts = PATTERNS.clause.split(text.rstrip(" .!"))
    return tuple(one for one in parts if len(one.split()) >= _LEAST and gives_value(one))


def _differ(known: str, new: str) -> bool:
    """Whether two texts say different values of one sort for what they have in common."""
    theirs, mine = _values(known), _values(new)
    if any(mine.tools[one].isdisjoint(theirs.tools[one]) for one in theirs.tools.keys() & mine.tools.keys()):
        return True
    about, said = content(known), content(new)
    shared = sum(one not in _DIMENSION_OF and not one[0].isdigit() for one in about & said)
    if not shared:
        return False
    dimensions = theirs.measured.keys() & mine.measured.keys()
    if any(mine.measured[one] - theirs.measured[one] for one in dimensions):
        return True
    things = set(theirs.counted.values()) - CLAIM_WORDS - {""}
    counted = mine.counted.keys() - theirs.counted.keys() if theirs.counted else ()
    if counted and (shared >= _LEAST or any(mine.counted[one] in things for one in counted)):
        return True
    return shared >= max(_LEAST, _HALF * min(len(about), len(said))) and any(
        _sibling(one) != _sibling(other)
        for one, other in product(theirs.names - mine.names, mine.names - theirs.names)
    )


def _tools(text: str) -> frozenset[str]:
    return frozenset().union(*_values(text).tools.values())


def _no_value(said: Sequence[str], place: int) -> bool:
    """Whether the words around a tool say that it is used no more, or make it a command."""
    before, after = said[max(0, place - 2) : place], said[place + 1 : place + 3]
    if not _RUN.isdisjoint(after[:1]):
        return True
    return not (_GIVEN_UP_BEFORE.isdisjoint(before) and _GIVEN_UP_AFTER.isdisjoint(after))


def _sibling(name: str) -> str:
    """What names have in common that are told apart by a number: `screen-17` and `screen-18`."""
    return PATTERNS.digits.sub("", name)


def _words(text: str) -> list[str]:
    said = (word.strip(_PUNCTUATION).rstrip(".").lower() for word in text.split())
    return [SYNONYMS.get(word, word) for word in said]


@lru_cache(maxsize=2_048)  # of the clauses as well
def _values(text: str) -> _Values:
    measured: dict[str, set[str]] = {}
    counted: dict[str, str] = {}
    tools: dict[int, set[str]] = {}
    said = _words(text)
    for place, word in enumerate(said):
        for family in () if _no_value(said, place) else _FAMILIES_OF.get(word, ()):
            tools.setdefault(family, set()).add(word)
        if _DIMENSION_OF.get(day := singular(word)) == "DAY":
            measured.setdefault("DAY", set()).add(day)
        if (found := PATTERNS.number.fullmatch(word)) is None:
            continue
        before = singular(said[place - 1]) if place else ""
        unit = found["unit"] or (said[place + 1] if place + 1 < len(said) else "")
        if dimension := _DIMENSION_OF.get(singular(unit), ""):
            # By the first letters of its unit: "min" and "minutes", "sec" and "seconds".
            measured.setdefault(dimension, set()).add(f"{found['number']} {singular(unit)[:3]}")
        elif before not in _LABELLED and not found["unit"]:
            counted[found["number"]] = before
    spelt = [word.strip(_PUNCTUATION).rstrip(".") for word in text.split()]
    names = {
        name.lower()
        for before, name in pairwise(spelt)
        if PATTERNS.leads.fullmatch(before) and PATTERNS.name.fullmatch(name)
    }
    return _Values(
        {name: frozenset(found) for name, found in measured.items()},
        counted,
        {name: frozenset(found) for name, found in tools.items()},
        frozenset(name for name in names if SYNONYMS.get(name, name) not in FAMILY_OF),
    )


def insert_superseding(
    store: Store,
    new: Memory,
    old: Sequence[Memory],
    *,
    actor: Actor,
    operation: str,
    now: datetime,
    without: Collection[RelationType] = (),
    details: dict[str, Any] | None = None,
) -> None:
    """Insert a complete memory, even where an equal one is stored, and supersede the old ones.

    Each old one gets `superseded_by`, the end of its validity and a `supersedes` relation from the new one.
    Its own relations stay, and are copied to the new one. All in one transaction, which may be part of
    another.

    Args:
        store: holds the old ones.
        new: without secrets, with hash and tokens.
        old: what it replaces; may be empty.
        actor: on whose behalf.
        operation: the audit log's name for it, such as `create` or `merge`.
        now: when the old ones end.
        without: relations of these types are not copied.
        details: for the audit log.

    Raises:
        MemoryNotFoundError: an old one is gone or no longer active: another process changed it.
        CausalCycleError: one of the old ones led to another: the new one would be a cause of itself.
    """
    ids = [one.id for one in old]
    with store.transaction():
        current = store.memories.get(ids)
        # They were read before the transaction: another process may have ended one meanwhile.
        if [one.status for one in current] != [Status.ACTIVE] * len(old):
            raise MemoryNotFoundError(
                "A memory that was to be replaced is no longer active.",
                hint="It changed in the meantime: look again.",
            )
        store.memories.insert(new, search_text(new), actor=actor)
        record(store, new.id, operation, actor, now, details or {})
        for relation in carried(new.id, ids, store.relations.find_touching(ids) if ids else ()):
            if relation.type not in without:
                store.relations.put(relation)
        for one in current:
            supersede(store, one, by=new.id, since=now, at=now, actor=actor)


MOVED = "move_receipts"
"""The audit log's name for receipts that became a merged memory's."""


def move_receipts(store: Store, new: Memory, old: Sequence[Memory], actor: Actor, now: datetime) -> None:
    """Let what was given of the old memories count as given of the one that says the same."""
    moved = {one.id: found for one in old if (found := store.sessions.move_receipts(one.id, new.id))}
    if moved:
        record(store, new.id, MOVED, actor, now, {"of": moved})


def return_receipts(store: Store, new: Memory) -> None:
    """Give receipts back that a merge moved, since it is undone."""
    entry = next((one for one in store.ledger.entries(new.id) if one.operation == MOVED), None)
    for id_, given in entry.details["of"].items() if entry else ():
        store.sessions.return_receipts(new.id, id_, [tuple(one) for one in given])


def supersede(
    store: Store, old: Memory, *, by: str, since: datetime, at: datetime, actor: Actor, why: str = ""
) -> None:
    """End a stored memory and relate its successor to it; call it in a transaction.

    Args:
        store: holds both memories.
        old: the memory that ends, as it is stored now.
        by: the id of its successor.
        since: when the successor became true; the old one is valid no longer than that.
        at: when this is recorded.
        actor: on whose behalf.
        why: the evidence by which it was inferred; empty where the caller said so.
    """
    # A successor may be older than what it replaces, as in an import: no span ends before it begins.
    until = max(old.valid_from, min(old.valid_until or since, since))
    ended = replace(old, status=Status.SUPERSEDED, superseded_by=by, valid_until=until, updated_at=at)
    search = search_text_in(store, ended)
    store.memories.update(old, ended, search, actor=actor, reason=f"superseded by {by}", keep_vector=True)
    evidence = (why,) if why else ()
    store.relations.put(
        Relation(by, old.id, RelationType.SUPERSEDES, at, evidence=evidence, inferred=bool(why))
    )
    record(store, old.id, "supersede", actor, at, {"by": by, "why": why} if why else {"by": by})


def record(
    store: Store, id_: str, operation: str, actor: Actor, at: datetime, details: Mapping[str, Any]
) -> None:
    """Add an entry about a memory to the audit log."""
    entry = AuditEntry(memory_id=id_, operation=operation, actor=actor, at=at, details=dict(details))
    store.ledger.record([entry])


def carried(new: str, old: Sequence[str], relations: Sequence[Relation]) -> Iterator[Relation]:
    """The old memories' relations as relations of the new one; of equal ones the strongest.

    `supersedes` relations stay with the old ones: they are their history.
    """
    strongest: dict[tuple[str, str, RelationType], Relation] = {}
    for relation in relations:
        source = new if relation.source_id in old else relation.source_id
        target = new if relation.target_id in old else relation.target_id
        if source == target or relation.type is RelationType.SUPERSEDES:
            continue
        moved = replace(relation, source_id=source, target_id=target)
        key = (source, target, relation.type)
        if key not in strongest or strongest[key].strength < moved.strength:
            strongest[key] = moved
    yield from strongest.values()


# -- what rests on a memory that ends becomes less sure; what several others support does not end that easily


ENDED, FACTOR, LEAST = 0.5, 0.5, 0.05
"""What a supersession takes, what is left of it a step further, and the least that is taken."""
MOST = 100
"""Memories that one supersession makes less sure at most."""
_SUPPORTING = frozenset({RelationType.SUPPORTS, RelationType.ENABLED})
"""Relations of which the target rests on the source."""
_RESTING = frozenset(
    {
        RelationType.DERIVED_FROM,
        RelationType.DEPENDS_ON,
        RelationType.REQUIRES,
        RelationType.REFINES,
        RelationType.EXEMPLIFIES,
    }
)
"""Relations of which the source rests on the target."""


def losses(ended: str, relations_of: Callable[[Sequence[str]], Iterable[Relation]]) -> dict[str, float]:
    """By how much the confidence of memories falls that rest on one that ended, by id, nearest first.

    Args:
        ended: its id.
        relations_of: every relation that begins or ends at one of some memories.
    """
    lost: dict[str, float] = {}
    reached, amount = [ended], ENDED * FACTOR
    while reached and amount >= LEAST and len(lost) < MOST:
        pairs = (pair for one in relations_of(reached) if (pair := _resting(one)))
        on = set(reached)
        reached = list(dict.fromkeys(rests for rests, base in pairs if base in on and rests != ended))
        reached = [id_ for id_ in reached if id_ not in lost][: MOST - len(lost)]
        lost |= dict.fromkeys(reached, amount)
        amount *= FACTOR
    return lost


def supporters(memory_id: str, relations: Iterable[Relation]) -> set[str]:
    """The ids of the memories that support one, as far as nobody doubts it."""
    return {
        one.source_id
        for one in relations
        if one.type is RelationType.SUPPORTS
        and one.target_id == memory_id
        and one.status is RelationStatus.ACTIVE
    }


def _resting(relation: Relation) -> tuple[str, str] | None:
    """Which end rests on which; none for other relations, and for those that wait for a person."""
    if relation.status is not RelationStatus.ACTIVE:
        return None
    if relation.type in _SUPPORTING:
        return relation.target_id, relation.source_id
    return (relation.source_id, relation.target_id) if relation.type in _RESTING else None


def reason_for(ended: str) -> str:
    """What the history of a memory says that became less sure."""
    return f"it rests on {ended}, which ended"


# -- who may replace whom: a guess never silently ends what the person said


class Authority(IntEnum):
    """Who stands behind a memory, from the least to the most authority."""

    UNTRUSTED = 0
    FOUND = 1
    TOLD = 2
    PERSON = 3


def authority_of(memory: Memory) -> Authority:
    """Who stands behind a memory."""
    if memory.trust is Trust.UNTRUSTED:
        return Authority.UNTRUSTED
    if memory.trust is Trust.TRUSTED:
        return Authority.PERSON
    return Authority.TOLD if memory.origin is Origin.AGENT and not memory.source.rule else Authority.FOUND


def may_replace(new: Memory, old: Memory, *, explicit: bool) -> bool:
    """Whether a memory may replace another without a person, where their wording says that it does.

    Args:
        new: the later statement.
        old: the one that would end.
        explicit: the new statement announces the change itself.
    """
    if new.status is not Status.ACTIVE or old.pinned or old.status not in {Status.ACTIVE, Status.PROPOSED}:
        return False
    if not (is_replaceable(new.kind) and is_replaceable(old.kind)):
        return False
    if old.valid_from > new.valid_from or new.scope is not old.scope:
        return False
    mine, theirs = authority_of(new), authority_of(old)
    # What stands in the person's own file, for all projects, never replaces what was said for this one.
    of_all_projects = new.origin is Origin.USER and new.source.rule == RULE
    if mine is Authority.UNTRUSTED or of_all_projects:
        return False
    if mine is Authority.FOUND:
        return theirs is Authority.FOUND and explicit
    return mine >= theirs or explicit


def is_replaceable(kind: Kind) -> bool:
    """Whether memories of a kind say what holds until something else does; what happened stays true."""
    return KINDS[kind].replaceable and not KINDS[kind].event


# -- whether a fact concerns this project or the person


SCOPE_PATTERNS = Patterns(__file__, "scope")

CERTAIN = 0.8
"""The confidence that a global fact must exceed."""


def scope_of(candidate: Candidate) -> Scope:
    """Where a candidate belongs.

    Args:
        candidate: learned from a session; only an active one of high confidence can be global.
    """
    if candidate.confidence <= CERTAIN or not candidate.active or not KINDS[kind_of(candidate.kind)].personal:
        return Scope.PROJECT
    typed = candidate.speaker == "user"
    about_all = is_about_person(candidate.text) if typed else False
    return Scope.GLOBAL if about_all or is_about_tools(candidate.text) else Scope.PROJECT


def is_about_person(text: str) -> bool:
    """Whether a statement of the person is about themselves, or about how they want it in every project."""
    if SCOPE_PATTERNS.place.search(SCOPE_PATTERNS.names.sub("", text)):
        return False
    if SCOPE_PATTERNS.everywhere.search(text):
        return not re.search(r"\b(?:we|our|us)\b", text, re.IGNORECASE)
    return SCOPE_PATTERNS.person.match(text) is not None and SCOPE_PATTERNS.project.search(text) is None


def is_about_tools(text: str) -> bool:
    """Whether a statement says how a tool behaves that is the same in every project."""
    if SCOPE_PATTERNS.tool.match(text) is None or SCOPE_PATTERNS.flag_or_command.search(text) is None:
        return False
    return not (
        SCOPE_PATTERNS.project_in_tool.search(text)
        or SCOPE_PATTERNS.place.search(SCOPE_PATTERNS.names.sub("", text))
    )
