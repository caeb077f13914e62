"""What sessions, corrections and commits teach; and what validations, replays and transcripts report."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Literal

from recortex.domain.exchange import Role
from recortex.domain.memory import Memory, Relation
from recortex.domain.session import Channel, Use
from recortex.domain.vocabulary import Domain, Origin
from recortex.lean import NamedTuple, Value

# -- what extraction found in a session, before anything decides to keep it


class Candidate(Value, frozen=True):
    """A statement that may become a memory, with the evidence for it.

    Attributes:
        text: one self-contained statement, 25 to 400 characters, without Markdown emphasis.
        kind: the name of a kind.
        confidence: 0 to 1.
        rule: the name of the rule that found it, the key under which precision is measured.
        quote: the passage of the source that says it, shortened to 240 characters.
        turn_index: the turn that says it, as the reader counted.
        speaker: the role of that turn.
        origin: USER for the person's words, EXTRACTION for a statement that a rule composed from commands and
            their outcome, or a language model from what was said.
        active: whether it may be recalled at once; otherwise it waits as `proposed`.
        domain: the subject area.
        files: paths that the statement is about, as the session wrote them.
        commands: shell commands that the statement is about.
        evidence: how often the session said it.
    """

    text: str
    kind: str
    confidence: float
    rule: str
    quote: str
    turn_index: int
    speaker: Role
    origin: Origin
    active: bool
    turn_uuid: str = ""
    at: datetime | None = None
    domain: Domain = Domain.GENERAL
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    evidence: int = 1


# -- corrections: what was wrong with what an agent did, and what is right instead


Learning = Literal["added", "updated", "known"]
Answer = Literal["confirm", "reject", "modify"]
Doubt = Literal["uncertain", "never validated", "contradicted"]


class Category(StrEnum):
    """What sort of thing was corrected."""

    PATTERN_VIOLATION = "pattern_violation"
    TRIBAL_MISS = "tribal_miss"
    CONSTRAINT_VIOLATION = "constraint_violation"
    STYLE_PREFERENCE = "style_preference"
    NAMING_CONVENTION = "naming_convention"
    ARCHITECTURE_MISMATCH = "architecture_mismatch"
    SECURITY_ISSUE = "security_issue"
    PERFORMANCE_ISSUE = "performance_issue"
    API_MISUSE = "api_misuse"
    OTHER = "other"


class Change(Value, frozen=True):
    """A line that became another one."""

    before: str
    after: str


class Hunk(NamedTuple):
    """A place that a commit changed: the lines that it removed, and those that it added instead."""

    removed: tuple[str, ...]
    added: tuple[str, ...]


class Difference(Value, frozen=True, kw_only=True):
    """How a corrected text differs from the original, line by line, and what that means.

    Attributes:
        additions, removals: lines that only one of the two has.
        modifications: lines that stand for each other.
        renamed: names that became other ones wherever they stood.
        numbers: numbers that became other ones.
        negated: one of the two denies what the other says.
        layout: only space, case or punctuation differs.
        files: that a diff named.
    """

    additions: tuple[str, ...] = ()
    removals: tuple[str, ...] = ()
    modifications: tuple[Change, ...] = ()
    renamed: tuple[Change, ...] = ()
    numbers: tuple[Change, ...] = ()
    negated: bool = False
    layout: bool = False
    files: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether the two are the same."""
        return not (self.additions or self.removals or self.modifications)


class Factors(Value, frozen=True, kw_only=True):
    """What a confidence is made of; `confidence` is what the others make of the first.

    Attributes:
        base: what the words of the correction deserve.
        evidence: the same after every further place where it was learned.
        usage: the factor of how often it was recalled, at least 1.
        temporal: the share that its age leaves, at most 1.
        validation: the factor of a person's answer; 1 where nobody was asked.
    """

    base: float
    evidence: float
    usage: float
    temporal: float
    validation: float
    confidence: float


class Learned(Value, frozen=True, kw_only=True):
    """What a correction taught.

    Attributes:
        outcome: added: it was not known; updated: it counts as more evidence for what was known; known: the
            same correction had been learned before, and nothing changed.
        memory: that holds it; in a dry run without a store's id.
        relations: that were made to what was known.
        contradicted: memories that may be wrong now, and that a person is to decide about.
    """

    outcome: Learning
    category: Category
    principle: str
    memory: Memory
    difference: Difference
    factors: Factors
    relations: tuple[Relation, ...] = ()
    contradicted: tuple[Memory, ...] = ()
    dry_run: bool = False


class Question(Value, frozen=True, kw_only=True):
    """A memory that a person should look at, and what to ask.

    Attributes:
        doubt: why: uncertain and important; old and never validated; or contradicted and unresolved.
        weight: how much it matters, from 0; the first is the one that is recalled most and least sure.
        against: the memory that says otherwise.
    """

    memory: Memory
    doubt: Doubt
    question: str
    weight: float
    against: Memory | None = None


# -- what a validation finds of a memory, and what was done about it


Dimension = Literal["citation", "temporal", "contradiction", "pattern"]
DIMENSIONS: tuple[Dimension, ...] = ("citation", "temporal", "contradiction", "pattern")
Severity = Literal["minor", "moderate", "severe"]
SEVERITIES: tuple[Severity, ...] = ("minor", "moderate", "severe")
"""From the least on."""
State = Literal["valid", "stale", "flagged"]
FLAG = "needs-review"
"""The tag of a memory that a person should look at."""


class Issue(Value, frozen=True):
    """Something that speaks against a memory.

    Attributes:
        what: in one sentence, without a word of the memory.
        todo: what a person can do about it; empty where nothing needs to be done.
    """

    dimension: Dimension
    severity: Severity
    what: str
    todo: str = ""


