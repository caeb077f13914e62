"""What of a memory or a relation replicates, and how it looks in a teammate's store.

Never: how often something was recalled, what was given to sessions, vectors, what is pinned here, what was
checked against this machine's files, and paths of this machine.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recortex.codec import convert, memory_from_json
from recortex.domain.exchange import TEAM, Exchange
from recortex.domain.kinds import KINDS, kind_of
from recortex.domain.memory import Relation
from recortex.domain.text import clean, lazy
from recortex.domain.vocabulary import Actor, Origin, RelationType, Scope, Status, Trust
from recortex.engines.exchanges.service import of_teammate
from recortex.engines.privacy import record_redacted, redact_json
from recortex.errors import InvalidInputError
from recortex.lean import msgspec, names_of, replace, sha256
from recortex.operations.agents import TOP
from recortex.sync.protocol import canonical

if TYPE_CHECKING:
    from datetime import datetime

    from recortex.domain.memory import Memory

Body = dict[str, Any]

RELATION = "relation:"
REPLICATED = (
    "kind", "text", "summary", "content", "recorded_at", "valid_from", "valid_until", "status", "confidence",
    "priority", "tags", "domain", "files", "functions", "patterns", "constraints", "source", "origin",
    "trust", "evidence", "supersedes", "superseded_by", "metadata",
)  # fmt: skip
_SOFT = frozenset({"confidence", "evidence"})
"""Each machine comes to its own figures: a change of these alone is no new version."""
_OWN_FILES = frozenset({Origin.REPOSITORY, Origin.CODE_INDEX})
"""What follows from files of the project: each checkout has it from there."""
_MACHINES = frozenset({Actor.DECAY, Actor.VALIDATION, Actor.RECLASSIFICATION, Actor.SYSTEM})
"""Changes by these follow from this machine's use and files, and are not sent."""
_SHARED = frozenset({Status.ACTIVE, Status.SUPERSEDED})
"""What is sent first has one of these: what waits for a person waits for its own."""
_ABSOLUTE = lazy(r"^(?:[/\\~]|[A-Za-z]:[/\\]|file:)", re.IGNORECASE)
_OPERATIONS = {Status.ARCHIVED: "archive", Status.PRUNED: "archive", Status.ACTIVE: "restore"}


def is_shared(memory: Memory) -> bool:
    """Whether a memory that no teammate has is one for them."""
    return memory.scope is Scope.PROJECT and memory.status in _SHARED and memory.origin not in _OWN_FILES


def is_own_business(actor: Actor) -> bool:
    """Whether a change of state is this machine's own."""
    return actor in _MACHINES


def body_of(memory: Memory) -> Body:
    """What of a memory replicates. Secrets were taken out before."""
    plain: Body = msgspec.to_builtins(memory)
    body = {name: plain[name] for name in REPLICATED}
    body["files"] = [one for one in body["files"] if not _ABSOLUTE.match(one["path"])]
    body["functions"] = [one for one in body["functions"] if not _ABSOLUTE.match(one["file"])]
    body["source"] = {
        name: value
        for name, value in body["source"].items()
        if value not in ("", None) and not (isinstance(value, str) and name == "path" and _is_local(value))
    }
    body["metadata"] = _portable(body["metadata"])
    return body


def changed(parent: Body, before: Body, after: Body) -> Body | None:
    """The body after a change: what changed here, in the body that it changed.

    What only a newer version knows in that body, and what looks different here, stays as it was.

    Args:
        parent: the body of the version that was shown.
        before: as the store showed it.
        after: as the store shows it now.

    Returns:
        None where nothing changed that replicates.
    """
    merged = parent | {name: value for name, value in after.items() if value != before.get(name)}
    told = parent.get("content")
    if isinstance(told, dict) and merged["content"] is not told:
        unknown = {k: v for k, v in told.items() if k not in before["content"]}
        merged["content"] = unknown | merged["content"]
    differing = {name for name in merged if merged[name] != parent.get(name)}
    return merged if differing - _SOFT else None


def operation_of(before: Body | None, after: Body) -> str:
    """What a change is called."""
    if before is None:
        return "create"
    if before.get("status") != after.get("status"):
        return _OPERATIONS.get(Status(after["status"]), "update")
    return "update"


def memory_of(body: Body, id_: str, *, own: bool, speaker: str, now: datetime, here: Memory | None) -> Memory:
    """A memory as this store shows it.

    Args:
        body: of the version.
        id_: of the memory.
        own: whether the words are this person's.
        speaker: whose they are.
        now: no memory was recorded later.
        here: the memory as it is here; what does not replicate stays.

    Raises:
        InvalidInputError: this program does not know the kind, or a value does not fit.
    """
    known = {name: body[name] for name in REPLICATED if name in body}
    kind = kind_of(str(known.get("kind")))
    if isinstance(content := known.get("content"), dict):
        known["content"] = {name: content[name] for name in names_of(KINDS[kind]) if name in content}
    if here is not None:
        known |= {"pinned": here.pinned, "confidence": here.confidence, "validated_at": here.validated_at}
        known["evidence"] = max(here.evidence, _number(known.get("evidence")))
    # The rest of what an older program did not write yet has usual values.
    recorded = known.get("recorded_at")
    known = {"summary": known.get("text"), "valid_from": recorded, **known}
    memory = memory_from_json({**known, "id": id_, "scope": "project", "updated_at": recorded})
    if any(_ABSOLUTE.match(link.path) or ".." in link.path.split("/") for link in memory.files):
        raise InvalidInputError("It cites a file outside the project.")
    memory = replace(memory, recorded_at=min(memory.recorded_at, now), updated_at=now)
    if own:
        return memory
    source = replace(memory.source, rule="")
    if source.speaker in {"", "user"}:
        source = replace(source, speaker=speaker)
    return replace(
        memory,
        source=source,
        origin=Origin.IMPORT,
        trust=Trust.DERIVED if memory.trust is Trust.TRUSTED else memory.trust,
        priority=min(memory.priority, TOP - 1),
    )


