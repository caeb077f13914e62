import json
import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest

from recortex.domain.kinds import KINDS, kind_of
from recortex.domain.memory import FileLink, Memory, Source
from recortex.domain.search import Hit, Recall
from recortex.domain.vocabulary import Importance
from recortex.errors import InvalidInputError, MemoryNotFoundError
from recortex.mcp import session
from recortex.mcp.greeting import Wire
from recortex.mcp.session import ToolDispatcher
from recortex.operations.registry import operation, operations_of

AT = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)


def memory(text="The tests need `TZ=UTC`.", kind="tribal", **more) -> Memory:
    name = kind_of(kind)
    content = more.pop("content", None) or KINDS[name].from_text(text)
    times = {"recorded_at": AT, "updated_at": AT, "valid_from": AT}
    return Memory(
        id="9b1c6a4e-0000-4000-8000-000000000001", kind=name, text=text, summary=text[:60], content=content,
        **(times | more),
    )  # fmt: skip


class Small:
    """A facade with a few operations, so that what is tested here does not change with the real ones."""

    def __init__(self) -> None:
        self.closed = False
        self.warmed = False
        self.kept: list[str] = []
        self.unwritten: list[str] = []

    def close(self) -> None:
        self.closed = True

    def warm(self) -> None:
        self.warmed = True

    @operation(core=True)
    def remember(
        self,
        text: str,
        *,
        importance: Importance | None = None,  # noqa: ARG002  its type is what matters
        tags: Sequence[str] = (),
        valid_from: datetime | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Memory:
        """Keep something.

        More about it.

        Args:
            text: what to keep.
            tags: words to find it by,
                as many as needed.
        """
        self.kept.append(text)
        return memory(text, tags=tuple(tags), metadata=dict(metadata or {}), valid_from=valid_from or AT)

    @operation(core=True, read_only=True)
    def recall(self, query: str, *, limit: int = 8) -> Recall:
        """Find."""
        if limit < 1:
            raise InvalidInputError("The limit must be at least 1.")
        if query == "break":
            raise ZeroDivisionError("a detail that nobody outside may see")
        found = memory(
            files=(FileLink("src/a.py", 3, 9, "abc"),),
            source=Source(session="s1", turn=4, client="claude-code", quote="the quote"),
        )
        hit = Hit(memory=found, score=0.123456789, signals={"keyword": 1 / 3}, freshness="changed")
        return Recall(query=query, recipe="hybrid", hits=(hit,) * min(limit, 500))

    @operation(read_only=True)
    def get(self, id: str) -> Memory:  # noqa: A002  as the real one
        """Show."""
        raise MemoryNotFoundError(f"There is no memory with the id {id[:40]!r}.")

    @operation(destructive=True, idempotent=True)
    def import_(self, path: str = "") -> tuple[str, ...]:
        """Bring in."""
        return (path,)


@pytest.fixture
def operations():
    return operations_of(Small)


@pytest.fixture
def small():
    return Small()


@pytest.fixture
def desk(operations, small):
    return ToolDispatcher(operations, lambda: small, Small.warm)


@pytest.fixture
def make_memory():
    return memory


class Talk:
    """Both ends of a connection in this process: what a client says in, what it hears out."""

    def __init__(self, said: bytes) -> None:
        reading, client_writes = os.pipe()
        client_reads, writing = os.pipe()
        self._heard: list[bytes] = []
        self._ends = [reading, writing]
        self._threads = (
            threading.Thread(target=self._say, args=(client_writes, said)),
            threading.Thread(target=self._hear, args=(client_reads,)),
        )
        for thread in self._threads:
            thread.start()
        self.wire = Wire(reading, writing)

    def _say(self, descriptor, said):
        with suppress(BrokenPipeError), os.fdopen(descriptor, "wb") as pipe:
            pipe.write(said)

    def _hear(self, descriptor):
        with os.fdopen(descriptor, "rb") as pipe:
            self._heard.extend(pipe)

    def heard(self):
        """All that was answered, by request; ends the connection."""
        self.end()
        return {message.get("id"): message for message in map(json.loads, self._heard)}

    def end(self):
        """Close this side of the connection, unless it is."""
        while self._ends:
            os.close(self._ends.pop())
        for thread in self._threads:
            thread.join()


@pytest.fixture
def talk(monkeypatch):
    """Begins connections, which end with the test also where it fails."""
    # Each client here says all and leaves: what is tested is what it is answered, not how soon.
    monkeypatch.setattr(session, "_LAST_ANSWERS", 600.0)
    begun = []

    def begin(*messages):
        said = [
            one if isinstance(one, bytes) else json.dumps({"jsonrpc": "2.0", **one}).encode()
            for one in messages
        ]
        begun.append(Talk(b"".join(line + b"\n" for line in said)))
        return begun[-1]

    yield begin
    for one in begun:
        one.end()
