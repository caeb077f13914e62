"""Writes `sqlite_vec.db` and `export.json` with mcp-memory-service itself (PyPI 12.4.0).

No model is downloaded: the service falls back to its own hashed vectors, and its storage class and exporter
are called as its server and its command line call them.

    python -m venv /tmp/mcpm && /tmp/mcpm/bin/pip install mcp-memory-service==12.4.0 pysqlite3-binary
    /tmp/mcpm/bin/python mcp_memory_service_store.py FOLDER
"""

import asyncio
import os
import sys
from pathlib import Path

try:  # some Pythons are built without loading extensions, which sqlite-vec is
    import pysqlite3

    sys.modules["sqlite3"] = pysqlite3
except ImportError:
    pass

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
os.environ |= {
    "MCP_MEMORY_BASE_DIR": str(folder / "base"),
    "MCP_MEMORY_SQLITE_PATH": str(folder / "sqlite_vec.db"),
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
}

from mcp_memory_service.models.memory import Memory  # noqa: E402
from mcp_memory_service.storage.graph import GraphStorage  # noqa: E402
from mcp_memory_service.storage.mixins.embeddings import _HashEmbeddingModel  # noqa: E402
from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage  # noqa: E402
from mcp_memory_service.sync.exporter import MemoryExporter  # noqa: E402
from mcp_memory_service.utils.hashing import generate_content_hash  # noqa: E402


def memory(text, **more):
    """A memory as the service's tool `store_memory` makes it."""
    return Memory(content=text, content_hash=generate_content_hash(text), **more)


async def write():
    """Store, change and delete memories, relate two, and export."""
    store = SqliteVecMemoryStorage(str(folder / "sqlite_vec.db"))
    await store.initialize()
    assert isinstance(store.embedding_model, _HashEmbeddingModel)
    queue = memory("The job queue runs on Redis streams", tags=["infra", "redis"], memory_type="decision")
    lists = memory(
        "Redis lists lost jobs when a worker crashed, which is why streams are used",
        tags=["redis", "why, history"],
        memory_type="error",
        metadata={"source": "post-mortem", "severity": 2},
    )
    made = [
        queue,
        lists,
        memory("Feature flags live in config/flags.toml", memory_type="note"),
        memory("THE JOB QUEUE RUNS ON REDIS STREAMS", tags=["shouted"]),
        memory("Timeouts of the gateway are 30 seconds", tags=["gateway"], memory_type="pattern"),
        memory("The old gateway is called Kong", tags=["gateway"], memory_type="context"),
    ]
    for one in made:
        await store.store(one, skip_semantic_dedup=True)
    again = memory("The job queue runs on Redis streams", tags=["again"], memory_type="decision")
    await store.store(again, skip_semantic_dedup=True)
    past = memory("Releases were tagged by hand until 2024", created_at=1_700_000_000.0)
    await store.store(past, skip_semantic_dedup=True)
    await store.update_memory_metadata(queue.content_hash, {"tags": ["infra", "queue"]})
    await store.delete(made[5].content_hash)
    graph = GraphStorage(str(folder / "sqlite_vec.db"))
    await graph.store_association(
        lists.content_hash, queue.content_hash, 0.9, ["causal"], relationship_type="causes"
    )
    await MemoryExporter(store).export_to_json(folder / "export.json")
    await store.close()


asyncio.run(write())
