"""Kept conventions: what one says, why it is kept, and what becomes of it when it is counted again."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from recortex.code.counting import LEAST_AGREEMENT, LEAST_SUPPORT, ids_of
from recortex.code.detecting import plain
from recortex.code.populations import words
from recortex.domain.kinds import KINDS, kind_of
from recortex.domain.memory import PatternLink, Source
from recortex.domain.vocabulary import Origin, Status
from recortex.engines.commits import PATTERNS
from recortex.engines.ingestion.output_redaction import Draft
from recortex.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from recortex.code.counting import Share
    from recortex.domain.code import Convention, Detected, Place
    from recortex.domain.memory import Memory


RULE, NOTED, TAG = "code_convention", "convention", "convention"
"""Of memories of conventions: the rule that they name, what their metadata has, and their tag."""
MOST_KEPT = 12
"""Memories of conventions that a project has at a time: what a person reads at once."""
SURE = 0.7
"""The share that a strict reader found true and worth telling: 73 of 100 unread. `bench/detection.py`."""
LEAST_WEAK = 0.5
"""The agreement below which it is none any more, rather than a weak one."""
MOST_EXCEPTIONS = 50
UNEXPLAINED = "Why is not known."
Standing = Literal["same", "updated", "weakened", "ended", "restored"]
_PATTERN, _PLAIN = kind_of("pattern_rationale"), kind_of("semantic")


class Followed(NamedTuple):
    """A kept memory as it should be now, and what that is."""

    memory: Memory
    became: Standing


def is_kept(memory: Memory) -> bool:
    """Whether a memory is one of a convention."""
    return memory.source.rule == RULE and isinstance(memory.metadata.get(NOTED), dict)


def is_of(memory: Memory, one: Convention) -> bool:
    """Whether a memory is the one of a convention; one value that they share is enough."""
    noted = memory.metadata[NOTED]
    same = (noted["language"], noted["population"], noted["trait"]) == (
        one.language,
        one.population,
        one.trait,
    )
    return same and not set(noted["values"]).isdisjoint(one.values)


def draft_of(one: Convention, reason: Reason | None, status: Status | None, now: datetime) -> Draft:
    """The memory of a convention: with its reason a pattern_rationale, else one that asks for it.

    Args:
        one: what was counted.
        reason: None where none is known.
        status: None: the origin decides.
        now: when it was counted.
    """
    quoted = reason is not None and reason.path != ""
    return Draft(
        kind=_PATTERN if reason else _PLAIN,
        content=_content(one, reason),
        confidence=_confidence(one.support, one.total),
        tags=(TAG,),
        patterns=(PatternLink(one.id, one.name[:200]),),
        source=Source(rule=RULE, path=reason.path if reason else "", quote=reason.text if reason else ""),
        origin=Origin.REPOSITORY if quoted else Origin.CODE_INDEX,
        status=status,
        metadata={NOTED: _noted(one, now)},
    )


def _content(one: Convention, reason: Reason | None) -> dict[str, Any]:
    if reason is None:
        return {"knowledge": f"{one.statement} {UNEXPLAINED}"}
    return {
        "pattern_id": one.id,
        "pattern_name": one.name,
        "pattern_category": one.trait,
        "rationale": reason.text,
        "technical_context": one.statement,
        "related_decision_id": reason.memory,
    }


def _noted(one: Convention, now: datetime) -> dict[str, Any]:
    return {
        "language": one.language,
        "population": one.population,
        "trait": one.trait,
        "values": list(one.values),
        "support": one.support,
        "total": one.total,
        "exceptions": _exceptions(one.exceptions),
        "counted_on": now.date().isoformat(),
        "state": "",
    }


def _exceptions(places: Iterable[Place]) -> list[str]:
    named = [f"{one.path}:{one.line} {one.name}".rstrip() for one in places]
    return named[:MOST_EXCEPTIONS]


def _confidence(support: int, total: int) -> float:
    return round(SURE * support / max(total, 1), 2)


def explained(memory: Memory, reason: str) -> Memory:
    """The memory of a convention with a person's reason: a pattern_rationale from then on.

    Raises:
        InvalidInputError: it is none of a convention.
    """
    if not is_kept(memory):
        raise InvalidInputError(
            f"The memory {memory.id} is none of a convention, so it takes no reason.",
            hint="`recortex edit` changes what a memory says.",
        )
    if memory.kind == _PATTERN:
        return replace(memory, content=KINDS[_PATTERN](**{**_fields(memory), "rationale": reason}))
    noted = memory.metadata[NOTED]
    content = KINDS[_PATTERN](
        pattern_id=memory.patterns[0].id if memory.patterns else "",
        pattern_name=_name(memory),
        pattern_category=noted["trait"],
        rationale=reason,
        technical_context=str(_fields(memory).get("knowledge", "")).removesuffix(UNEXPLAINED).strip(),
    )
    return replace(memory, kind=_PATTERN, content=content, summary="")


def _fields(memory: Memory) -> dict[str, Any]:
    return {name: getattr(memory.content, name) for name in memory.content.usual}


def followed(memory: Memory, one: Convention | None, share: Share, edited: bool, now: datetime) -> Followed:
    """What a kept memory becomes by the present count; what a person put away stays away.

    Args:
        memory: as stored.
        one: the convention, where it is still one of those that are told.
        share: how many have it now.
        edited: somebody else than this has changed what it says: only its count is renewed.
        now: when it was counted.
    """
    noted = memory.metadata[NOTED]
    put_away = memory.status in {Status.ARCHIVED, Status.PRUNED, Status.SUPERSEDED}
    agreement = share.support / max(share.total, 1)
    stands = one is not None or (share.support >= LEAST_SUPPORT and agreement >= LEAST_AGREEMENT)
    if put_away and (noted["state"] != "ended" or not stands):
        return Followed(memory, "same")
    if not stands and agreement < LEAST_WEAK:
        noted = {**noted, "state": "ended", "was": str(memory.status), "counted_on": now.date().isoformat()}
        metadata = {**memory.metadata, NOTED: noted}
        ended = replace(memory, status=Status.ARCHIVED, valid_until=now, metadata=metadata)
        return Followed(ended, "ended")
    counted = (one.support, one.total) if one else (share.support, share.total)
    state = "" if stands else "weakened"
    if not put_away and state == noted["state"] and counted == (noted["support"], noted["total"]):
        return Followed(memory, "same")
    places = one.exceptions if one else share.exceptions
    noted = {
        **{key: value for key, value in noted.items() if key != "was"},
        "support": counted[0],
        "total": counted[1],
        "exceptions": _exceptions(places),
        "counted_on": now.date().isoformat(),
        "state": state,
    }
    changed = replace(memory, confidence=_confidence(*counted), metadata={**memory.metadata, NOTED: noted})
    if put_away:
        back = Status(memory.metadata[NOTED].get("was", Status.PROPOSED))
        changed = replace(changed, status=back, valid_until=None)
    if not edited:
        changed = _reworded(changed, one.statement if one else _counted(memory, *counted))
    return Followed(changed, "restored" if put_away else "weakened" if state else "updated")


def _counted(memory: Memory, support: int, total: int) -> str:
    return f"{support} of {total} {_name(memory)}."


def _name(memory: Memory) -> str:
    return memory.patterns[0].name if memory.patterns else memory.metadata[NOTED]["population"]


def _reworded(memory: Memory, statement: str) -> Memory:
    fields = _fields(memory)
    if memory.kind == _PATTERN:
        fields["technical_context"] = statement
    elif memory.kind == _PLAIN:
        fields["knowledge"] = f"{statement} {UNEXPLAINED}"
    else:
        return memory
    content = type(memory.content)(**fields)
    return replace(memory, content=content, text=content.text(), summary="")


# -- the memories of a pattern: why it is so, what nobody wrote down, decisions, approved exceptions


OVERRIDE, EXPLAINING = "constraint_override", "pattern_rationale"
DECIDING = frozenset({"decision", "decision_context"})
_GRAVE = frozenset({"critical", "warning"})
_WAITING = frozenset({Status.PROPOSED, Status.QUARANTINED})


class Linked(NamedTuple):
    """The memories of a pattern, each once and the newest first.

    Attributes:
        why: those that explain it; others of its kinds are not among them.
        warnings: those of what nobody wrote down that are grave.
        overrides, expired: approved exceptions that hold now, and that ended.
    """

    why: tuple[Memory, ...] = ()
    tribal: tuple[Memory, ...] = ()
    warnings: tuple[Memory, ...] = ()
    decisions: tuple[Memory, ...] = ()
    overrides: tuple[Memory, ...] = ()
    expired: tuple[Memory, ...] = ()
    others: tuple[Memory, ...] = ()

    @property
    def anything(self) -> bool:
        """Whether any memory knows of the pattern."""
        return any(self)


def ids_of_library(one: Detected) -> tuple[str, ...]:
    """The ids and names that a memory may know a library by."""
    lowered = one.name.lower()
    forms = (one.name, lowered, lowered.replace(" ", "-"), lowered.replace(".", ""), lowered.replace(" ", ""))
    return tuple(dict.fromkeys(forms))


def ids_of_convention(one: Convention) -> tuple[str, ...]:
    """The ids and names that a memory may know a convention by."""
    return tuple(dict.fromkeys((*ids_of(one), one.name, one.name[:200])))


def linked(ids: Iterable[str], memories: Sequence[Memory], now: datetime) -> Linked:
    """What memories say of the pattern with these ids.

    Args:
        ids: and names of it.
        memories: those that may be about it, whatever their status.
        now: the time by which an exception has ended.
    """
    wanted = set(ids)
    about = [one for one in memories if not _about(one).isdisjoint(wanted)]
    active = [one for one in about if one.status is Status.ACTIVE and one.was_valid_at(now)]
    tribal = tuple(one for one in active if one.kind == "tribal")
    overrides = [one for one in about if one.kind == OVERRIDE and one.status not in _WAITING]
    told = {EXPLAINING, OVERRIDE, "tribal"} | DECIDING
    return Linked(
        why=tuple(one for one in active if one.kind == EXPLAINING),
        tribal=tribal,
        warnings=tuple(one for one in tribal if getattr(one.content, "severity", "") in _GRAVE),
        decisions=tuple(one for one in active if one.kind in DECIDING),
        overrides=tuple(one for one in overrides if one in active),
        expired=tuple(one for one in overrides if one.valid_until is not None and one.valid_until <= now),
        others=tuple(one for one in active if one.kind not in told and not is_kept(one)),
    )


def _about(memory: Memory) -> set[str]:
    """The ids and names of patterns and constraints that a memory refers to."""
    found = {text for link in memory.patterns for text in (link.id, link.name)}
    found |= {text for link in memory.constraints for text in (link.id, link.name)}
    content = memory.content
    for name in ("pattern_id", "pattern_name", "constraint_id", "constraint_name", "decision_id"):
        found.add(str(getattr(content, name, "")))
    if getattr(content, "scope_type", "") == "pattern":
        found.add(str(getattr(content, "scope_target", "")))
    return found - {""}


# -- why a convention is kept, where somebody wrote it down: a sentence that names it and gives a reason


SHORTEST, LONGEST = 25, 400
"""Characters of a sentence that is taken."""
LEAST_NAME = 3
_NAMED = re.compile(r"[A-Za-z_][\w]*")
_COMMENT = re.compile(r"^\s*(?:#+|//+!?|/\*+|\*+/?|--|<!--)\s?|(?:\*/|-->)$")
_QUOTES = ('"""', "'''")
_ONLY_A_WORD = re.compile(r"[a-z]+|[A-Z][a-z]*")
_OPENING = ("`", "(", "<")
_GENERAL = frozenset({"public", "methods", "functions", "own", "with", "names", "several", "the", "and"})


