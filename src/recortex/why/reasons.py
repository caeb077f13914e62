"""Reasons for a place of code or a memory: what accounts for it, in sentences with their evidence.

What a sentence says of a memory are that memory's own words in quotation marks: nothing is rewritten.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from recortex.domain.code import Commit
from recortex.domain.context import Bearing, Claim, Evidence, Subject
from recortex.domain.exchange import Exchange
from recortex.domain.text import clean, lazy, shorten
from recortex.domain.vocabulary import RelationStatus, RelationType, Status
from recortex.engines.compression import SHORT_ID
from recortex.engines.graph import DEPTH, NODES, STRENGTH, confidence
from recortex.lean import Value, field
from recortex.text.words import topic_stems

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from recortex.domain.context import Section, Verbosity
    from recortex.domain.memory import Memory, Relation
    from recortex.engines.graph import Along

    class Relations(Along, Protocol):
        """The part of a store's relations that is read."""

        def find_touching(self, ids: Sequence[str]) -> Sequence[Relation]:
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
SAID_ALREADY = 0.7
"""The share of a paragraph's words that a sentence has, from which it is not quoted beside it."""
_MARKS = lazy(r"(?m)^\s*(?:#+|[-*+>]|\d+[.)])\s+")


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
    if (words := _plain(one.words)) and not _holds(text, words):
        text += f" It says: “{words}”"
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
    # Quotation marks of its own would end the quotation.
    return shorten(clean(memory.summary or memory.text), most).replace("“", "'").replace("”", "'")


def _plain(words: str) -> str:
    """A paragraph of a record on one line, without its marks of headings and lists."""
    return shorten(clean(_MARKS.sub("", words)), QUOTED).replace("“", "'").replace("”", "'")


def _holds(text: str, words: str) -> bool:
    """Whether a text says most of some words already."""
    said = topic_stems(words)
    # By stems, as a summary and its record say the same in other forms.
    return len(said & topic_stems(text)) > SAID_ALREADY * len(said)


def _name_kind(memory: Memory) -> str:
    noun = _NOUNS.get(memory.kind, _USUAL_NOUN)
    return noun.split(" ", 1)[1].capitalize() if noun.startswith(("a ", "an ")) else noun.capitalize()


