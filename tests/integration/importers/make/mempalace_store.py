"""Lets MemPalace 3.11.0 write `stores/mempalace`: `pip install mempalace==3.11.0`, then run this with it."""

import os
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import loopback

home, store = Path(tempfile.mkdtemp()), Path(__file__).parents[1] / "stores" / "mempalace"
os.environ |= {
    "HOME": str(home),
    "MEMPALACE_EMBEDDING_MODEL": "openai-compat",
    "MEMPALACE_EMBEDDING_API_URL": loopback.start(),
    "MEMPALACE_EMBEDDING_API_MODEL": "words",
    "ANONYMIZED_TELEMETRY": "false",
}
sys.argv = sys.argv[:1]
import mempalace.mcp_server as palace  # noqa: E402  it reads the environment

EDDSA = "We sign tokens with EdDSA, not RS256, because the phones verify them without a network."
palace.tool_add_drawer(wing="shop", room="decisions", content=EDDSA, source_file="docs/auth.md")
palace.tool_add_drawer(wing="shop", room="decisions", content=EDDSA)
palace.tool_add_drawer(
    wing="shop",
    room="gotchas",
    content="The deploy fails when the disk of the runner is above 90 percent.\n\nLook at /var/lib/docker.",
)
gone = palace.tool_add_drawer(wing="shop", room="gotchas", content="Old text that is deleted.")
palace.tool_delete_drawer(gone["drawer_id"])
long = [
    f"Paragraph {at}: the checkout keeps the basket for {at} days, and its price is fixed."
    for at in range(30)
]
palace.tool_add_drawer(wing="shop", room="design", content="\n\n".join(long))
palace.tool_diary_write(agent_name="reviewer", entry="The basket outlives the session.", topic="review")
palace.tool_kg_add(subject="API", predicate="served from", object="Frankfurt", valid_from="2026-01-01")
palace.tool_kg_invalidate(subject="api", predicate="served_from", object="frankfurt", ended="2026-05-31")
palace.tool_kg_add(subject="API", predicate="served from", object="Dublin", valid_from="2026-06-01")
palace.tool_kg_add(subject="Ann", predicate="leads", object="Checkout Team")
(home / "docs").mkdir()
(home / "docs" / "mined.md").write_text("# Mined\n\n" + "This file was mined, and is there still. " * 10)
(home / "docs" / "mempalace.yaml").write_text("wing: docs\nrooms:\n  - name: general\n    description: all\n")
palace.tool_mine(source=str(home / "docs"), mode="projects")

store.mkdir(parents=True, exist_ok=True)
for one in home.rglob("*.sqlite3"):
    if one.name in {"chroma.sqlite3", "knowledge_graph.sqlite3"}:
        # The palace is still open: what stands in its log belongs to it.
        (store / one.name).unlink(missing_ok=True)
        with closing(sqlite3.connect(one)) as theirs, closing(sqlite3.connect(store / one.name)) as copy:
            theirs.backup(copy)
