"""Sessions out of an editor's or an agent's own store, brought into one shape: what each side said.

Such stores hold a message in many fields: the parts of the person's words, what was attached to them, calls
of tools with their results. A client makes a `Record` of each; one parser reads them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from recortex.domain.injection import INTERRUPTED, strip_injected
from recortex.formats.transcripts.pieces import (
    Header,
    Parsed,
    Piece,
    Question,
    Result,
    decode,
    join_questions,
    moment,
    questions,
    spoken,
    tool_call,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ASK = "ask_question"  # Cursor's tool, by which the agent asks the person

# What a button sends in the person's name, in whatever language the editor speaks.
_BUTTON = re.compile(
    r'@agent [^:\n"]{1,40}: "[^"\n]{1,80}"'
    r"|@agent (?:Try Again|Retry|Wiederholen|Erneut versuchen|Reintentar|Réessayer|Riprova|Tentar novamente"
    r"|Повторить попытку|重试|重試|再試行|다시 시도)"
    r"|Implement the plan as specified, it is attached for your reference\b.*",
    re.DOTALL,
)
# What Cursor puts behind a prompt for a command of the repository: its file, to the last such end.
_CALLED = re.compile(
    r"^--- Cursor Command: [^\n]{1,200} ---[^\S\n]*\n(?:.*^--- End Command ---[^\S\n]*$|.*)",
    re.DOTALL | re.MULTILINE,
)
_COMMAND = re.compile(r"/[a-z][\w:-]{0,60}")


class Call(msgspec.Struct, omit_defaults=True):
    """A call of a tool, with its result where there is one."""

    id: str = ""
    name: str = ""
    given: Any = None
    ok: bool | None = None
    output: str = ""


class Record(msgspec.Struct, omit_defaults=True):
    """A message of a stored session.

    Attributes:
        role: `user`, `assistant` or `summary`.
        skipped: why it counts as said by nobody; empty where it counts.
        agent: another agent said it, or the session is a sub-agent's.
        answers: what `ASK` returned.
    """

    role: str = ""
    text: str = ""
    uuid: str = ""
    at: str | float | None = None
    skipped: str = ""
    agent: bool = False
    calls: list[Call] = []
    answers: list[dict[str, Any]] = []


class Stored(msgspec.Struct, omit_defaults=True):
    """A session as a client's `Database` gives it."""

    header: Header = Header()
    records: list[Record] = []


def split(raw: bytes) -> tuple[Header, list[bytes]]:
    """The records of a stored session. Raises MalformedLineError."""
    stored = decode(raw, Stored)
    return stored.header, [msgspec.json.encode(one) for one in stored.records]


class StoredParser:
    """Reads one record at a time; keeps nothing between them."""

    def parse(self, raw: bytes) -> Parsed:
        """Read a record. Raises MalformedLineError."""
        record = decode(raw, Record)
        piece = Piece("user", uuid=record.uuid, at=moment(record.at), sidechain=record.agent)
        if record.skipped:
            return Parsed(skipped=record.skipped[:80], carried=record.text)
        if record.role == "user":
            return by_person(replace(piece, ends_calls=True), record.text)
        if record.role == "summary":
            return spoken(replace(piece, role="summary"), [record.text])
        calls = tuple(tool_call(one.id, one.name, one.given) for one in record.calls)
        results = tuple(
            Result(one.id, one.ok, one.output) for one in record.calls if one.ok is not None or one.output
        )
        parsed = spoken(replace(piece, role="assistant", calls=calls, results=results), [record.text])
        posed = [
            one
            for call in record.calls
            if call.name == ASK and isinstance(call.given, dict)
            for one in questions(call.given.get("questions"))
        ]
        reply = replace(piece, uuid=f"{record.uuid} answered")
        return replace(parsed, pieces=(*parsed.pieces, *replied(reply, posed, record.answers)))


def replied(piece: Piece, posed: list[Question], results: Iterable[Mapping[str, Any]]) -> tuple[Piece, ...]:
    """What the person answered to the questions of a call of `ASK`, if they did."""
    known = {one.id: one for one in posed}
    answers: list[Any] = next((one["answers"] for one in results if isinstance(one.get("answers"), list)), [])
    said: list[str] = []
    for answer in (one for one in answers if isinstance(one, dict)):
        question = known.get(str(answer.get("questionId")), Question(""))
        said.append(question.answered(answer.get("selectedOptionIds"), answer.get("freeformText")))
    if not any(said):
        return ()
    return (replace(piece, form="answer", text=join_questions(said), asked=join_questions(known.values())),)


def by_person(piece: Piece, text: str) -> Parsed:
    """A message of the person's, without what a button or a command of the repository put there."""
    if _BUTTON.fullmatch(text):
        return Parsed(skipped="button")
    called = "\n".join(found.group() for found in _CALLED.finditer(text))
    text = _CALLED.sub("", text).strip()
    if _COMMAND.fullmatch(text):
        return Parsed(skipped="command", carried=called)
    said, injected = strip_injected(text)
    if called:
        piece, injected = replace(piece, form="command"), "\n".join(filter(None, (injected, called)))
    if not said:
        stopped = INTERRUPTED in injected
        return Parsed(skipped="injected" if injected else "empty", carried=injected, interrupted=stopped)
    return Parsed((replace(piece, text=said, injected=injected),))
