"""Reasons as sentences: a template for each relation and each kind of evidence, none without evidence.

What a sentence says of a memory are that memory's own words in quotation marks: nothing is rewritten.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from recortex.domain.cleaning import clean
from recortex.domain.kinds.base import shorten
from recortex.domain.reasons import Claim, Evidence
from recortex.domain.vocabulary import RelationStatus, RelationType, Status
from recortex.engines.compression.levels import SHORT_ID
from recortex.engines.graph.walks import DEPTH, NODES, STRENGTH, confidence

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from recortex.domain.commit import Commit
    from recortex.domain.exchange import Exchange
    from recortex.domain.memory import Memory
    from recortex.domain.reasons import Section, Verbosity
    from recortex.domain.relation import Relation
    from recortex.engines.graph.walks import Along
    from recortex.engines.reasons.weighing import Bearing

    class Relations(Along, Protocol):
        """The part of a store's relations that is read."""

        def of(self, ids: Sequence[str]) -> Sequence[Relation]:
            """Every relation that begins or ends at one of some memories."""


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
    }.get(memory.status, _name_kind(memory))
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


def _name_kind(memory: Memory) -> str:
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


# -- lays out reasons as a text: a summary, then sections, each sentence with its evidence, within a budget


TITLES: dict[Section, str] = {
    "decisions": "Decided",
    "constraints": "Constraints and exceptions",
    "history": "How it came to be",
    "origins": "What led to it",
    "patterns": "How it is done here",
    "knowledge": "What else is known",
    "support": "What supports it",
    "conflicts": "What speaks against it",
    "effects": "Effects",
    "warnings": "Watch out",
}
"""The heading of each section, in the order of the text."""
_ORDER = {section: place for place, section in enumerate(TITLES)}
MOST: dict[Verbosity, int] = {"summary": 1, "detailed": 6, "comprehensive": 50}
"""Sentences of each section."""
_SUMMED: tuple[Section, ...] = ("decisions", "constraints", "patterns", "history", "knowledge", "warnings")
NOTHING = "Nothing known says why."
NEAR = "These records may bear on it:"
CHUNK_ID = 16
"""Characters of the id of a part of a document that `get` needs."""
LEAST_BUDGET, MOST_BUDGET = 60, 100_000


@dataclass(frozen=True, slots=True)
class Told:
    """A text with its tokens, the sentences in it in its order, and how many had no room."""

    text: str
    tokens: int
    claims: tuple[Claim, ...]
    left_out: int