class Reason(NamedTuple):
    """A reason that somebody wrote down.

    Attributes:
        text: its sentence.
        memory: the id of the memory that says it; empty: a file does.
        path, line: of the file.
    """

    text: str
    memory: str = ""
    path: str = ""
    line: int = 0


def reasons_in(text: str) -> list[str]:
    """The sentences of a text that give a reason."""
    joined = " ".join(text.split())
    return [
        one.strip()
        for one in PATTERNS.sentence.split(joined)
        if SHORTEST <= len(one.strip()) <= LONGEST and PATTERNS.strong.search(one)
    ]


def names(sentence: str, one: Convention) -> bool:
    """Whether a sentence names both what a convention's members share and who they are."""
    said = {match[0] for match in _NAMED.finditer(sentence) if _as_a_name(sentence, match)}
    words_said = set(_NAMED.findall(sentence))
    lowered = {word.lower().rstrip("s") for word in words_said}
    shared = {
        part
        for value in one.values
        for part in _NAMED.findall(plain(value.partition("<")[0]))
        if len(part) >= LEAST_NAME
    }
    name = one.population.partition(" in ")[0]
    who = {
        word.lower().rstrip("s")
        for part in _NAMED.findall(name)
        for word in (part, *words(part))
        if len(word) >= LEAST_NAME and word.lower() not in _GENERAL
    }
    return bool(shared) and shared <= said and not lowered.isdisjoint(who)


def _as_a_name(sentence: str, match: re.Match[str]) -> bool:
    """Whether a word stands for what is called so: `error` and "None of it" are words of the language too."""
    start, end = match.span()
    if "`" in sentence[max(start - 1, 0) : start] or sentence[end : end + 1] in _OPENING:
        return True
    return not _ONLY_A_WORD.fullmatch(match[0]) or (start > 0 and match[0][0].isupper())


def find_reason(one: Convention, reasons: Iterable[str]) -> str:
    """The first of some sentences that give a reason which names a convention; empty: none does."""
    return next((sentence for sentence in reasons if names(sentence, one)), "")


def comment_beside(lines: Iterable[str]) -> str:
    """The comments and documentation among some lines, without their signs."""
    found, quoted = [], False
    for line in lines:
        plain_line = line.strip()
        quotes = sum(plain_line.count(each) for each in _QUOTES)
        if quoted or quotes or _COMMENT.match(line):
            found.append(_COMMENT.sub("", plain_line).strip("\"' "))
        quoted ^= quotes == 1
    return " ".join(found)
