"""Code that is about to be written: what it may go against, what to tell of it, and what its outcome changes.

A conflict is only possible ("may"): nothing here understands code. What counts is a name that a statement
forbids in the same clause and writes as code, words that an order forbids, and what a smell shows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.context import SEVERITIES, Conflict, Provenance
from recortex.domain.kinds import KINDS, ConstraintOverride
from recortex.domain.text import clean, shorten
from recortex.domain.vocabulary import Importance
from recortex.engines.compression import BREAK, Level, Weighed, pack
from recortex.engines.similarity import SIMILAR, jaccard
from recortex.engines.tables import Patterns
from recortex.text.words import (
    PADDING,
    STOP_WORDS,
    identifier_parts,
    stem,
    topic_stems,
    word_set,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from recortex.domain.context import Influence, Outcome, Severity, Share, Warned
    from recortex.domain.memory import Memory
    from recortex.engines.compression import Compressed


# -- where an approved exception to a constraint holds, and which statements it excuses


LEAST_WORDS = 2
"""Words of a constraint's name by which a statement is recognised as that constraint."""


def holds_for(exception: Memory, path: str) -> bool:
    """Whether an exception names a file, a folder that it lies in, or files of the folder that is named."""
    content = exception.content
    if not isinstance(content, ConstraintOverride) or not content.scope_target:
        return False
    target = content.scope_target.removeprefix("./")
    if content.scope_type == "file":
        return path == target or (path.endswith("/") and target.startswith(path))
    if content.scope_type != "directory":
        return False
    folder = f"{target.rstrip('/')}/"
    return path.startswith(folder) or (path.endswith("/") and folder.startswith(path))


def excused(memory: Memory, exceptions: Sequence[Memory], code: str, files: Sequence[str]) -> bool:
    """Whether an approved exception lets code go against a memory.

    It does so everywhere, in its files, or in its function.

    Args:
        memory: that forbids something.
        exceptions: those that hold.
        code: that is checked.
        files: that it is for.
    """
    return any(_excepts(one.content, memory) and _covers(one, code, files) for one in exceptions)


def _excepts(content: object, memory: Memory) -> bool:
    if not isinstance(content, ConstraintOverride):
        return False
    known = {memory.id} | {text for link in memory.constraints for text in (link.id, link.name)}
    if ({content.constraint_id, content.constraint_name} - {""}) & known:
        return True
    named = topic_stems(content.constraint_name)
    # A name of one word, such as "style", would excuse every statement that has the word.
    return len(named) >= LEAST_WORDS and named <= topic_stems(memory.text)


def _covers(exception: Memory, code: str, files: Sequence[str]) -> bool:
    content = exception.content
    assert isinstance(content, ConstraintOverride)  # noqa: S101  only those are asked
    match content.scope_type:
        case "global":
            return True
        case "function":
            return bool(content.scope_target) and content.scope_target in code
        # Nothing here can tell whether code follows a pattern, so that such an exception excuses nothing.
        case "pattern":
            return False
        case _:
            # Where no file is named, nobody knows whether the exception's place is meant.
            return bool(files) and all(holds_for(exception, path) for path in files)


# -- what a statement forbids in plain words: `Never push to main` names no code, and is meant all the same


PROHIBITIONS_PATTERNS = Patterns(__file__, "generation/prohibitions")
_WORD = re.compile(r"[^\W_]+")
_VERBS = word_set("use using used add write put call have create introduce make do import leave")
"""Verbs that say nothing beside their object: whoever writes the object does it."""
_PADDING = PADDING | word_set("straight directly ever just simply again also please manually")
_READ = 2_000
_LONGEST_CLAUSE = 2_000
"""Characters of a clause of a plan that are compared."""
_SOURCE = {"ts": "typescript", "tsx": "typescript", "js": "javascript", "py": "python", "rb": "ruby"}
"""Languages that a file's name tells by another word than people say."""


@dataclass(frozen=True, slots=True)
class Prohibition:
    """Something forbidden.

    Attributes:
        words: stems that stand together in what is forbidden.
        function_word: the one word, where it means something only as code (`any`); else empty.
        place: stems of where it is forbidden; none: everywhere.
    """

    words: frozenset[str]
    function_word: str = ""
    place: frozenset[str] = frozenset()

    def holds(self, places: Sequence[str]) -> bool:
        """Whether it may hold for one of some files; where none is known, it may."""
        # A path is compared with the language of its file, in the word that people use, beside it.
        return not (self.place and places) or any(
            self.place <= stems(f"{path} {_SOURCE.get(PurePosixPath(path).suffix[1:].lower(), '')}")
            for path in places
        )

    def found_in(self, line: str) -> str:
        """The clause of a line that goes against it; empty where none does."""
        if self.function_word:
            # Only where it stands as a type (`: any`, `<any>`, `(any)`): as an English word it is everywhere.
            hit = re.search(rf"[:<(|,]\s*{re.escape(self.function_word)}\s*(?=[>),;\[|=])", line)
            return hit[0].strip() if hit else ""
        return next((clause.strip() for clause in _clauses(line) if self.words <= stems(clause)), "")


