"""What a language model adds to the rules.

Candidates from a session, relations between memories, what an answer to a question may look like, and better
words for selected sentences.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from recortex.domain.maintenance import Answer, ModelCall, Request, Unavailable
from recortex.domain.reports import Candidate
from recortex.engines import prompting
from recortex.engines.privacy import redact
from recortex.engines.prompting import Edge, list_schema, part_of, prose, template
from recortex.lean import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.exchange import SessionInfo, Turn
    from recortex.domain.memory import Memory
    from recortex.ports.model import LanguageModel


# -- asks a model what a memory would say that answers a question (HyDE); only its meaning is compared


MAX_QUESTION, MAX_NOTE = 600, 600
"""Characters that are sent, and that are used of the answer."""
SCHEMA = list_schema("notes", text={"type": "string"})


def hypothesis_request(question: str) -> Request | None:
    """The question to the model; None where nothing of it may be sent."""
    sent = prose(question[:MAX_QUESTION], person=True)
    if not sent:
        return None
    return Request(
        purpose="hypothesis",
        system=template("hypothesis").substitute(),
        prompt=f"<question>{sent}</question>",
        schema=SCHEMA,
        items="notes",
        max_output=512,
    )


def checked(items: Sequence[Any]) -> str:
    """The text of the first entry of an answer, without secrets; empty where it has none."""
    for one in items[:1]:
        text = one.get("text") if isinstance(one, dict) else None
        if isinstance(text, str):
            return redact(" ".join(text.split())[:MAX_NOTE]).text
    return ""


# -- asks a model to put selected sentences into better words; the caller checks that it says the same


POLISHED = list_schema(
    "sentences", text={"type": "string"}, of={"type": "array", "items": {"type": "integer"}}
)
MOST_SENTENCES, MOST_WRITTEN = 20, 600
"""Sentences that are sent, and characters of one that is taken."""


class Polished(NamedTuple):
    """A sentence that a model wrote, and the numbers, from 1, of those that it says."""

    text: str
    of: tuple[int, ...]


def polish_request(sentences: Sequence[str]) -> Request | None:
    """The sentences to the model; None where they may not be sent as they are."""
    # One more than are sent is looked at, to notice that there are too many.
    sent = [prose(one, person=False) for one in sentences[: MOST_SENTENCES + 1]]
    if len(sent) > MOST_SENTENCES or sent != [one.strip() for one in sentences]:
        return None  # a stand-in for a secret or for code could not be put back
    return Request(
        purpose="polish",
        system=template("polish").substitute(),
        prompt="\n".join(f'<sentence n="{number}">{one}</sentence>' for number, one in enumerate(sent, 1)),
        schema=POLISHED,
        items="sentences",
        max_output=2_048,
    )


def polished(items: Sequence[Any]) -> tuple[Polished, ...]:
    """The sentences of an answer, without secrets; none where one has not the form."""
    found = []
    for one in items[: MOST_SENTENCES + 1]:
        text, of = (one.get("text"), one.get("of")) if isinstance(one, dict) else (None, None)
        if not isinstance(text, str) or not isinstance(of, list) or len(text) > MOST_WRITTEN:
            # One entry of a wrong form makes the whole answer doubtful: which sentences it says would be
            # guessed.
            return ()
        if not all(type(number) is int for number in of):
            return ()
        found.append(Polished(redact(" ".join(text.split())).text, tuple(of)))
    return tuple(found)


# -- what a language model adds to the rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What a pass over a session's turns gave.

    Attributes:
        dropped: the number of entries of the answer that failed a check, by reason.
        call: as it is in the ledger; None if nothing was asked.
        unavailable: why there is no answer; then only the rules' results count.
        turns: how many of the given turns are done; the others are left for another pass.
    """

    candidates: tuple[Candidate, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)
    call: ModelCall | None = None
    unavailable: Unavailable | None = None
    turns: int = 0


class Adviser:
    """Asks a language model. Not to be used inside a transaction of the store.

    Args:
        model: None if none is set; then every answer is `Unavailable("off")`.
    """

    def __init__(self, model: LanguageModel | None) -> None:
        self._model = model
        self._hypotheses: dict[str, str] = {}

    @property
    def notices(self) -> tuple[str, ...]:
        """Messages about the model's settings for the person."""
        return () if self._model is None else tuple(self._model.notices)

    def extract(self, turns: Sequence[Turn], info: SessionInfo) -> Extraction:
        """Candidates from the first 100 KB of the prose of these turns.

        Raises:
            StorageError: the ledger cannot be written; nothing is asked then.
        """
        if self._model is None:
            return Extraction(unavailable=_OFF, turns=len(turns))
        part = part_of(turns)
        if not part.sent:
            return Extraction(unavailable=_NOTHING, turns=part.turns)
        answer = self._model.ask(prompting.request(part, info))
        if not isinstance(answer, Answer):
            return Extraction(unavailable=answer, call=answer.call, turns=part.turns)
        found = prompting.checked(answer.items, part)
        return Extraction(
            candidates=found.candidates, dropped=found.dropped, call=answer.call, turns=part.turns
        )

    def edges(self, pairs: Sequence[tuple[Memory, Memory]], *, session: str = "") -> tuple[Edge, ...]:
        """How the first of these pairs are related, as many as fit into one question.

        Empty where the model cannot be asked: what words and vectors found stands then.

        Raises:
            StorageError: the ledger cannot be written; nothing is asked then.
        """
        sent = prompting.sendable(pairs)[: prompting.MOST_PAIRS]
        if self._model is None or not sent:
            return ()
        answer = self._model.ask(prompting.edges_request(sent, session))
        return prompting.edges_checked(answer.items, sent).edges if isinstance(answer, Answer) else ()

    def polish(self, sentences: Sequence[str]) -> tuple[Polished, ...]:
        """Selected sentences in better words, unchecked; empty where the model cannot be asked.

        Raises:
            StorageError: the ledger cannot be written; nothing is asked then.
        """
        request = None if self._model is None else polish_request(sentences)
        if self._model is None or request is None:
            return ()
        answer = self._model.ask(request)
        return polished(answer.items) if isinstance(answer, Answer) else ()

    def hypothesis(self, question: str) -> str:
        """What a memory would say that answers a question; empty where the model cannot be asked.

        The same question is asked once, as long as this lives.

        Raises:
            StorageError: the ledger cannot be written; nothing is asked then.
        """
        known = self._hypotheses.get(question)
        request = None if known or self._model is None else hypothesis_request(question)
        if self._model is None or request is None:
            return known or ""
        answer = self._model.ask(request)
        found = checked(answer.items) if isinstance(answer, Answer) else ""
        # Dropped all at once: a question seldom comes again after so many others.
        if len(self._hypotheses) >= MOST_KEPT:
            self._hypotheses.clear()
        self._hypotheses[question] = found
        return found


MOST_KEPT = 256
"""Questions whose hypotheses are kept."""
_OFF = Unavailable("off", "No language model is set.")
_NOTHING = Unavailable("nothing_to_send", "There is no prose that may be sent.")
