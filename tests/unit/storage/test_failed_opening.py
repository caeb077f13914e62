"""What cannot be opened is not held open, and what is cut short while it is open ends no process.

No lock and no descriptor stays behind while somebody holds the error.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from recortex.cortex import Cortex
from recortex.errors import StorageError
from recortex.storage.sqlite import Pool

DESCRIPTORS = Path("/proc/self/fd")


@pytest.mark.skipif(not DESCRIPTORS.is_dir(), reason="the system does not list a process's open files")
def test_a_store_that_cannot_be_opened_is_closed(project, clock):
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember("Use bcrypt with 12 rounds")
        database = Path(cortex.status().stores[0].path)
    os.truncate(database, 4096)
    with pytest.raises(StorageError) as held:
        Pool(database)
    assert held.value
    opened = [str(one.readlink()) for one in DESCRIPTORS.iterdir() if one.is_symlink()]
    assert not [path for path in opened if path.startswith(str(database))]


ASKING = """
import os, sys
from recortex import Cortex
from recortex.errors import CorruptStoreError
with Cortex.open(sys.argv[1]) as cortex:
    cortex.remember_many([{"text": f"Part {n} of the ledger has {n} rows."} for n in range(600)], link=False)
    database = cortex.status().stores[0].path
with Cortex.open(sys.argv[1]) as cortex:
    assert [cortex.recall(f"how many rows has part {n} of the ledger?").hits for n in range(3)]
    os.truncate(database, 3 * 4096)
    try:
        [cortex.recall(f"how many rows has part {n} of the ledger?") for n in range(40, 60)]
    except CorruptStoreError as error:
        print(error.code)
"""


def test_a_process_that_has_asked_outlives_a_store_that_is_cut_short(project):
    # A process that has mapped a file into memory would be ended by the system: SIGBUS.
    done = subprocess.run(
        [sys.executable, "-c", ASKING, str(project)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "store_corrupt"), done.stderr