def prohibitions(text: str) -> list[Prohibition]:
    """What a statement forbids in plain words."""
    found = PROHIBITIONS_PATTERNS.imperative.finditer(text[:_READ])
    # `no mocks` and `avoid mocks` forbid things, the others an act.
    read = (
        _read(one[1], one[0].lstrip(" .;:!?\n").lower().startswith(("no ", "avoid ")))
        for one in found
        if not PROHIBITIONS_PATTERNS.condition.search(one[1])
    )
    return [one for one in read if one]


def stems(text: str) -> frozenset[str]:
    """The stems of all words of a text, and of the parts of its names."""
    return frozenset(
        stem(part.lower()) for word in _WORD.findall(text) for part in identifier_parts(word) or [word]
    )


def drop_prohibited(line: str) -> str:
    """A line without what it forbids itself: who writes `never push to main` does not do it."""
    return PROHIBITIONS_PATTERNS.negated.sub(" ", line)


def _read(clause: str, of_things: bool) -> Prohibition | None:
    what, _, where = PROHIBITIONS_PATTERNS.place.sub("\0", clause, count=1).partition("\0")
    words = [word.lower() for word in _WORD.findall(what)]
    if words and words[0] in _VERBS:
        words, of_things = words[1:], True
    meant = [word for word in words if word not in _PADDING]
    place = frozenset(stem(word.lower()) for word in _WORD.findall(where) if word.lower() not in STOP_WORDS)
    # An act alone ("do not close") says too little: what is not to be closed stands elsewhere.
    if len(meant) > 1 or (meant and of_things):
        return Prohibition(frozenset(stem(word) for word in meant), place=place)
    return Prohibition(frozenset(), words[0], place) if len(words) == 1 and not meant and of_things else None


def _clauses(line: str) -> Iterator[str]:
    return (clause[:_LONGEST_CLAUSE] for clause in PROHIBITIONS_PATTERNS.between.split(line))


# -- where code or a plan may go against what is known, by rules: what a memory forbids, or shows as bad


PATTERNS = Patterns(__file__, "generation/conflicts")
MOST_CHARACTERS = 100_000
"""Of the code or plan that is looked at."""
SHORTEST_LINE = 8
"""Characters of a line of a bad example that is looked for."""


def conflicts(
    memories: Sequence[Memory], code: str, files: Sequence[str] = (), exceptions: Sequence[Memory] = ()
) -> list[Conflict]:
    """Each line that may go against a memory, once for each memory.

    Args:
        memories: that hold.
        code: code or a plan.
        files: that it is for: what is forbidden elsewhere is none of theirs.
        exceptions: approved ones that hold now.
    """
    lines = code[:MOST_CHARACTERS].splitlines()
    holding = (memory for memory in memories if not excused(memory, exceptions, code, files))
    found = (one for memory in holding for one in _conflicts_with(memory, lines, files))
    return list({(one.id, one.line): one for one in found}.values())


def may_forbid(memory: Memory) -> bool:
    """Whether a memory says what is not to be done, or shows it."""
    return bool(
        PATTERNS.forbids.search(memory.text)
        or PROHIBITIONS_PATTERNS.imperative.search(memory.text)
        or _shown(memory)
        or _rule(memory)
    )


def _conflicts_with(memory: Memory, lines: Sequence[str], files: Sequence[str]) -> Iterator[Conflict]:
    named = forbidden(memory.text)
    names = [re.compile(rf"(?<!\w){re.escape(name)}(?!\w)") for name in named]
    # Where something is named as code, that is what is meant.
    orders = [] if named else [one for one in prohibitions(memory.text) if one.holds(files)]
    shown, rule = _shown(memory), _rule(memory)
    for number, line in enumerate(lines, 1):
        hit = next((found[0] for name in names if (found := name.search(line))), "")
        hit = hit or next((one for one in shown if one in line), "")
        hit = hit or next(filter(None, (one.found_in(drop_prohibited(line)) for one in orders)), "")
        hit = hit or (line.strip() if rule and _fits(rule, line) else "")
        if hit:
            because = memory.summary or memory.text
            yield Conflict(id=memory.id, line=number, found=shorten(hit), because=because)


