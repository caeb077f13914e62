"""What a program of a user looks like: it is run, and checked by strict type checkers."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

from recortex import (
    Actor,
    ChunkHit,
    Cortex,
    Domain,
    ExchangeHit,
    Hit,
    Importance,
    Memory,
    MemoryNotFoundError,
    Origin,
    Proposal,
    Recall,
    RecortexError,
    Relation,
    RelationType,
    Scope,
    Status,
    __version__,
)


def best(found: Recall) -> Hit | None:
    return max(found.hits, key=lambda hit: hit.score, default=None)


def words(found: Recall) -> list[str]:
    said: list[ExchangeHit] = list(found.exchanges)
    parts: list[ChunkHit] = list(found.documents)
    waiting: list[Proposal] = list(found.unchecked)
    told = [*(one.message for one in said), *(one.text for one in parts)]
    return [*told, *(one.text for one in waiting)]


def lived(cx: Cortex) -> str:
    memory: Memory = cx.remember(
        "Use bcrypt with 12 rounds", kind="tribal", importance="high", domain="AUTH", scope="project",
        origin="user", tags=["auth"], files=["src/auth.py"], valid_from=datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip
    cx.remember("Sessions live an hour", importance=Importance.LOW, domain=Domain.AUTH, scope=Scope.PROJECT)
    cx.edit(memory.id, importance="critical", domain="API", reason="it guards every door")
    cx.remember_many([{"text": "Parcels are keyed by id", "kind": "insight"}])
    cx.recall("passwords", statuses=["active", Status.PROPOSED], domains=["AUTH"], scope="project")
    cx.list(statuses=["active"], origins=["user", Origin.AGENT], importance="low", scope=Scope.PROJECT)
    cx.related(memory.id, relations=["supports", RelationType.CAUSED])
    return memory.id


def main() -> int:
    with Cortex.open(sys.argv[1], actor=Actor.USER) as cx:
        known = lived(cx)
        found = cx.recall("how do we hash passwords?", limit=8)
        hit = best(found)
        if hit is not None:
            print(f"{hit.score:.2f} {hit.memory.summary} {hit.signals.get('keyword', 0.0)} {hit.freshness}")
        try:
            cx.get("nothing")
        except MemoryNotFoundError as error:
            print(error.code, error.message, error.hint)
        except RecortexError:
            return 1
        linked = cx.link(known, cx.list().memories[0].id, relation="supports")
        relation: Relation | None = linked.relation
        print(__version__, relation, words(found))
        cx.forget(known)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