class Verdict(Value, frozen=True, kw_only=True):
    """What four dimensions say of a memory.

    Attributes:
        score: the mean of the dimensions' scores, 0 to 1.
        state: valid: nothing speaks against it; flagged: a severe issue, which a person should look at.
        issues: the gravest first.
        cited: the share of the code that it cites which stands; None where none can be compared.
    """

    id: str
    score: float
    state: State
    issues: tuple[Issue, ...] = ()
    cited: float | None = None

    @property
    def short(self) -> str:
        """The gravest issue of each dimension, such as "citation:severe"; empty where there is none."""
        worst = {one.dimension: one.severity for one in reversed(self.issues)}
        return " ".join(f"{name}:{worst[name]}" for name in DIMENSIONS if name in worst)


class Check(NamedTuple):
    """What is kept of a memory's last validation.

    Attributes:
        updated_at: the state that was validated, by its recording time; another state is left alone.
        cited: the share of the code that it cites which stands; None where none can be compared.
        verdict: what was found, as `Verdict.short` has it.
    """

    id: str
    updated_at: datetime
    cited: float | None
    verdict: str


# -- what a replay of past sessions shows: what memory would have given, and what became of it


class Given(Value, frozen=True, kw_only=True):
    """Something that a session would have been given.

    Attributes:
        memory: its id in the replay, where all ids are new; it may be an exchange's.
        learned_in: the session that taught it.
        said_at: when that was said.
        channel: with the brief, for a prompt, or when a file was touched.
        session: that it was given in, at the time `at`.
        prompt: what the person typed then, shortened; empty for the brief and for files.
        tokens: of its line.
        used: how the session showed a use that nothing else explains; empty where it did not.
        came_up: the session came to say or do what it says, from whatever source.
    """

    memory: str
    kind: str
    text: str
    learned_in: str
    said_at: datetime | None
    channel: Channel
    session: str
    at: datetime
    prompt: str = ""
    tokens: int = 0
    used: Use = ""
    came_up: bool = False


class SaidAgain(Value, frozen=True, kw_only=True):
    """An instruction that the person typed in a session, having typed it in an earlier one.

    Attributes:
        text: what was typed in the session, at the time `at`; `first_text` is the earlier wording.
        memory: the active memory that said the same when it was typed again; empty where none did.
        given: whether the session had been given that memory before.
    """

    text: str
    session: str
    at: datetime
    first_text: str
    first_session: str
    memory: str = ""
    given: bool = False


class ReplayedSession(Value, frozen=True, kw_only=True):
    """A session as it would have gone with the memory of those before it.

    Attributes:
        prompts: that the person typed; `answered` of them came with something.
        given: everything, in order.
        tokens: of all texts that were given, exact in cl100k_base.
        learned: active memories that it added.
        timed: whether its transcript has times; without them no use can be seen.
    """

    session: str
    path: str
    client: str
    started_at: datetime
    prompts: int
    answered: int
    given: tuple[Given, ...] = ()
    again: tuple[SaidAgain, ...] = ()
    tokens: int = 0
    learned: int = 0
    timed: bool = True


class ReplayFigures(Value, frozen=True, kw_only=True):
    """What some sessions were given, in counts; percentages are from 0 to 100.

    Attributes:
        sessions: in which a person typed something.
        prompts: that a person typed; `answered` came with something.
        given: memories that came with prompts, as often as they did; `different` counts each once, `own`
            those that the session itself had taught before.
        used: of those that were given with prompts, where nothing else explains it.
        came_up: of those that were given with prompts: what they say came up later in the session.
        brief_lines: of all briefs; `brief_used` of them were used, `brief_came_up` of them came up.
        briefs: sessions that began with a brief; `briefs_used` of them used a line of it, `briefs_told` not
            only by running a command.
        file_lines: that came with touched files; `file_used` of them were used, `file_came_up` came up.
        tokens: of everything that was given.
        again: instructions that the person had typed in an earlier session.
        again_known: of those stood as an active memory by then; `again_given` were given to the session
            before.
    """

    sessions: int
    prompts: int
    answered: int
    answered_percent: float
    given: int
    different: int
    own: int
    used: int
    used_percent: float
    came_up: int
    came_up_percent: float
    brief_lines: int
    brief_used: int
    brief_came_up: int
    briefs: int
    briefs_used: int
    briefs_used_percent: float
    briefs_told: int
    file_lines: int
    file_used: int
    file_came_up: int
    tokens: int
    tokens_per_session: float
    learned: int
    again: int
    again_known: int
    again_given: int


class GivenOften(Value, frozen=True, kw_only=True):
    """A memory with how often it was given, used, and came up."""

    memory: str
    kind: str
    text: str
    times: int
    used: int
    came_up: int


# -- what a transcript taught, as it is reported


Outcome = Literal["added", "merged", "known", "dry_run"]


class Found(Value, frozen=True, kw_only=True):
    """A statement that a transcript taught.

    Attributes:
        id: of the memory that holds it; empty in a dry run.
        outcome: added, merged with a known memory, or known already from the same place.
    """

    text: str
    kind: str
    confidence: float
    status: str
    rule: str
    quote: str
    turn: int
    outcome: Outcome
    id: str = ""
    files: tuple[str, ...] = ()


class Extracted(Value, frozen=True, kw_only=True):
    """What was learned from one transcript.

    Attributes:
        lines: read in this pass; `skipped` and `malformed` are among them.
        position: where the next pass begins.
    """

    path: str
    client: str
    session: str
    lines: int = 0
    turns: int = 0
    skipped: int = 0
    malformed: int = 0
    position: int = 0
    found: tuple[Found, ...] = ()