def forbidden(text: str) -> list[str]:
    """The names that a statement forbids: `Never call `eval`` forbids `eval`."""
    found = (clause[1] for clause in PATTERNS.forbids.finditer(text[:2_000]))
    clauses = (PATTERNS.otherwise.split(clause)[0] for clause in found)
    names = (name for clause in clauses for name in PATTERNS.named.finditer(clause))
    return list(dict.fromkeys(next(filter(None, name.groups())).removesuffix("()") for name in names))


def _shown(memory: Memory) -> list[str]:
    """The lines of a smell's bad example, and its pattern as it is, but for what the good one has too."""
    if not getattr(memory.content, "auto_detect", True):
        return []
    good = getattr(memory.content, "example_good", "")
    bad = [*getattr(memory.content, "example_bad", "").splitlines(), getattr(memory.content, "pattern", "")]
    said = (line.strip() for line in bad)
    # A shorter line, such as `else:` or a brace, stands in any code.
    return [line for line in said if len(line) >= SHORTEST_LINE and line not in good]


def _rule(memory: Memory) -> list[str]:
    """The parts of a smell's rule, which a line has one after the other: `*` stands for anything between."""
    if not getattr(memory.content, "auto_detect", True):
        return []
    parts = [part.strip() for part in getattr(memory.content, "detection_rule", "").split("*")]
    return [part for part in parts if part]


def _fits(parts: Sequence[str], line: str) -> bool:
    place = 0
    for part in parts:
        found = line.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return True


# -- the shares of the budget: which memories each gathers, and how the text is laid out


class Gatherer(NamedTuple):
    """What a share gathers.

    Attributes:
        part: of the budget; what a share leaves goes on to the next ones.
        kinds: of memories; those of no share are related knowledge.
        influence: what following one of them means.
    """

    part: float
    title: str
    kinds: frozenset[str]
    influence: Influence


SHARES: dict[Share, Gatherer] = {
    "patterns": Gatherer(
        0.30,
        "Patterns to follow",
        frozenset(("pattern_rationale", "procedural", "workflow")),
        "pattern_followed",
    ),
    "tribal": Gatherer(
        0.25, "What nobody wrote down", frozenset(("tribal", "incident", "feedback")), "tribal_applied"
    ),
    "constraints": Gatherer(
        0.20,
        "Rules that hold",
        frozenset(("constraint_override", "preference", "core", "decision", "decision_context")),
        "constraint_enforced",
    ),
    "antipatterns": Gatherer(0.15, "What to avoid", frozenset(("code_smell",)), "antipattern_avoided"),
    "related": Gatherer(0.10, "Related", frozenset(), "knowledge_used"),
}
_LABELS: dict[Share, str] = {
    "patterns": "pattern",
    "tribal": "tribal",
    "constraints": "constraint",
    "antipatterns": "avoid",
    "related": "memory",
}
_COMMENT_CHARACTERS = 100


class LaidOut(NamedTuple):
    """The text, its tokens with those of the comments, those of each share, and what it tells."""

    text: str
    tokens: int
    spent: dict[str, int]
    provenance: tuple[Provenance, ...]


def share_of(memory: Memory) -> Share:
    """The share that gathers a memory: by kind, or as a constraint where it is linked to one."""
    for name, share in SHARES.items():
        if memory.kind in share.kinds:
            return name
    return "constraints" if memory.constraints else "related"


def comment(memory: Memory, share: Share) -> str:
    """The inline comment that tells of a memory's influence, without the signs of a comment."""
    if share == "patterns":
        named = next((link.name or link.id for link in memory.patterns), "")
        name = getattr(memory.content, "pattern_name", "") or named or memory.summary or memory.text
        return f"[recortex:pattern] {_short(name)} (confidence: {memory.confidence:.2f})"
    return f"[recortex:{_LABELS[share]}] {_short(memory.summary or memory.text)}"


def _short(text: str) -> str:
    return shorten(clean(text), _COMMENT_CHARACTERS)


