"""Turns and memories for tests of the prompts."""

from datetime import UTC, datetime

from recortex.domain.exchange import SessionInfo, Turn
from recortex.domain.kinds import KINDS, Kind
from recortex.domain.memory import Memory

INFO = SessionInfo("s1", "claude-code", "/t.jsonl")
AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def turn(text: str, role: str = "user", index: int = 0, **values) -> Turn:
    return Turn(index=index, role=role, text=text, uuid=f"u{index}", at=AT, **values)


def memory(id_: str, text: str, kind: str = "decision") -> Memory:
    content = KINDS[Kind(kind)]
    return Memory(
        id=id_, kind=Kind(kind), text=text, summary=text, content=content.from_text(text),
        recorded_at=AT, updated_at=AT, valid_from=AT,
    )  # fmt: skip
