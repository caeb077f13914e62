"""Lets Graphiti 0.31.2 save a graph in Kuzu, read it back and dump its models to `stores/graphiti`.

`pip install 'graphiti-core[kuzu]==0.31.2' httpx`, then run this with it. What a language model would have
extracted is given; the times without a zone are Kuzu's doing.
"""

import asyncio
import json
import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path

os.environ["GRAPHITI_TELEMETRY_ENABLED"] = "false"
from graphiti_core.driver.kuzu_driver import KuzuDriver
from graphiti_core.edges import EntityEdge
from graphiti_core.nodes import EntityNode, EpisodeType, EpisodicNode

STORE, GROUP = Path(__file__).parents[1] / "stores" / "graphiti", "shop"
NOW, VECTOR = datetime(2026, 11, 1, 9, tzinfo=UTC), [0.0] * 4


def node(name, summary, labels=(), **attributes):
    return EntityNode(
        uuid=f"n-{name.lower()}", name=name, group_id=GROUP, labels=list(labels), summary=summary,
        created_at=NOW, name_embedding=VECTOR, attributes=attributes,
    )  # fmt: skip


def fact(number, target, text, **times):
    return EntityEdge(
        uuid=f"e-{number}", group_id=GROUP, source_node_uuid="n-api", target_node_uuid=target,
        name="SERVED_FROM", fact=text, fact_embedding=VECTOR, episodes=["ep-1"], created_at=NOW, **times,
    )  # fmt: skip


async def write():
    driver = KuzuDriver(db=str(Path(tempfile.mkdtemp()) / "graph"))
    moved = datetime(2026, 6, 1, 10, tzinfo=UTC)
    said = EpisodicNode(
        uuid="ep-1", name="standup", group_id=GROUP, source=EpisodeType.message, source_description="chat",
        content="ann: we moved the API from Frankfurt to Dublin on 1 June", valid_at=NOW, created_at=NOW,
    )  # fmt: skip
    for one in (
        said,
        node("API", "The HTTP API of the shop", ["Service"], language="Go"),
        node("Frankfurt", "A region"),
        node("Dublin", ""),
        fact(
            1,
            "n-frankfurt",
            "The API is served from Frankfurt",
            valid_at=datetime(2025, 1, 1, tzinfo=UTC),
            invalid_at=moved,
            expired_at=NOW,
        ),
        fact(2, "n-dublin", "The API is served from Dublin", valid_at=moved, reference_time=NOW),
    ):
        await one.save(driver)
    found = {
        "episodes": await EpisodicNode.get_by_group_ids(driver, [GROUP]),
        "nodes": await EntityNode.get_by_group_ids(driver, [GROUP]),
        "edges": await EntityEdge.get_by_group_ids(driver, [GROUP]),
    }
    whole = {name: [json.loads(one.model_dump_json()) for one in items] for name, items in found.items()}
    STORE.mkdir(parents=True, exist_ok=True)
    (STORE / "dump.json").write_text(json.dumps(whole, indent=1) + "\n")


asyncio.run(write())
