"""What a language model adds to the rules.

Candidates from a session, relations between memories, and what an answer to a question may look like.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from recortex.domain.learned import Candidate
from recortex.domain.model_call import Answer, ModelCall, Request, Unavailable
from recortex.engines.privacy import redact
from recortex.engines.prompting import lessons
from recortex.engines.prompting.lessons import Edge, list_schema, part_of, prose, template

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
        answer = self._model.ask(lessons.request(part, info))
        if not isinstance(answer, Answer):
            return Extraction(unavailable=answer, call=answer.call, turns=part.turns)
        found = lessons.checked(answer.items, part)
        return Extraction(
            candidates=found.candidates, dropped=found.dropped, call=answer.call, turns=part.turns
        )

    def edges(self, pairs: Sequence[tuple[Memory, Memory]], *, session: str = "") -> tuple[Edge, ...]:
        """How the first of these pairs are related, as many as fit into one question.

        Empty where the model cannot be asked: what words and vectors found stands then.

        Raises:
            StorageError: the ledger cannot be written; nothing is asked then.
        """
        sent = lessons.sendable(pairs)[: lessons.MOST_PAIRS]
        if self._model is None or not sent:
            return ()
        answer = self._model.ask(lessons.edges_request(sent, session))
        return lessons.edges_checked(answer.items, sent).edges if isinstance(answer, Answer) else ()

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
        if len(self._hypotheses) >= MOST_KEPT:
            self._hypotheses.clear()
        self._hypotheses[question] = found
        return found


MOST_KEPT = 256
"""Questions whose hypotheses are kept."""
_OFF = Unavailable("off", "No language model is set.")
_NOTHING = Unavailable("nothing_to_send", "There is no prose that may be sent.")