def _reasons(memory: Memory) -> Iterator[str]:
    """What the memory's own fields give as reasons, where its one line does not say it."""
    shown = words_of(memory, QUOTED)
    for name, before in (("rationale", "Reason"), ("context", "Context"), ("reason", "Reason")):
        # Only the beginning is compared: the line that is shown may be cut.
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
    # `Signed-off-by:` and its like: a message's own words before a colon rarely have a hyphen.
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
NEAR_TITLE = "## Near, but it may not answer"
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
        near: what may bear on it; beside claims as far as there is room.
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
        # By identity: of two equal claims, only one may have room.
        shown = set(map(id, by_weight))
        some = [one for one in kept if id(one) in shown]
        text = _text(head, some)
        if (tokens := count(text)) <= budget:
            text, tokens = _with_near(text, tokens, near, budget, count)
            return Told(text, tokens, tuple(some), len(claims) - len(some))
        # As many at once as the excess suggests, but half of that: each attempt counts the whole text anew.
        by_weight = by_weight[: len(by_weight) - max(1, (tokens - budget) * len(by_weight) // (2 * tokens))]
    # Nothing fits whole: the beginning of the first claim says more than none.
    text = _shortest(kept[0], budget, count)
    return Told(text, count(text), (kept[0],) if text != NOTHING else (), len(claims) - (text != NOTHING))


def _with_near(
    text: str, tokens: int, near: Sequence[Bearing], budget: int, count: Callable[[str], int]
) -> tuple[str, int]:
    """The text with what is only near after it, where there is room for that."""
    if near:
        longer = "\n".join([text, "", NEAR_TITLE, *_named_only(near)])
        if (more := count(longer)) <= budget:
            return longer, more
    return text, tokens


def _named_only(near: Sequence[Bearing]) -> list[str]:
    return [f"- “{words_of(one.memory, SHORT)}” [{one.memory.id[:SHORT_ID]}]" for one in near]


def _nothing(head: str, near: Sequence[Bearing], budget: int, count: Callable[[str], int]) -> Told:
    """That nothing is known, and what may bear on it, as far as there is room."""
    lines = _named_only(near)
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
        # By a quarter, so that a long claim is cut in a few attempts.
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
            # A relation between two memories that are both there is told even when the limit is met.
            if far not in paths and len(paths) >= most + len(starts):
                continue
            path = (*paths[near], relation)
            found.append(Link(near, relation, path))
            if far not in paths:
                paths[far] = path
                # Never back: what else a cause led to does not account for the memory.
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
            for one in relations.find_touching([id_ for id_ in ids if id_ in asked]):
                # What only may contradict is told of the memories that are asked about, and not on the way
                # from them.
                if one.type is RelationType.CONTRADICTS and one.status is RelationStatus.SUGGESTED:
                    yield one

    return relations_of


# -- what a question for reasons is about: a place, a pattern, a memory, a symbol, or what it asks in words


_ID = lazy(r"[0-9a-fA-F]{6,32}|[0-9a-fA-F]{8}-[0-9a-fA-F-]{1,27}")
_PLACE = lazy(r"(?P<path>[^\n\0]{1,4096}?)(?::(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?)?")
_SYMBOL = lazy(r"[A-Za-z_$][\w$]{1,99}(?:(?:\.|::|#)[A-Za-z_$][\w$]{0,99}){0,5}(?:\(\))?")


def subject_of(
    about: str, *, is_file: Callable[[str], bool], is_memory: Callable[[str], bool],
    is_pattern: Callable[[str], bool], is_symbol: Callable[[str], bool],
) -> Subject:  # fmt: skip
    """What is asked about; whatever names nothing that is known is a question.

    Args:
        about: `PATH`, `PATH:LINE`, `PATH:FIRST-LAST`, a symbol, the id of a pattern or a memory, or words.
        is_file: whether the project has or had a file, so that memories or commits may know of it.
        is_memory: whether the beginning of an id is one of a memory.
        is_pattern: whether a memory explains the pattern with that id.
        is_symbol: whether the project's code defines a name.
    """
    asked = about.strip()
    # In the order of how surely a text names something: a path that is there is hardly meant as a question.
    place = _PLACE.fullmatch(asked)
    if place and is_file(place["path"]):
        first = int(place["first"]) if place["first"] else None
        last = int(place["last"]) if place["last"] else first
        return Subject("place", asked, place["path"], first, last)
    if is_pattern(asked):
        return Subject("pattern", asked)
    if _ID.fullmatch(asked) and is_memory(asked):
        return Subject("memory", asked)
    if _SYMBOL.fullmatch(asked) and is_symbol(asked.removesuffix("()")):
        return Subject("symbol", asked, symbol=asked.removesuffix("()"))
    return Subject("question", asked)


def last_part(symbol: str) -> str:
    """The name itself of a symbol with the names around it: `evict` of `Cache.evict`."""
    return re.split(r"\.|::|#", symbol)[-1]


# -- which memories account for a place of code, and how much each bears on it


LEAST = 0.35
"""What a memory must reach to be told."""
_BY_KIND = {
    "decision": 1.0, "decision_context": 1.0, "pattern_rationale": 1.0, "constraint_override": 1.0,
    "incident": 1.0, "tribal": 0.95, "architecture": 0.9, "core": 0.8, "code_smell": 0.9, "feedback": 0.8,
    "preference": 0.8, "insight": 0.8, "semantic": 0.8, "procedural": 0.7, "workflow": 0.7,
    "code_description": 0.5, "episodic": 0.4, "progress": 0.4, "conversation": 0.3, "code": 0.0,
}  # fmt: skip
"""How well a kind of memory says why: what was decided and what went wrong do, what code does does not."""
_USUAL_KIND = 0.7


class Trail(Value, frozen=True):
    """What leads from a place of code to memories.

    Attributes:
        of_line, of_symbol: the commits that changed the line, or the definition around it, the latest first.
        made_by: the exchange that made each of some commits, by hash; `likely` are the hashes of those that
            did not print it, but edited the file shortly before.
        uncommitted: whether the line, or a part of the lines, is not committed yet.
    """

    subject: Subject
    of_line: Sequence[Commit] = ()
    of_symbol: Sequence[Commit] = ()
    made_by: Mapping[str, Exchange] = field(default_factory=dict)
    likely: frozenset[str] = frozenset()
    uncommitted: bool = False

    @property
    def commits(self) -> tuple[Commit, ...]:
        """Every commit, those of the line first."""
        return tuple({one.hash: one for one in (*self.of_line, *self.of_symbol)}.values())


def bearings(trail: Trail, memories: Iterable[Memory]) -> list[Bearing]:
    """The memories that bear on a place enough to be told, the most relevant first."""
    # The words that say what the place is about: its symbol, its file, and its commits' subjects.
    said = " ".join((trail.subject.symbol, *(one.subject for one in trail.commits)))
    topic = topic_stems(said)
    # By id, as a memory may be found by its file as well as by its session.
    weighed = (_bearing(trail, memory, topic) for memory in {one.id: one for one in memories}.values())
    kept = [one for one in weighed if one and one.relevance >= LEAST]
    return sorted(kept, key=lambda one: (-one.relevance, -one.memory.confidence, one.memory.id))


def _bearing(trail: Trail, memory: Memory, topic: Collection[str]) -> Bearing | None:
    ways = [way for way in (_cites(trail, memory), _comes_from(trail, memory, topic)) if way]
    if not ways:
        return None
    # The best way counts and not their sum: a memory that cites the lines mostly comes from their commit,
    # too.
    weight, because = max(ways)
    return Bearing(memory, round(weight * _BY_KIND.get(memory.kind, _USUAL_KIND), 3), because)


def _cites(trail: Trail, memory: Memory) -> tuple[float, str] | None:
    subject = trail.subject
    if subject.symbol and any(
        (one.name == subject.symbol or last_part(one.name) == last_part(subject.symbol))
        for one in memory.functions
    ):
        return 0.95, f"it is about `{subject.symbol}`"
    links = [link for link in memory.files if link.path == subject.path]
    if not links:
        return None
    if subject.first is None:
        return 0.8, "it cites this file"
    last = subject.last or subject.first
    near = [(one.line_start, one.line_end or one.line_start) for one in links if one.line_start is not None]
    if any(start <= last and end >= subject.first for start, end in near):
        return 1.0, "it cites these lines"
    if subject.symbol and subject.symbol in memory.text:
        return 0.9, f"it names `{subject.symbol}` and cites this file"
    return (0.3, "it cites other lines of this file") if near else (0.5, "it cites this file")


def _comes_from(trail: Trail, memory: Memory, topic: Collection[str]) -> tuple[float, str] | None:
    source = memory.source
    for share, commits in ((1.0, trail.of_line), (0.85, trail.of_symbol)):
        for place, commit in enumerate(commits):
            # A commit further back, or one of another part of the definition, says less of the line.
            fresh = share * (1.0 if place == 0 else 0.85)
            if source.commit and commit.hash.startswith(source.commit):
                return 0.95 * fresh, f"it comes from commit {commit.hash[:7]}"
            made = trail.made_by.get(commit.hash)
            if made and source.session == made.session:
                turn = memory.source.turn
                inside = turn is not None and made.first_turn <= turn <= made.last_turn
                # The share of a text's words that the topic has, doubled up to 1.
                # A whole session had many subjects, so that shared words count more there than within the
                # one exchange.
                own = topic_stems(memory.text)
                shared = min(2 * len(own & frozenset(topic)) / len(own), 1.0) if own else 0.0
                if inside:
                    because = f"it was learned while commit {commit.hash[:7]} was made"
                    return (0.6 + 0.3 * shared) * fresh, because
                return (
                    0.2 + 0.5 * shared
                ) * fresh, f"it was learned in the session that made commit {commit.hash[:7]}"
    return None
