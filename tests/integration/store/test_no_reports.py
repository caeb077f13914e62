"""Nothing is written outside the store and the user's own folder, and nobody is told anything."""

import os
import subprocess
import sys

SCRIPT = """
from recortex import Cortex
with Cortex.open(url="sqlite:///kept.db") as cortex:
    cortex.remember("The parser reads one token ahead")
    assert cortex.recall("how far does the parser read ahead?").hits
"""


def test_the_embedding_runtime_leaves_no_trace_in_the_home_folder(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("RECORTEX_", "XDG_", "ORT_"))
    }
    subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=tmp_path,
        env=environment | {"HOME": str(home)},
        check=True,
    )
    assert list(home.rglob("*")) == []
