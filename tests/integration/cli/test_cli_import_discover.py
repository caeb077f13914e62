"""`recortex import --discover` at a terminal: it asks for each system, and imports those that are wanted."""

from pathlib import Path

from person import at_a_terminal

STORES = Path(__file__).parents[1] / "importers" / "stores"


def test_each_system_is_asked_for_and_only_those_that_are_wanted_come_in(project):
    home = project.folder.parent / "somebody"
    for store, to in {
        "mem0/history.db": ".mem0/history.db",
        "server-memory/memory.jsonl": "memory.jsonl",
    }.items():
        (home / to).parent.mkdir(parents=True, exist_ok=True)
        (home / to).write_bytes((STORES / store).read_bytes())
    env = {"HOME": str(home), "MEMORY_FILE_PATH": str(home / "memory.jsonl")}
    replies = [(b"mem0: ", b"n\n"), (b"server-memory: ", b"y\n")]
    code, shown = at_a_terminal(project, "import", "--discover", replies=replies, env=env)
    assert code == 0, shown
    waiting = project.data("list", "--statuses", "quarantined")["memories"]
    assert {one["source"]["client"] for one in waiting} == {"server-memory"}
