"""Makes the memory of a decision record, and says where it stands among the others.

A record becomes a `decision`: of the kinds, only that one has fields for alternatives and consequences. A
`decision_context` is what people know beside a record. The file speaks for the repository, not for the
person: its memory is untrusted, ends nothing that a person or a session said, and is no rule in a brief.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.domain.kinds import Kind
from recortex.domain.memory import Source
from recortex.domain.vocabulary import CONFIDENCE_WORDS, Origin, Status
from recortex.engines.extraction.sentences import domain_of
from recortex.engines.ingestion.draft import Draft

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from recortex.domain.commit import FileHistory
    from recortex.domain.memory import FileLink
    from recortex.engines.decisions.record import Record

RULE = "decision_record"
"""The rule by which a memory was made of a record."""
NOTED = "record"
"""Where its metadata names the record: `path`, `number`, `hash` and `state`, as they were read last."""
KIND = Kind("decision")
_STATUS = {
    "accepted": Status.ACTIVE,
    "rejected": Status.ACTIVE,
    "proposed": Status.PROPOSED,
    "": Status.PROPOSED,
    "deprecated": Status.ARCHIVED,
    "superseded": Status.SUPERSEDED,
}


class State(NamedTuple):
    """Where a record stands.

    Attributes:
        status: of its memory.
        successor: the key of the record that took its place.
        since, until: when it held; `since` is None where nothing tells.
    """

    status: Status
    successor: str
    since: datetime | None
    until: datetime | None

    @property
    def name(self) -> str:
        """By which a change of it is seen."""
        return f"{self.status}:{self.successor}" if self.successor else str(self.status)


def state_of(
    record: Record,
    successor: Record | None,
    history: FileHistory | None,
    since: datetime | None,
    now: datetime,
) -> State:
    """Where a record stands: by its own status, unless another record took its place.

    Args:
        record: the record.
        successor: the one that took its place.
        history: of its file.
        since: when the successor came into force.
        now: the time of one that ended, where nothing tells when.
    """
    begun = record.date
    if successor is not None:
        return State(Status.SUPERSEDED, successor.key, begun, since)
    status = _STATUS[record.standing]
    if record.standing not in {"deprecated", "superseded"}:
        return State(status, "", begun, None)
    ended = record.ended if record.ended != record.date else None
    ended = ended or (history.last if history else now)
    return State(status, "", begun, max(ended, begun) if begun else ended)


def draft_of(
    record: Record, state: State, *, hash_: str, history: FileHistory | None, files: Sequence[FileLink]
) -> Draft:
    """The memory of a record; one that has a successor begins as active, and is then ended by that one.

    Args:
        record: the record.
        state: where it stands.
        hash_: of its file.
        history: of its file.
        files: the record itself, and what it names that is there.
    """
    content = content_of(record)
    certain = record.standing in {"accepted", "superseded", "deprecated", "rejected"}
    said = f"{record.title} {record.decision} {record.context}"
    number = () if record.number is None else (f"adr-{record.number}",)
    rejected = ("rejected",) if record.standing == "rejected" else ()
    return Draft(
        kind=KIND,
        content=content,
        confidence=CONFIDENCE_WORDS["high" if certain else "medium"],
        tags=(("adr", *number, *rejected)),
        domain=domain_of(said),
        files=tuple(files),
        source=Source(
            path=record.path, rule=RULE, quote=f"Status: {record.status}" if record.status else "",
            commit=history.commit if history else "",
        ),
        origin=Origin.REPOSITORY,
        status=Status.ACTIVE if state.successor else state.status,
        valid_from=state.since,
        valid_until=None if state.successor else state.until,
        metadata={NOTED: noted(record, state.name, hash_)},
    )  # fmt: skip


def noted(record: Record, state: str, hash_: str) -> dict[str, Any]:
    """What the metadata of a memory says of its record."""
    number = {} if record.number is None else {"number": record.number}
    return {"path": record.path, **number, "hash": hash_, "state": state}


def content_of(record: Record) -> dict[str, Any]:
    """The fields of the decision; what was rejected says so first, so that it is never read as a rule."""
    name = record.title if record.number is None else f"ADR {record.number}: {record.title}"
    decision = record.decision or f"{record.title}."
    if record.standing == "rejected":
        decision = f"Rejected, not adopted: {record.title}. What was proposed: {decision}"
    fields: dict[str, Any] = {
        "title": name,
        "decision": decision,
        "rationale": record.context,
        "alternatives": [
            {"option": one.option, "rejected_because": one.against} for one in record.options if one.option
        ],
        "consequences": [one for one in record.consequences if one],
        "decided_by": record.deciders,
    }
    return {name: value for name, value in fields.items() if value}
