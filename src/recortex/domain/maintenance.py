"""What maintenance measures, removes and finds, and the figures of many memories at once."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from recortex.domain.text import lazy
from recortex.lean import NamedTuple, Value

if TYPE_CHECKING:
    from pathlib import Path


class MaintenanceRun(NamedTuple):
    """When a job last ran, and what it counted."""

    done_at: datetime
    outcome: Mapping[str, int]


class SizeSample(NamedTuple):
    """A store's size at a time, in microseconds since 1970 UTC."""

    at: int
    memories: int
    bytes: int


class OldAuditEntry(NamedTuple):
    """An audit entry that is to be summarised and deleted; `at` in microseconds since 1970 UTC."""

    seq: int
    operation: str
    actor: str
    at: int


class AuditSummary(NamedTuple):
    """How often an actor did an operation in a month.

    Attributes:
        month: `2026-03`, in UTC.
        first_at, last_at: of the entries, in microseconds since 1970 UTC.
    """

    month: str
    operation: str
    actor: str
    entries: int
    first_at: int
    last_at: int


class StoreSpace(NamedTuple):
    """What a store takes, in bytes.

    Attributes:
        total: with the write-ahead log.
        vectors: of that, the vectors with their signs.
        keyword_index: of that, the keyword index.
        free: of that, pages that hold nothing.
    """

    total: int
    vectors: int
    keyword_index: int
    free: int


class StoreContent(NamedTuple):
    """How much a store holds. A copy must hold as much; a difference tells that something changed."""

    schema: int
    memories: int
    versions: int
    relations: int
    vectors: int
    tombstones: int
    newest_audit: int
    exchanges: int = 0
    chunks: int = 0


