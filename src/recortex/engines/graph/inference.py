"""Infers what probably led to what among memories: from courses of events, and from reasons that are given.

A relation needs a course of events, or a reason that the later memory gives, and enough of six signals whose
weights are the specification's. The thresholds follow from real sessions (`bench/causal_edges.py`).
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.memory import Relation
from recortex.domain.text import lazy
from recortex.domain.vocabulary import RelationStatus, RelationType
from recortex.text.words import bag_of_words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from datetime import datetime

    from recortex.domain.memory import Memory

    Cosine = Callable[[str, str], float | None]

CAUSES = 2
"""The surest causes of a memory that are kept."""
ALONE, WITHIN = 0.6, 12
"""The score that a pair needs without a course of events, and the turns within which a reason is given."""
IN_COURSE, DECIDED = 0.3, 0.545
"""The score that a pair needs with one, and with a decision."""
REPEATED, QUOTED = 0.6, 0.5
"""The share of words by which a memory says another again, and by which a correction quotes a statement."""
LEAST_WORDS, SHORT_ID = 3, 8
"""Words in common that show the same matter, and characters of an id that name a memory."""
UNRELATED, SAME = 0.2, 0.8
"""A cosine of unrelated statements, and of ones that say the same (bench/likeness.py)."""
_NAME = lazy(
    r"`([^`\s]{2,80})`|(?<![\w/\\])((?:[\w.@-]{0,80}[/\\]){1,20}[\w.-]{1,80}"
    r"|\w{1,80}\.(?:py|ts|tsx|js|go|rs|java|md|json|ya?ml|toml|sh|css|html|sql)"
    r"|[A-Za-z]\w{0,80}_\w+|[a-z]{1,80}[A-Z]\w*|[A-Z][a-z]{1,80}[A-Z]\w*|[A-Z]{2,80}\d*)(?!\w)"
)
"""What stands as code, paths, names in snake and camel case, abbreviations."""
_REASON = lazy(
    r"\b(?:because|since|due to|therefore|thus|hence|caused by|as a result|that(?:'s| is) why|which is why|"
    r"given that|in order to|to (?:avoid|fix|prevent)|fix(?:es|ed)?|instead of|so that|no longer|reverts?)\b",
    re.IGNORECASE,
)
_FAILURE = lazy(
    r"\b(?:fail(?:s|ed|ing|ure)?|errors?|broken|breaks|crash\w*|bugs?|root cause|cannot|can't|does not work"
    r"|missing|rejected|blocked|wrong|problems?|no way (?:around|to)|incorrect(?:ly)?|undefined"
    r"|not (?:defined|found|available)|never (?:set|called|runs))\b",
    re.IGNORECASE,
)
_REMEDY = lazy(
    r"\b(?:fix(?:es|ed)?|use|set|add(?:ed)?|ensure|must|should|will|replace[ds]?|instead|now|needs? to"
    r"|move[ds]?|keep|switch(?:ed)?|chang(?:e|ed)|updat(?:e|ed))\b",
    re.IGNORECASE,
)
_REVERT = lazy(
    r"\b(?:revert\w*|roll(?:ed)? back|undo|go(?:ing)? back to|restor\w+|removed? .{0,30}again)\b",
    re.IGNORECASE,
)
_QUOTES = "(the agent had "  # how a correction quotes what it corrects
_CORRECTIONS = ("person_corrected", "person_overstep", "person_objected", "person_undid")


class Said:
    """A memory as it is compared: its words and names without those that tell nothing.

    Attributes:
        at: when it was said, and in which turn.
        text: without what a correction quotes of the agent.
        words, names, quoted: of the text, in small letters; `quoted` has the words of the quotation.
        correction, decision, failure, remedy: its part in the course of a session.
    """

    def __init__(self, memory: Memory, common: frozenset[str]) -> None:
        self.memory, self.at = memory, (memory.valid_from, memory.source.turn or 0)
        self.text, _, quoted = memory.text.partition(_QUOTES)
        self.words, self.quoted = bag_of_words(self.text) - common, bag_of_words(quoted) - common
        self.names = names_of(memory) - common
        self.correction = memory.source.rule.startswith(_CORRECTIONS) or memory.kind == "feedback"
        self.decision = memory.kind == "decision" and not self.correction
        self.failure = memory.kind in {"incident", "code_smell"} or bool(_FAILURE.search(self.text))
        self.remedy = bool(_REMEDY.search(self.text))
        self.by_agent = memory.source.speaker == "assistant"


class Course(NamedTuple):
    """What a course of events says of two memories.

    Attributes:
        type: `caused` from the earlier memory to the later one, or `triggered_by` back.
        evidence: a sentence.
        least: the score that the pair needs.
    """

    type: RelationType
    evidence: str
    least: float = IN_COURSE


class Pair:
    """A memory, one that was said later, and what both have in common.

    Attributes:
        turns: how many turns later the second was said; None where they are of two sessions.
    """

    def __init__(self, cause: Said, effect: Said) -> None:
        self.cause, self.effect = cause, effect
        self.names, self.words = cause.names & effect.names, cause.words & effect.words
        first, then = cause.memory.source, effect.memory.source
        apart = not first.session or first.session != then.session or first.turn is None or then.turn is None
        self.turns = None if apart else (then.turn or 0) - (first.turn or 0)

    def later(self, within: int) -> str:
        """In words, as in `4 turns later`, where the second was said so soon; else nothing."""
        if self.turns is None or not 0 < self.turns <= within:
            return ""
        return f"{self.turns} turn{'s' if self.turns > 1 else ''} later"

    def same_matter(self, words: int = LEAST_WORDS) -> bool:
        """Whether both name the same thing, or share so many words."""
        return bool(self.names) or len(self.words) >= words

    def named_by_id(self) -> bool:
        """Whether the later one names the earlier one by its id."""
        return self.cause.memory.id[:SHORT_ID] in self.effect.text

    def comparable(self) -> bool:
        """Whether there is anything in common to rest on, and neither says the other again: most fail."""
        fewest = min(len(self.cause.words), len(self.effect.words))
        # What was said in the same turn has no order, and so is no cause of the other.
        if self.cause.at == self.effect.at or not fewest or len(self.words) / fewest > REPEATED:
            return False
        return self.same_matter() or bool(self.effect.quoted) or self.named_by_id()

    def reference(self) -> float:
        """How surely the later one says that it follows from the earlier one, 0 to 1."""
        if self.named_by_id():
            return 1.0
        if not _REASON.search(self.effect.text):
            return 0.0
        if self.names:
            return min(1.0, 0.5 + 0.25 * len(self.names))
        return 0.5 if len(self.words) >= LEAST_WORDS else 0.0

    def gives_reason(self) -> bool:
        """Whether the later one refers to the earlier one, and is no further failure of the same thing."""
        kinds = {self.cause.memory.kind, self.effect.memory.kind}
        again = self.cause.failure and self.effect.failure and not self.effect.remedy
        return bool(self.later(WITHIN)) and self.reference() > 0 and not again and kinds != {"incident"}

    def score(self, cosine: float | None) -> float:
        """The weighed mean of the six signals, 0 to 1; `cosine` of the vectors of both, if they have any."""
        one, other = self.cause.memory, self.effect.memory
        if self.turns is None:  # of two sessions: half to begin with, halved every day
            soon = 0.5 ** (1 + abs((other.valid_from - one.valid_from).total_seconds()) / 86_400)
        else:
            soon = 0.5 ** (abs(self.turns) / 20)
        if cosine is not None:
            alike = (cosine - UNRELATED) / (SAME - UNRELATED)
        else:
            alike = 2 * len(self.words) / max(len(self.cause.words | self.effect.words), 1)
        fewest = min(len(self.cause.names), len(self.effect.names))
        weighed = (
            (0.2, soon),
            (0.3, min(1.0, max(0.0, alike))),
            (0.25, len(self.names) / fewest if fewest else 0.0),
            (0.4, self.reference()),
            (0.15, bool({link.id for link in one.patterns} & {link.id for link in other.patterns})),
            (0.1, bool({link.path for link in one.files} & {link.path for link in other.files})),
        )
        # The weights add up to 1.4, so that the sum alone could exceed 1.
        return sum(weight * value for weight, value in weighed) / sum(weight for weight, _ in weighed)


def course(pair: Pair) -> Course | None:
    """The surest course of events that two memories show: correction, remedy, taking back, decision."""
    cause, effect = pair.cause, pair.effect
    if cause.by_agent and effect.correction:
        # One that quotes the statement may come later than one on the same matter.
        quotes = bool(effect.quoted) and len(effect.quoted & cause.words) / len(effect.quoted) >= QUOTED
        if (when := pair.later(8 if quotes else 3)) and (quotes or pair.same_matter()):
            least = 0.0 if quotes else IN_COURSE
            return Course(RelationType.TRIGGERED_BY, f"The person corrected it {when}.", least)
    fixes = cause.failure and not cause.correction and effect.remedy and not effect.failure
    if fixes and pair.names and (when := pair.later(40 if len(pair.names) > 1 else 10)):
        return Course(RelationType.TRIGGERED_BY, f"It tells what to do about what failed, {when}.")
    if cause.decision and _REVERT.search(effect.text) and pair.same_matter():
        return Course(RelationType.TRIGGERED_BY, "It takes back what was decided.")
    if cause.correction:
        if (when := pair.later(4)) and effect.by_agent and pair.same_matter(words=2):
            return Course(RelationType.CAUSED, f"It follows the correction, {when}.")
    elif pair.names and effect.decision and (when := pair.later(WITHIN)):
        return Course(RelationType.CAUSED, f"It was decided {when}.", DECIDED)
    return None


def infer(
    memories: Sequence[Memory], cosine: Cosine, now: datetime, common: Collection[str] = ()
) -> list[Relation]:
    """What probably led to what among some memories; each relation waits for a person.

    Args:
        memories: of a session, or others that are near each other.
        cosine: of the vectors of two memories, by their ids; None where one has none.
        now: when it is inferred.
        common: names that tell nothing (`common_names`).
    """
    found: dict[str, list[tuple[float, Relation]]] = {}
    for effect, score, relation in _inferred(memories, cosine, now, frozenset(common)):
        found.setdefault(effect, []).append((score, relation))
    best = (sorted(of, key=lambda one: -one[0])[:CAUSES] for of in found.values())
    return [relation for of in best for _, relation in of]


def _inferred(
    memories: Sequence[Memory], cosine: Cosine, now: datetime, common: frozenset[str]
) -> Iterator[tuple[str, float, Relation]]:
    known = sorted((Said(one, common) for one in memories), key=lambda one: (one.at, one.memory.id))
    # In the order of time, so that the first one of each pair can be the cause.
    for pair in (Pair(cause, effect) for cause, effect in combinations(known, 2)):
        if not pair.comparable() or not ((seen := course(pair)) or pair.gives_reason()):
            continue
        ends = pair.cause.memory.id, pair.effect.memory.id
        score = pair.score(cosine(*ends))
        if score < (seen.least if seen else ALONE):
            continue
        type_, evidence = seen[:2] if seen else (RelationType.CAUSED, "It gives the other as its reason.")
        source, target = ends if type_ is RelationType.CAUSED else ends[::-1]
        why = (evidence, f"Both name {', '.join(sorted(pair.names)[:3])}.") if pair.names else (evidence,)
        waits = RelationStatus.SUGGESTED
        made = Relation(source, target, type_, now, round(score, 3), why, inferred=True, status=waits)
        yield ends[1], score, made


def common_names(memories: Sequence[Memory]) -> frozenset[str]:
    """The names that more than a twentieth of a project's memories mention, and more than three."""
    counts = Counter(name for one in memories for name in names_of(one))
    least = max(3, len(memories) / 20)
    return frozenset(name for name, count in counts.items() if count > least)


def names_of(memory: Memory) -> frozenset[str]:
    """The names that a memory mentions or is linked to, in small letters; files without their folders."""
    said = (found[1] or found[2] for found in _NAME.finditer(memory.text.partition(_QUOTES)[0]))
    linked = (*(one.path for one in memory.files), *(one.name for one in memory.functions))
    named = (re.split(r"[/\\]", name.lower().strip(".()@"))[-1] for name in (*said, *linked))
    return frozenset(name for name in named if len(name) > 1)
