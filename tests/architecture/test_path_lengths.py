"""How many files of the package an act enters: a reader has to pass as many to follow it.

The limits only fall. The aims are 40 for a recall and a memory that is kept, 30 for a line that is explained,
35 for a prompt, 12 for the end of a turn, and 70 for a session's transcript.
"""

import json
import subprocess
import sys
from pathlib import Path

TRACER = Path(__file__).with_name("path_tracer.py")
LIMITS = {
    "recall": 40,
    "remember": 38,
    "why": 30,
    "user-prompt-submit": 39,
    "transcript": 60,
    "stop": 18,
}
SLACK = 4
"""Files by which a path may be below its limit before the limit is lowered."""


def test_a_path_enters_few_files(tmp_path):
    """Each act in a process of its own, one after the other on one project, all of them begun by one."""
    project = tmp_path / "project"
    project.mkdir()
    done = subprocess.run([sys.executable, TRACER, project, *LIMITS], check=True, capture_output=True)
    for act, files in json.loads(done.stdout).items():
        assert len(files) <= LIMITS[act], f"{act} enters more files than before: {sorted(files)}"
        assert len(files) >= LIMITS[act] - SLACK, f"lower the limit of {act} to {len(files)}"
