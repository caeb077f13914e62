"""Why something is as it is: sentences, each with what it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from recortex.domain.kinds import Kind
from recortex.domain.vocabulary import Status

SubjectKind = Literal["memory", "place", "symbol", "pattern", "question"]
EvidenceKind = Literal["memory", "commit", "exchange", "document"]
Section = Literal[
    "history", "decisions", "constraints", "patterns", "warnings", "knowledge",
    "origins", "effects", "support", "conflicts",
]  # fmt: skip
Verbosity = Literal["summary", "detailed", "comprehensive"]
PictureFormat = Literal["mermaid", "dot", "svg"]


@dataclass(frozen=True, slots=True)
class Subject:
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


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a sentence rests on.

    Attributes:
        id: of a memory, an exchange or a part of a document, or the hash of a commit.
        quote: its own words, shortened.
    """

    kind: EvidenceKind
    id: str
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence with its evidence, of which there is always some.

    Attributes:
        confidence: 0 to 1: of a chain of relations 60 % of the weakest and 40 % of the mean.
    """

    section: Section
    text: str
    evidence: tuple[Evidence, ...]
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Accounting:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Why something is as it is.

    Attributes:
        text: what is told, in sentences with their evidence in brackets, within the budget.
        tokens: of the text, in cl100k_base.
        claims: the sentences of the text, in its order.
        answers: the memories that account for it, the likeliest first.
        confidence: of the answer, 0 to 1; 0 where there is none.
        near: decision records that may bear on a question and do not surely answer it, where none does.
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
