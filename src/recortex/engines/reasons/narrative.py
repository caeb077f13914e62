"""Reasons as sentences: a template for each relation and each kind of evidence, none without evidence.

What a sentence says of a memory are that memory's own words in quotation marks: nothing is rewritten.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.cleaning import clean
from recortex.domain.kinds.base import shorten
from recortex.domain.reasons import Claim, Evidence
from recortex.domain.vocabulary import RelationStatus, RelationType, Status
from recortex.engines.graph.walks import confidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from recortex.domain.commit import Commit
    from recortex.domain.exchange import Exchange
    from recortex.domain.memory import Memory
    from recortex.domain.reasons import Section
    from recortex.domain.relation import Relation
    from recortex.engines.reasons.weighing import Bearing

QUOTED, SHORT = 240, 90
"""Characters of what is quoted: of the memory that is told, and of one that is only named again."""
_SECTIONS: dict[str, Section] = {
    "decision": "decisions", "decision_context": "decisions", "architecture": "decisions",
    "constraint_override": "constraints", "pattern_rationale": "patterns", "procedural": "patterns",
    "workflow": "patterns", "preference": "patterns", "tribal": "warnings", "code_smell": "warnings",
    "incident": "warnings", "feedback": "warnings",
}  # fmt: skip
_NOUNS = {
    "decision": "a decision", "decision_context": "a decision", "incident": "an incident",
    "pattern_rationale": "the reason for a pattern", "constraint_override": "an exception to a constraint",
    "tribal": "a warning", "code_smell": "a code smell", "architecture": "the architecture",
    "feedback": "a correction", "preference": "a preference", "procedural": "a way to work",
    "episodic": "what happened",
}  # fmt: skip
_USUAL_NOUN = "a fact"


class Verb(NamedTuple):
    """What stands between two memories in a sentence, from each end, and the section that it belongs to."""

    forward: str
    backward: str
    of_target: Section
    of_source: Section


VERBS = {
    RelationType.CAUSED: Verb("caused", "was caused by", "effects", "origins"),
    RelationType.ENABLED: Verb("made possible", "was made possible by", "effects", "origins"),
    RelationType.PREVENTED: Verb("prevented", "was prevented by", "effects", "origins"),
    RelationType.TRIGGERED_BY: Verb("was triggered by", "triggered", "origins", "effects"),
    RelationType.DERIVED_FROM: Verb("was derived from", "led to", "origins", "effects"),
    RelationType.LEARNED_FROM: Verb("was learned from", "taught", "origins", "effects"),
    RelationType.SUPERSEDES: Verb("replaced", "was replaced by", "origins", "conflicts"),
    RelationType.SUPPORTS: Verb("supports", "is supported by", "effects", "support"),
    RelationType.EXEMPLIFIES: Verb("is an example of", "has as an example", "support", "support"),
    RelationType.REFINES: Verb("refines", "is refined by", "origins", "support"),
    RelationType.DEPENDS_ON: Verb("depends on", "is needed by", "support", "effects"),
    RelationType.REQUIRES: Verb("requires", "is required by", "support", "effects"),
    RelationType.BLOCKS: Verb("blocks", "is blocked by", "effects", "conflicts"),
    RelationType.CONTRADICTS: Verb("contradicts", "is contradicted by", "conflicts", "conflicts"),
}
"""How each relation that explains reads: A `forward` B, B `backward` A; where it is told of A, and of B."""


class Link(NamedTuple):
    """A relation on the way from a memory to another, with the memory that it begins at.

    Attributes:
        path: the relations up to this one, itself last.
    """

    near: str
    relation: Relation
    path: tuple[Relation, ...]


def of_bearing(one: Bearing) -> Claim:
    """A memory that accounts for the subject, in its own words, with what came of it since."""
    memory = one.memory
    verb = {
        Status.PROPOSED: "Proposed, not decided",
        Status.SUPERSEDED: "It was so until it was replaced",
        Status.ARCHIVED: "It was so once",
        Status.PRUNED: "It was so once",
        Status.QUARANTINED: "Unchecked, it waits for review",
    }.get(memory.status, _said(memory))
    text = f"{verb} ({memory.valid_from:%Y-%m-%d}): “{words_of(memory, QUOTED)}”"
    for reason in _reasons(memory):
        text += f" {reason}"
    return Claim(
        _SECTIONS.get(memory.kind, "knowledge"), _closed(text), (_evidence(memory),),
        confidence=min(memory.confidence, 1.0),
    )  # fmt: skip


def of_commits(commits: Sequence[Commit], what: str) -> Iterator[Claim]:
    """What changed a place last, and before that, each with the reason that its message gives."""
    for place, one in enumerate(commits):
        said, reason = shorten(clean(one.subject), QUOTED), _first_paragraph(one.body)
        which = f"commit {one.hash[:7]} of {one.at:%Y-%m-%d}"
        head = (
            f"{which.capitalize()} last changed {what}" if place == 0 else f"Before that, {which} changed it"
        )
        text = _closed(f"{head}: “{said}”") + (f" Its reason: “{reason}”" if reason else "")
        yield Claim("history", _closed(text), (Evidence("commit", one.hash, reason or said),))


def of_making(commit: Commit, made: Exchange, *, likely: bool = False) -> Claim:
    """The session that made a commit, or likely did, by what the person asked for there."""
    asked = shorten(clean(made.message or made.asked), QUOTED)
    day = f" of {made.started_at:%Y-%m-%d}" if made.started_at else ""
    how = "probably made" if likely else "made"
    evidence = (Evidence("exchange", made.id, asked), Evidence("commit", commit.hash))
    said = f", where the person said: “{asked}”" if asked and made.opener == "person" else ""
    return Claim("history", _closed(f"{commit.hash[:7]} was {how} in a session{day}{said}"), evidence)


def of_links(links: Iterable[Link], memories: Mapping[str, Memory], told: Iterable[str]) -> Iterator[Claim]:
    """A sentence for each relation, each once, as it reads from the memory that it was reached from.

    Args:
        links: the relations that were walked, nearest first.
        memories: by id; a relation with another end is left out.
        told: ids that were told whole already, and are only named.
    """
    known, seen = set(told), set()
    for near, relation, path in links:
        verb, far = VERBS.get(relation.type), relation.other(near)
        key = (relation.source_id, relation.target_id, relation.type)
        if verb is None or key in seen or near not in memories or far not in memories:
            continue
        seen.add(key)
        forward = relation.source_id == near
        yield Claim(
            verb.of_target if forward else verb.of_source,
            _sentence(
                memories[near], memories[far], verb.forward if forward else verb.backward, relation, known
            ),
            (_evidence(memories[near]), _evidence(memories[far])),
            confidence=confidence([one.strength for one in path]),
        )
        known |= {near, far}


def _sentence(near: Memory, far: Memory, verb: str, relation: Relation, known: set[str]) -> str:
    first = f"“{words_of(near, SHORT)}”"
    noun, on = _NOUNS.get(far.kind, _USUAL_NOUN), f"{far.valid_from:%Y-%m-%d}"
    second = f"“{words_of(far, SHORT if far.id in known else QUOTED)}”"
    far_end = second if far.id in known else f"{noun} of {on}, {second}"
    probably = "probably " if relation.status is RelationStatus.SUGGESTED else ""
    text = f"{first} {probably}{verb} {far_end}"
    evidence = next((shorten(clean(one), QUOTED) for one in relation.evidence if one.strip()), "")
    return _closed(f"{text} ({evidence.rstrip('.')})" if evidence else text)


def words_of(memory: Memory, most: int) -> str:
    """What a memory says on one line, shortened."""
    return shorten(clean(memory.summary or memory.text), most).replace("“", "'").replace("”", "'")


def _said(memory: Memory) -> str:
    noun = _NOUNS.get(memory.kind, _USUAL_NOUN)
    return noun.split(" ", 1)[1].capitalize() if noun.startswith(("a ", "an ")) else noun.capitalize()


def _reasons(memory: Memory) -> Iterator[str]:
    """What the memory's own fields give as reasons, where its one line does not say it."""
    shown = words_of(memory, QUOTED)
    for name, before in (("rationale", "Reason"), ("context", "Context"), ("reason", "Reason")):
        value = getattr(memory.content, name, "")
        if isinstance(value, str) and value.strip() and value[:SHORT] not in shown:
            yield f"{before}: “{shorten(clean(value), QUOTED)}”"
            return


def _first_paragraph(body: str) -> str:
    """The first paragraph of a message, where it says more than trailers do."""
    first = next((part for part in body.split("\n\n") if part.strip()), "")
    lines = [line for line in first.splitlines() if not _is_trailer(line)]
    return shorten(clean(" ".join(lines)), QUOTED)


def _is_trailer(line: str) -> bool:
    name, colon, _ = line.partition(": ")
    return bool(colon) and name.replace("-", "").isalpha() and "-" in name


def _evidence(memory: Memory) -> Evidence:
    return Evidence("memory", memory.id, words_of(memory, SHORT))


def _closed(text: str) -> str:
    return text if text.endswith((".", "!", "?", ".”", "!”", "?”")) else f"{text}."