def tell(
    head: str,
    claims: Sequence[Claim],
    verbosity: Verbosity,
    budget: int,
    count: Callable[[str], int],
    *,
    near: Sequence[Bearing] = (),
) -> Told:
    """The text of some reasons; one line where there are none.

    Args:
        head: the subject, on one line.
        claims: each section's likeliest first.
        verbosity: a sentence of each section, up to six, or all.
        budget: the most tokens of the text.
        count: tokens of a text.
        near: what may bear on it, where nothing is claimed.
    """
    kept = _chosen(claims, MOST[verbosity])
    if not kept:
        return _nothing(head, near, budget, count)
    # Sentences are dropped from the least important section backwards, until the whole text fits.
    by_weight = sorted(
        kept,
        key=lambda one: (
            (_SUMMED.index(one.section) if one.section in _SUMMED else len(_SUMMED)),
            kept.index(one),
        ),
    )
    while by_weight:
        shown = set(map(id, by_weight))
        some = [one for one in kept if id(one) in shown]
        text = _text(head, some)
        if (tokens := count(text)) <= budget:
            return Told(text, tokens, tuple(some), len(claims) - len(some))
        by_weight = by_weight[: len(by_weight) - max(1, (tokens - budget) * len(by_weight) // (2 * tokens))]
    text = _shortest(kept[0], budget, count)
    return Told(text, count(text), (kept[0],) if text != NOTHING else (), len(claims) - (text != NOTHING))


def _nothing(head: str, near: Sequence[Bearing], budget: int, count: Callable[[str], int]) -> Told:
    """That nothing is known, and what may bear on it, as far as there is room."""
    lines = [f"- “{words_of(one.memory, SHORT)}” [{one.memory.id[:SHORT_ID]}]" for one in near]
    texts = [
        "\n".join([head, NOTHING, *([NEAR] if most else []), *lines[:most]]) for most in range(len(lines) + 1)
    ]
    fitting = (text for text in [*reversed(texts), NOTHING] if count(text) <= budget)
    text = next(fitting, NOTHING)
    return Told(text, count(text), (), 0)


def _chosen(claims: Sequence[Claim], most: int) -> list[Claim]:
    """At most so many of each section, in the order of sections; equal sentences once."""
    found: dict[str, list[Claim]] = {section: [] for section in TITLES}
    once: set[str] = set()
    for one in claims:
        if one.text not in once and len(found[one.section]) < most:
            once.add(one.text)
            found[one.section].append(one)
    return [one for section in TITLES for one in found[section]]


def _text(head: str, claims: Sequence[Claim]) -> str:
    lines, last = [head], ""
    for one in sorted(claims, key=lambda one: _ORDER[one.section]):
        if one.section != last:
            lines.append(f"\n## {TITLES[one.section]}")
            last = one.section
        lines.append(f"- {one.text} {marks(one.evidence)}")
    return "\n".join(lines)


def _shortest(claim: Claim, budget: int, count: Callable[[str], int]) -> str:
    """One sentence, cut at a word so that it fits with its evidence."""
    mark = marks(claim.evidence[:1])
    words = claim.text.split()
    while words:
        text = f"{' '.join(words)}… {mark}"
        if count(text) <= budget:
            return text
        words = words[: len(words) * 3 // 4]
    return NOTHING


def marks(evidence: Collection[Evidence]) -> str:
    """Evidence as it stands in the text: `[0b5d3b1e]`, `[commit 3fa1b2c]`, `[exchange 9f8e7d6c]`."""
    return "".join(dict.fromkeys(f"[{_mark(one)}]" for one in evidence))


def _mark(one: Evidence) -> str:
    if one.kind == "commit":
        return f"commit {one.id[:7]}"
    if one.kind == "document":
        return f"document {one.id[:CHUNK_ID]}"
    return one.id[:SHORT_ID] if one.kind == "memory" else f"exchange {one.id[:SHORT_ID]}"


# -- follows relations from some memories: up to what led to them, down to what came of them, never back


_ONWARD: frozenset[Section] = frozenset(("origins", "effects"))


def links(
    starts: Sequence[str],
    relations_of: Callable[[Sequence[str]], Iterable[Relation]],
    *,
    depth: int = DEPTH,
    least: float = STRENGTH,
    most: int = NODES,
) -> list[Link]:
    """The relations that explain some memories, nearest first, then the strongest.

    Relations are read once a level.

    Args:
        starts: ids of the memories.
        relations_of: every relation that begins or ends at one of some memories.
        depth: relations one after the other.
        least: weaker relations are passed over.
        most: memories that are reached beside the starts.
    """
    paths: dict[str, tuple[Relation, ...]] = dict.fromkeys(starts, ())
    ways: dict[str, Section | None] = dict.fromkeys(starts)
    frontier, found = list(paths), list[Link]()
    while frontier and depth > 0:
        reached: list[str] = []
        for near, relation, section in _steps(frontier, ways, relations_of(frontier), least):
            far = relation.other(near)
            if far not in paths and len(paths) >= most + len(starts):
                continue
            path = (*paths[near], relation)
            found.append(Link(near, relation, path))
            if far not in paths:
                paths[far] = path
                if section in _ONWARD:
                    ways[far] = section
                    reached.append(far)
        frontier, depth = reached, depth - 1
    return found


def _steps(
    frontier: Sequence[str], ways: dict[str, Section | None], relations: Iterable[Relation], least: float
) -> Iterator[tuple[str, Relation, Section]]:
    at = frozenset(frontier)
    for one in sorted(relations, key=lambda one: (-one.strength, one.source_id, one.target_id, one.type)):
        verb = VERBS.get(one.type)
        if verb is None or one.strength < least:
            continue
        for near, section in ((one.source_id, verb.of_target), (one.target_id, verb.of_source)):
            if near in at and ways[near] in (None, section):
                yield near, one, section


def reading(relations: Relations, starts: Sequence[str]) -> Callable[[Sequence[str]], Iterable[Relation]]:
    """A `relations_of` for `links`: what is certain, and what may contradict the memories asked about.

    Of each level it reads no more than a walk can need, however many relations a memory has.
    """
    asked = frozenset(starts)

    def relations_of(ids: Sequence[str]) -> Iterable[Relation]:
        types, most = frozenset(VERBS), 2 * NODES + 2
        yield from relations.along(ids, types, types, min_strength=STRENGTH, most=most)
        if asked.intersection(ids):
            for one in relations.of([id_ for id_ in ids if id_ in asked]):
                if one.type is RelationType.CONTRADICTS and one.status is RelationStatus.SUGGESTED:
                    yield one

    return relations_of
