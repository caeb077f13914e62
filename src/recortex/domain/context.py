"""What is known for a task, why something is as it is, and what became of code that an agent wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from recortex.domain.kinds import Kind
from recortex.domain.memory import Freshness
from recortex.domain.vocabulary import Status
from recortex.lean import NamedTuple, Value

if TYPE_CHECKING:
    from recortex.domain.memory import Memory

GivenFor = Literal["instruction", "files", "near", "task", "document", "said", "predicted"]
"""Why something is told: it stands for all such work; it is about a file in view, or about one that this one
calls or is called by; it answers the task; a document says so; it was said in a session; it is probably
needed, by what the session did."""


class ContextEntry(Value, frozen=True, kw_only=True):
    """Something that is told.

    Attributes:
        id: of a memory, of a part of a document, or of an exchange where it was said.
        group: its heading.
        level: how much of it is told: 0 the id, 1 a line, 2 with examples and reasons, 3 everything.
        tokens: of its lines, in cl100k_base.
        relevance: 0 to 1, before importance and intent.
    """

    id: str
    kind: str
    group: str
    why: GivenFor
    level: int
    tokens: int
    relevance: float


class FrameEntry(Value, frozen=True, kw_only=True):
    """Something that a frame tells.

    Attributes:
        id: of a memory, or of the part of a document that it begins with.
        place: where it stands in a document; empty for a memory.
        score: 0 to 1.
        tokens: of its text, of several parts together as each has them.
    """

    id: str
    place: str
    score: float
    tokens: int


class Frame(Value, frozen=True, kw_only=True):
    """A task with what is known for it, the strongest where a model looks most (E, Assembler).

    Attributes:
        text: the task, parts of documents, memories, the state and the instructions, in that order; of the
            parts and of the memories the best first, the second best last, and so on inward. One line where
            nothing bears on the task and nothing else was given.
        tokens: of the text, at most the budget.
        sections: tokens of each section that there is.
        knowledge, learnings: what the text tells of documents and memories, in its order.
        left_out: how many had no room.
        degraded: what could not be used.
    """

    task: str
    text: str
    tokens: int
    budget: int
    sections: dict[str, int]
    knowledge: tuple[FrameEntry, ...] = ()
    learnings: tuple[FrameEntry, ...] = ()
    left_out: int = 0
    degraded: tuple[str, ...] = ()


class Context(Value, frozen=True, kw_only=True):
    """What is known for a task: a text for the agent, and what is in it.

    Attributes:
        intent: what the task is about; it decides which kinds count more.
        text: warnings first, then rules, decisions and the rest, then documents, then what was said.
        tokens: of the text, at most the budget.
        entries: what the text tells, in its order.
        left_out: how many were left out, by reason: `budget`, or `given` in this session before.
        degraded: what could not be used.
    """

    task: str
    intent: str
    text: str
    tokens: int
    budget: int
    entries: tuple[ContextEntry, ...] = ()
    left_out: dict[str, int]
    degraded: tuple[str, ...] = ()


# -- what to watch out for, and what else is worth knowing, where certain files are worked on


Severity = Literal["critical", "error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("critical", "error", "warning", "info")
"""The gravest first."""
Reason = Literal["follow", "related", "check", "waiting"]


class Warned(Value, frozen=True, kw_only=True):
    """A memory that warns.

    Attributes:
        id: of the memory.
        text: what it says.
        advice: consequences, and what to do instead, where its fields say so.
        about: the files in view that it is about; none where it was found by the focus.
        freshness: whether the cited files still read as they did.
        pattern_state: how the patterns that it is linked to stand, as counted last.
    """

    id: str
    kind: str
    severity: Severity
    text: str
    advice: str = ""
    about: tuple[str, ...] = ()
    freshness: Freshness = "none"
    pattern_state: tuple[str, ...] = ()


class Warnings(Value, frozen=True, kw_only=True):
    """What to watch out for, the gravest first.

    Attributes:
        more: how many less grave ones were left out.
    """

    warnings: tuple[Warned, ...] = ()
    more: int = 0


class Suggestion(Value, frozen=True, kw_only=True):
    """Something else worth knowing.

    Attributes:
        id: of the memory, or of the part of a document.
        kind: of the memory; `document` for a part of one.
        reason: it shows how things are done here (`follow`); it bears on the work, or is linked to what is
            known of it (`related`); the code that it cites changed, or nobody has confirmed it for long
            (`check`); it waits for a person's review (`waiting`).
        because: the reason in words.
    """

    id: str
    kind: str
    reason: Reason
    text: str
    because: str


class Suggestions(Value, frozen=True, kw_only=True):
    """What else is worth knowing, by reason."""

    suggestions: tuple[Suggestion, ...] = ()


# -- why something is as it is: sentences, each with what it rests on


SubjectKind = Literal["memory", "place", "symbol", "pattern", "question"]
EvidenceKind = Literal["memory", "commit", "exchange", "document"]
Section = Literal[
    "history", "decisions", "constraints", "patterns", "warnings", "knowledge",
    "origins", "effects", "support", "conflicts",
]  # fmt: skip
Verbosity = Literal["summary", "detailed", "comprehensive"]
PictureFormat = Literal["mermaid", "dot", "svg"]


class Subject(Value, frozen=True):
    """What is asked about.

    Attributes:
        name: as it was asked for; of a memory its id.
        path, first, last: the place in the project, where there is one; lines from 1, the last inclusive.
        symbol: the definition that the place lies in.
    """

    kind: SubjectKind
    name: str
    path: str = ""
    first: int | None = None
    last: int | None = None
    symbol: str = ""


class Evidence(Value, frozen=True):
    """What a sentence rests on.

    Attributes:
        id: of a memory, an exchange or a part of a document, or the hash of a commit.
        quote: its own words, shortened.
    """

    kind: EvidenceKind
    id: str
    quote: str = ""


class Claim(Value, frozen=True):
    """A sentence with its evidence, of which there is always some.

    Attributes:
        confidence: 0 to 1: of a chain of relations 60 % of the weakest and 40 % of the mean.
    """

    section: Section
    text: str
    evidence: tuple[Evidence, ...]
    confidence: float = 1.0


class Bearing(NamedTuple):
    """A memory that bears on a subject.

    Attributes:
        relevance: 0 to 1.
        because: how, in words.
        words: of its record that are nearest to what was asked.
    """

    memory: Memory
    relevance: float
    because: str
    words: str = ""


class Accounting(Value, frozen=True):
    """A memory that accounts for what was asked about.

    Attributes:
        relevance: 0 to 1.
        because: how it bears on the subject, such as "cites these lines".
    """

    id: str
    kind: Kind
    summary: str
    status: Status
    relevance: float
    because: str


class Why(Value, frozen=True, kw_only=True):
    """Why something is as it is.

    Attributes:
        text: what is told, in sentences with their evidence in brackets, within the budget.
        tokens: of the text, in cl100k_base.
        claims: the sentences of the text, in its order.
        answers: the memories that account for it, the likeliest first.
        confidence: of the answer, 0 to 1; 0 where there is none.
        near: decision records that may bear on a question and do not surely answer it.
        left_out: sentences that had no room.
        picture: the graph in the format that was asked for.
        degraded: what could not be used.
    """

    about: str
    subject: Subject
    text: str
    tokens: int
    budget: int
    claims: tuple[Claim, ...] = ()
    answers: tuple[Accounting, ...] = ()
    near: tuple[Accounting, ...] = ()
    confidence: float = 0.0
    left_out: int = 0
    picture: str = ""
    degraded: tuple[str, ...] = ()


# -- what an agent should know while it writes code, and what became of what it wrote


Share = Literal["patterns", "tribal", "constraints", "antipatterns", "related"]
Influence = Literal[
    "pattern_followed", "tribal_applied", "constraint_enforced", "antipattern_avoided", "knowledge_used"
]
Outcome = Literal["accepted", "modified", "rejected"]


class Provenance(Value, frozen=True, kw_only=True):
    """A memory that may have influenced what is written.

    Attributes:
        id: of the memory.
        influence: what following it means.
        comment: the inline comment that says so, without the signs of a comment.
        tokens: of its lines in the text.
    """

    id: str
    kind: str
    share: Share
    influence: Influence
    comment: str
    tokens: int


class Conflict(Value, frozen=True, kw_only=True):
    """A line of code or plan that may go against a memory.

    Attributes:
        id: of the memory.
        line: from 1.
        found: what of the line is meant.
        because: what the memory says.
    """

    id: str
    line: int
    found: str
    because: str


class GenerationContext(Value, frozen=True, kw_only=True):
    """What to know before writing code.

    Attributes:
        generation: names this answer when its outcome is told; empty where nothing was given.
        text: for the agent, by share.
        tokens: of the text and the comments, at most the budget.
        spent: tokens by share.
        provenance: what the text tells, in its order.
        conflicts: what of the code or plan that was given may go against what is known.
    """

    generation: str
    text: str
    tokens: int
    budget: int
    spent: dict[str, int]
    provenance: tuple[Provenance, ...] = ()
    conflicts: tuple[Conflict, ...] = ()


class GenerationOutcome(Value, frozen=True, kw_only=True):
    """What the outcome of a generation changed.

    Attributes:
        confidence: of each memory that had influence, by id, as it is now; empty where the outcome was told
            before.
    """

    generation: str
    outcome: Outcome
    confidence: dict[str, float]
