"""Writes `history.db` and `export.json` with mem0 itself (PyPI mem0ai 2.2.1); no network and no model.

mem0 wants an embedder and a language model. `infer=False` keeps texts as they are, so that no language model
is asked; the embedder is a class of this file, which mem0 takes by its own factory. Run in an environment of
its own:

    python -m venv /tmp/mem0 && /tmp/mem0/bin/pip install mem0ai==2.2.1
    /tmp/mem0/bin/python mem0_store.py FOLDER
"""

import hashlib
import json
import os
import sys
from pathlib import Path

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
os.environ |= {"MEM0_DIR": str(folder / "home"), "MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "none"}

from mem0 import Memory  # noqa: E402
from mem0.configs.embeddings.base import BaseEmbedderConfig  # noqa: E402
from mem0.embeddings.base import EmbeddingBase  # noqa: E402
from mem0.utils.factory import EmbedderFactory  # noqa: E402


class HashEmbedding(EmbeddingBase):
    """A vector of eight numbers from a text's hash."""

    def __init__(self, config: BaseEmbedderConfig | None = None):
        super().__init__(config)
        self.config.embedding_dims = 8

    def embed(self, text, memory_action=None):  # noqa: ARG002  mem0's signature
        return [byte / 255 for byte in hashlib.sha256(text.encode()).digest()[:8]]

    def embed_batch(self, texts, memory_action=None):
        return [self.embed(text, memory_action) for text in texts]


EmbedderFactory.provider_to_class["openai"] = f"{__name__}.HashEmbedding"
memory = Memory.from_config(
    {
        "history_db_path": str(folder / "history.db"),
        "vector_store": {
            "provider": "qdrant",
            "config": {"path": str(folder / "qdrant"), "embedding_model_dims": 8, "collection_name": "made"},
        },
    }
)


def add(text, **more):
    """Keep a text as it is; gives its id."""
    return memory.add(text, infer=False, user_id="robin", **more)["results"][0]["id"]


add("The billing service retries a failed payment three times", metadata={"area": "billing"})
port = add("The staging database listens on port 5433", agent_id="coder", run_id="run-7")
memory.update(port, "The staging database listens on port 5434")
stale = add("Deployments happen on Fridays")
memory.delete(stale)
add("Invoices are numbered per tenant, not per year", metadata={"category": "domain"})
add("Invoices are numbered per tenant, not per year")
memory.add(
    [
        {"role": "user", "content": "We never rebase shared branches"},
        {"role": "assistant", "content": "Understood: merge commits only"},
    ],
    user_id="robin",
    infer=False,
)
(folder / "export.json").write_text(json.dumps(memory.get_all(filters={"user_id": "robin"}), indent=1))
memory.close() if hasattr(memory, "close") else None