def relation_id(relation: Relation) -> str:
    """Under which a relation replicates."""
    return f"{RELATION}{relation.source_id}:{relation.type.value}:{relation.target_id}"


def relation_body(relation: Relation) -> Body:
    """What of a relation replicates."""
    return {
        "source": relation.source_id,
        "target": relation.target_id,
        "type": relation.type.value,
        "strength": relation.strength,
        "evidence": list(relation.evidence),
        "inferred": relation.inferred,
        "bidirectional": relation.bidirectional,
        "created_at": msgspec.to_builtins(relation.created_at),
    }


def relation_of(body: Body, record: str) -> Relation | None:
    """The relation of a body; None where it was removed.

    Raises:
        InvalidInputError: it is none, or another one than its record says.
    """
    if body.get("removed"):
        return None
    ends = {"source_id": body.get("source"), "target_id": body.get("target")}
    relation = convert({**body, **ends}, Relation)
    if relation_id(relation) != record:
        raise InvalidInputError("A relation is another one than it says.")
    return relation


def ends_of(record: str) -> tuple[str, RelationType, str]:
    """Source, type and target of a relation's record.

    Raises:
        InvalidInputError: it names none.
    """
    try:
        source, type_, target = record.removeprefix(RELATION).split(":")
        return source, RelationType(type_), target
    except ValueError:
        raise InvalidInputError(f"{record[:80]!r} names no relation.") from None


def _portable(value: Any) -> Any:
    """Metadata without places of this machine."""
    if isinstance(value, dict):
        return {key: _portable(one) for key, one in value.items() if not _is_local(one)}
    if isinstance(value, list):
        return [_portable(one) for one in value if not _is_local(one)]
    return value


def _is_local(value: Any) -> bool:
    return isinstance(value, str) and bool(_ABSOLUTE.match(value))


def _number(value: object) -> int:
    return value if isinstance(value, int) else 1


# -- what of exchanges replicates, where the project shares them, and how they look in a teammate's store
#
# An exchange is what was said, so a version of it follows another only where it has grown. Never sent:
# vectors, files, commands, commits and folders of the machine, what another installation exported, and what
# a teammate said.


EXCHANGE = "exchange:"
"""What the record of an exchange begins with; its id follows."""
_FIELDS = (
    "session", "client", "opener", "first_turn", "last_turn", "root_turn", "part", "started_at", "ended_at",
    "asked", "message", "opening", "conclusion", "ending",
)  # fmt: skip
_HEX, _DIGITS = frozenset("0123456789abcdef"), 32
_SENT = frozenset({"person", "program", "agent", "document", "summary"})


def is_own(exchange: Exchange) -> bool:
    """Whether an exchange is of a session of this person."""
    return exchange.opener in _SENT and not exchange.session.startswith(TEAM)


def exchange_body(exchange: Exchange, root: Path) -> Body:
    """What of an exchange replicates: without secrets, and without the places of this machine.

    Args:
        exchange: of a session of this person.
        root: the project's folder; files below it are told by their path in it.
    """
    plain: Body = msgspec.to_builtins(record_redacted(exchange))
    body: Body = redact_json({name: plain[name] for name in _FIELDS})[0]
    return {k: _without_places(v, root) if isinstance(v, str) else v for k, v in body.items()}


def exchange_of(body: Body, id_: str, author: str, now: datetime) -> Exchange:
    """A teammate's exchange as this store keeps it.

    Raises:
        InvalidInputError: it is none, or of a kind that this program does not know.
    """
    known = {name: body[name] for name in _FIELDS if name in body}
    exchange = convert({**known, "id": id_}, Exchange)
    if exchange.opener not in _SENT or not (len(id_) == _DIGITS and _HEX.issuperset(id_)):
        raise InvalidInputError("It is no exchange that this program knows.")
    return of_teammate(exchange, clean(author), now)


def mark_of(body: Body) -> int:
    """A number that tells what an exchange says, by which it is seen that it has grown."""
    return int(sha256(canonical(body).encode()).hexdigest()[:13], 16) + 1


def _without_places(text: str, root: Path) -> str:
    for folder, instead in ((root, "."), (Path.home(), "~")):
        for spelt in {str(folder), folder.as_posix(), str(folder).replace("\\", "\\\\")}:
            if len(spelt) > 1:
                text = text.replace(spelt, instead)
    return text
