"""Lets the models of Letta 0.16.8 write `stores/letta/agent.af`.

`pip install 'letta[sqlite,postgres]==0.16.8'`, then run this with it. Its server needs PostgreSQL with
vectors and a model; what it exports is this class as JSON. From 0.32 on the package is another program.
"""

import json
from datetime import UTC, datetime
from pathlib import Path

from letta.schemas.agent_file import AgentFileSchema, AgentSchema, BlockSchema, MessageSchema

STORE, NOW = Path(__file__).parents[1] / "stores" / "letta", datetime(2026, 11, 1, 9, tzinfo=UTC)
said = {"type": "user_message", "message": "We keep sessions in Redis for 30 days."}
messages = [
    MessageSchema(id=f"message-{at}", role=role, content=text, created_at=NOW)
    for at, (role, text) in enumerate(
        (("system", "You are a helpful agent."), ("user", json.dumps(said)), ("assistant", "Noted."))
    )
]
values = {
    "human": "The person is called Ann. She prefers pytest over unittest.",
    "persona": "I help with the shop's backend.",
    "project": "- The API is served from Dublin since June.\n- Tokens are signed with EdDSA, not RS256.",
}
blocks = [
    BlockSchema(id=f"block-{at}", label=label, value=value, limit=4000)
    for at, (label, value) in enumerate(values.items())
]
agent = AgentSchema(
    id="agent-0", name="ann-helper", block_ids=[one.id for one in blocks], messages=messages,
    in_context_message_ids=[one.id for one in messages], tags=["shop"], tool_ids=[],
)  # fmt: skip
empty = {name: [] for name in ("groups", "files", "sources", "tools", "mcp_servers")}
file = AgentFileSchema(agents=[agent], blocks=blocks, metadata={}, created_at=NOW, **empty)
STORE.mkdir(parents=True, exist_ok=True)
(STORE / "agent.af").write_text(json.dumps(json.loads(file.model_dump_json()), indent=1) + "\n")