class Integrity(NamedTuple):
    """What a check of a store found.

    Attributes:
        problems: one sentence each.
        index_whole: whether the keyword index is undamaged.
    """

    problems: tuple[str, ...]
    index_whole: bool

    @property
    def whole(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems and self.index_whole


class Erasure(NamedTuple):
    """What was done to remove a text from a store, and the proof.

    Attributes:
        searched_bytes: read afterwards, looking for the text.
        files: that were read.
        traces: files in which something of the text was found.
        backups: how many were cleaned too.
        exchanges: how many held a text and are gone.
        chunks: likewise, of documents.
    """

    searched_bytes: int
    files: tuple[Path, ...]
    traces: tuple[Path, ...]
    backups: int
    exchanges: int = 0
    chunks: int = 0


# -- what happened when a part failed and another took over


class Degradation(Value, frozen=True):
    """One fallback. The time is added by whoever records it.

    Attributes:
        component: the part that failed, as `status` names it ("embedding model", "token counter").
        failure: what went wrong, in one sentence.
        fallback: what is used instead.
        recovered: True when the part works again.
    """

    component: str
    failure: str
    fallback: str
    recovered: bool = False


LOSING, LOST = "store", "Changes that were acknowledged are gone from the end of the file:"
"""The component of a store that lost its end, and how its failure begins."""


class DegradationRecord(NamedTuple):
    """A fallback with when it was first and last seen, and how often."""

    degradation: Degradation
    first_at: datetime
    last_at: datetime
    times: int


# -- columns of many memories at once, for ageing and ranking, and what tells that a store changed


class Daily(NamedTuple):
    """What happened on each day, in days since 1970 (UTC); days without anything are left out.

    Attributes:
        added: how many memories were recorded.
        contradictions: how many were found.
        given: how often a memory was given to an agent, how often used, and with how many tokens.
    """

    added: Mapping[int, int]
    contradictions: Mapping[int, int]
    given: Mapping[int, tuple[int, int, int]]


class MemoryStatistics(NamedTuple):
    """A memory's row without its text. Instants are microseconds since 1970 UTC.

    Attributes:
        key: of its row, which relations refer to.
        confidence: the stored base, 0 to 1; decay is computed from it.
        updated_at: since when this state holds.
        last_accessed_at: None where it was never recalled.
        patterns: how many code patterns it is linked to.
        content_hash: equal for equal memories, also of different stores.
        branch: that it was learned on; empty where none is known.
        valid_from: since when it is true: when it was said.
        rule: that found it in a session; empty where it was told on purpose.
        loaded_by: clients that load a file in which it stands already, with spaces between.
        checked_at: when the code that it cites was last looked at; None where it never was.
        standing: the share of that code that stood then, 0 to 1; None where none could be compared.
        standing_since: since when it is that share.
    """

    key: int
    id: str
    kind: str
    status: str
    confidence: float
    priority: int
    pinned: int
    recorded_at: int
    updated_at: int
    validated_at: int | None
    last_accessed_at: int | None
    access_count: int
    patterns: int
    content_hash: bytes = b""
    branch: str = ""
    valid_from: int = 0
    origin: str = ""
    trust: str = ""
    rule: str = ""
    loaded_by: str = ""
    checked_at: int | None = None
    standing: float | None = None
    standing_since: int | None = None


class Given(NamedTuple):
    """What was given of a memory within 30 days.

    Attributes:
        times: contexts of sessions that got it.
        places: the sum of its places among what was given with it, from 1.
    """

    times: int = 0
    places: int = 0


class Standing(NamedTuple):
    """What else is known of an active memory. Instants are microseconds since 1970 UTC.

    Attributes:
        links: active relations, files, functions, patterns and constraints.
        won: memories that it superseded.
        contested: contradictions that nobody decided.
        confirmed: whether a person or a check confirmed it.
        moved_at: when its importance was last changed by these rules; None: never.
    """

    key: int
    id: str
    priority: int
    recorded_at: int
    links: int = 0
    won: int = 0
    contested: int = 0
    confirmed: int = 0
    moved_at: int | None = None


class Generation(NamedTuple):
    """Numbers of which at least one changes with every change of what is kept; accesses do not count."""

    audited: int
    memories: int
    purged: int


# -- how the embeddings of a store stand


LABEL = lazy(r"\[\w+\|\w+\|\w+\] (?:\[project:[^\]\n]*\] )?")
"""What is embedded before a memory's text (`engines/indexing.py`): none of its words."""


class Reembedding(NamedTuple):
    """A change of the embedding model, finished or not.

    Attributes:
        started_at, finished_at: microseconds since 1970 UTC; `finished_at` is None while memories are left.
        done: memories brought to it.
        milliseconds: that took, pauses included.
    """

    started_at: int
    finished_at: int | None
    done: int
    milliseconds: int


class VectorIndexState(NamedTuple):
    """How far the approximate vector index goes.

    Attributes:
        vectors: in the store.
        indexed: of these, in the index.
        problem: what is wrong with it or missing; empty where nothing is.
        todo: what to do about it.
    """

    vectors: int
    indexed: int
    problem: str = ""
    todo: str = ""


# -- how far a transcript has been read


class Checkpoint(Value, frozen=True, kw_only=True):
    """The place in a transcript up to which everything was learned from.

    Attributes:
        path: the transcript.
        position: the reader's cursor: a byte offset, or a count of records where the file is one document.
        turns: how many turns lie before it.
    """

    path: str
    session_id: str
    client: str
    position: int
    turns: int
    extracted_at: datetime


# -- calls of a language model


Purpose = Literal[
    "extract", "edges", "hypothesis", "polish", "correct"
]  # the last one of former versions alone
Outcome = Literal["pending", "ok", "refused", "failed", "unusable"]
Reason = Literal[
    "off",  # no provider is set
    "inside",  # this process belongs to an agent that Recortex itself runs
    "nothing_to_send",
    "not_configured",  # no key, no program, an address that will not do
    "budget",
    "connection",
    "timeout",
    "status",  # an HTTP status other than success, also after retries
    "redirect",
    "too_large",
    "truncated",
    "declined",  # the model would not
    "not_json",
    "wrong_form",
    "program",  # the agent's command line ended badly
]


class Request(Value, frozen=True, kw_only=True):
    """A question with a structured answer: a JSON object that holds one list.

    Attributes:
        system: the instructions.
        prompt: what they are about; it leaves this machine as it stands.
        schema: JSON schema of the answer; every object closed and every property required.
        items: the name of the list in the answer.
        session: the agent's session that it is asked for.
        max_output: tokens that the answer may have.
    """

    purpose: Purpose
    system: str
    prompt: str
    schema: Mapping[str, Any]
    items: str
    session: str = ""
    max_output: int = 8_192


class ModelCall(Value, frozen=True, kw_only=True):
    """One call of a language model, also one that failed or was refused.

    Attributes:
        micro_usd: millionths of a US dollar.
        outcome: `pending` while it runs (and for good where the process was killed: then the reserve counts
            as spent); `refused` by the budget, before anything was sent; `unusable`: there was an answer, but
            not of the asked form.
    """

    at: datetime
    provider: str
    model: str
    purpose: Purpose
    session: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    micro_usd: int = 0
    milliseconds: int = 0
    outcome: Outcome = "pending"


class Spending(Value, frozen=True, kw_only=True):
    """What a day's calls came to; those that still run count with their reserve."""

    calls: int = 0
    tokens: int = 0
    micro_usd: int = 0
    refused: int = 0
    failed: int = 0


class Limit(Value, frozen=True, kw_only=True):
    """What a day's calls may come to at most."""

    tokens: int
    micro_usd: int


class Answer(Value, frozen=True):
    """What a model answered: the items of the asked list, as JSON values that nobody has checked yet."""

    items: tuple[Any, ...]
    call: ModelCall


class Unavailable(Value, frozen=True):
    """There is no answer: what the rules found is all.

    Attributes:
        detail: a sentence for people, without a key and without a word of what was sent or answered.
        call: as it stands in the ledger; None where nothing was tried.
    """

    reason: Reason
    detail: str
    call: ModelCall | None = None
