"""Lets Serena 2.1.0 write `stores/serena`: `pip install serena-agent==2.1.0`, then run this with it."""

import os
import shutil
import tempfile
from pathlib import Path

os.environ["SERENA_HOME"] = tempfile.mkdtemp()
from serena.memories.memory_manager import MemoryManager

STORE = Path(__file__).parents[1] / "stores" / "serena"
project = Path(tempfile.mkdtemp())
memories = MemoryManager(project / ".serena")
for name, text in {
    "suggested_commands": "# Commands\n\n- `make test` runs all tests\n"
    "- `make redis` starts Redis for them\n",
    "mem:architecture/session store.md": "# Session store\n\nSessions live in Redis with a TTL of 30 days."
    " See mem:suggested_commands and `mem:gotchas`.\n",
    "gotchas": "The deploy fails when the disk of the runner is above 90 percent.\n",
    "old": "It will be deleted.\n",
    "v1.2": "Release 1.2 changed the basket.\n",
}.items():
    memories.save_memory(name, text, is_tool_context=True)
memories.delete_memory("old", is_tool_context=True)
memories.rename_memory_and_propagate_references("gotchas", "ops/gotchas", is_tool_context=True)
memories.ensure_memory_maintenance_memory()
# Its text is Serena's own; only that it is there matters.
shipped = project / ".serena" / "memories" / "memory_maintenance.md"
shipped.write_text(shipped.read_text().partition("\n")[0] + "\n")
shutil.copytree(project / ".serena" / "memories", STORE / "memories", dirs_exist_ok=True)
