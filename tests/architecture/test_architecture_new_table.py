"""A table that belongs to memories, and a field of a memory, are added by declaring them.

Everything else follows.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from extended_package import extended

import local_postgres
from example_memories import AT, insert, memory
from recortex.storage.sqlite.store import SqliteStore

pytestmark = pytest.mark.full

HERE = Path(__file__).parent


@pytest.fixture
def server(tmp_path):
    """A real PostgreSQL."""
    running = local_postgres.start(tmp_path / "pg")
    yield local_postgres.url(running)
    running.cleanup()


def test_a_new_table_and_a_new_field_are_sealed_copied_purged_and_saved(tmp_path, server):
    old = SqliteStore(tmp_path / "old.db", backups=tmp_path / "none", clock=lambda: AT)
    insert(old, memory())
    old.close()
    package = extended(tmp_path / "package")
    paths = os.pathsep.join(map(str, (package, HERE.parent)))
    command = [
        sys.executable, str(HERE / "extended_life.py"), str(tmp_path), str(tmp_path / "old.db"), server,
    ]  # fmt: skip
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip
    assert done.stdout.strip() == "done", done.stderr