def lay_out(
    ranked: Sequence[Weighed], budget: int, count: Callable[[str], int], parts: Mapping[str, float]
) -> LaidOut:
    """The text by shares, each within its part of the budget and what the ones before it left.

    Args:
        ranked: each memory once, with its relevance.
        budget: the most tokens of the text and the comments.
        count: tokens of a text.
        parts: the share of the budget by name, where it differs from the usual one.
    """
    lines: list[str] = []
    spent: dict[str, int] = {}
    told: list[Provenance] = []
    left = 0
    for name, share in SHARES.items():
        heading = f"## {share.title}"
        own = [one for one in ranked if share_of(one.memory) == name]
        left += int(budget * parts.get(name, share.part))
        memories = {one.memory.id: one.memory for one in own}
        comments = {id_: comment(memory, name) for id_, memory in memories.items()}
        entries = _packed(own, comments, left - count(heading) - BREAK, count)
        if not entries:
            continue
        lines += [heading, *(one.text for one in entries)]
        cost = sum(one.tokens + BREAK + count(comments[one.id]) for one in entries)
        spent[name] = cost + count(heading) + BREAK
        left -= spent[name]
        told += [
            Provenance(
                id=one.id,
                kind=memories[one.id].kind,
                share=name,
                influence=share.influence,
                comment=comments[one.id],
                tokens=one.tokens,
            )
            for one in entries
        ]
    text = "\n".join(lines)
    tokens = count(text) + sum(count(one.comment) for one in told)
    return LaidOut(text, tokens, spent, tuple(told))


def _packed(
    own: Sequence[Weighed], comments: Mapping[str, str], room: int, count: Callable[[str], int]
) -> list[Compressed]:
    """What of a share is told: lines with their comments within the room; an id alone tells nothing."""
    first = [one for one in pack(own, room, count, Level.EXAMPLES).entries if one.level]
    lines = sum(one.tokens + BREAK for one in first)
    beside = sum(count(comments[one.id]) for one in first)
    # Comments cost as well: lines get the part of the room that they took of both.
    rest = int(room * lines / (lines + beside)) if first else 0
    entries = [one for one in pack(own, rest, count, Level.EXAMPLES).entries if one.level]
    kept: list[Compressed] = []
    for one in entries:
        cost = one.tokens + BREAK + count(comments[one.id])
        if cost <= room:
            kept.append(one)
            room -= cost
    return kept


# -- how the outcome of what was written changes the confidence of what had influence


CHANGES: dict[Outcome, float] = {"accepted": 0.02, "modified": -0.01, "rejected": -0.05}
LOWEST, HIGHEST = 0.1, 0.98
"""Outcomes alone make nothing certain, and nothing worthless."""


def adjusted(confidence: float, outcome: Outcome) -> float:
    """The confidence after an outcome; one that is beyond the bounds already is not moved towards them."""
    changed = confidence + CHANGES[outcome]
    if CHANGES[outcome] > 0:
        return max(confidence, min(changed, HIGHEST))
    return min(confidence, max(changed, LOWEST))


# -- how grave what a memory warns of is, in which order warnings stand, and which say the same


WARNING_KINDS = tuple(
    kind
    for kind, content in KINDS.items()
    if content.category == "gotcha" or content.kind == "constraint_override"
)
_BY_IMPORTANCE: dict[Importance, Severity] = {
    Importance.CRITICAL: "critical",
    Importance.HIGH: "error",
    Importance.NORMAL: "warning",
    Importance.LOW: "info",
}


def severity(memory: Memory) -> Severity:
    """The graver of what its fields say and what its importance says.

    A field that holds its kind's usual value says nothing.
    """
    said = getattr(memory.content, "severity", None)
    usual = memory.content.usual.get("severity")
    found = [_BY_IMPORTANCE[memory.importance]]
    if said in SEVERITIES and said != usual:
        found.append(said)
    return min(found, key=SEVERITIES.index)


def advice(memory: Memory) -> str:
    """What happens otherwise, and what to do instead, by its fields; empty where they say nothing."""
    content = memory.content
    parts = (
        *getattr(content, "warnings", ()),
        *getattr(content, "consequences", ()),
        *getattr(content, "prevention", ()),
        getattr(content, "suggestion", ""),
    )
    return "; ".join(part for part in parts if part and part not in memory.text)


def ordered(found: Iterable[Warned]) -> list[Warned]:
    """The gravest first, those about files in view before others; of those that say the same the first."""
    kept: list[tuple[Warned, frozenset[str]]] = []
    for one in sorted(found, key=lambda one: (SEVERITIES.index(one.severity), not one.about)):
        said = topic_stems(one.text)
        if not any(one.id == other.id or jaccard(said, before) > SIMILAR for other, before in kept):
            kept.append((one, said))
    return [one for one, _ in kept]
