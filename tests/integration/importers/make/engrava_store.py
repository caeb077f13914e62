"""Lets engrava 0.7.2 write `stores/engrava`: `pip install engrava==0.7.2`, then run this with it."""

import asyncio
import subprocess
import sys
from pathlib import Path

import aiosqlite
from engrava import EdgeRecord, SqliteEngravaCore, ThoughtRecord

STORE = Path(__file__).parents[1] / "stores" / "engrava"
DATABASE = STORE / "engrava.db"


def thought(id_, type_, text, status="ACTIVE", **more):
    return ThoughtRecord(
        thought_id=id_, thought_type=type_, essence=text[:200], content=text, priority="P3",
        lifecycle_status=status, created_cycle=0, updated_cycle=0, source="human", **more,
    )  # fmt: skip


def edge(source, target, type_):
    return EdgeRecord(
        edge_id=f"{source}-{target}", from_thought_id=source, to_thought_id=target, edge_type=type_,
        weight=0.7, created_cycle=0,
    )  # fmt: skip


async def write():
    async with aiosqlite.connect(DATABASE) as connection:
        connection.row_factory = aiosqlite.Row
        store = SqliteEngravaCore(connection)
        await store.ensure_schema()
        moved = "2026-06-01T12:00:00+02:00"
        for one in (
            thought("t-0", "NOTE", "We sign tokens with EdDSA, not RS256", pinned=True),
            thought(
                "t-1",
                "BELIEF",
                "The API is served from Frankfurt",
                valid_from="2026-01-01",
                valid_until=moved,
            ),
            thought("t-2", "BELIEF", "The API is served from Dublin", valid_from=moved),
            thought("t-3", "REFLECTION", "Caching the schema saved more time than any index", confidence=0.8),
            thought("t-4", "TASK", "Remove the old cookie login", "CREATED"),
            thought("t-5", "OUTPUT_DRAFT", "Dear customers, the API has moved."),
        ):
            await store.create_thought(one)
        await store.create_edge(edge("t-2", "t-1", "CONTESTED_BY"))
        await store.create_edge(edge("t-3", "t-0", "ASSOCIATED"))
        await store.update_thought("t-3", content="Caching the parsed schema saved more time than any index")
        for status in ("ACTIVE", "DONE", "ARCHIVED"):
            await store.update_thought("t-4", lifecycle_status=status)
        await connection.commit()


STORE.mkdir(parents=True, exist_ok=True)
DATABASE.unlink(missing_ok=True)
asyncio.run(write())
program = [str(Path(sys.executable).with_name("engrava")), "--db", str(DATABASE)]
subprocess.run([*program, "snapshot", "-o", str(STORE / "snapshot.jsonl")], check=True)
subprocess.run([*program, "export", "-o", str(STORE / "export.json")], check=True)
