"""What cannot be opened is not held open.

No lock and no descriptor stays behind while somebody holds the error.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from recortex.cortex import Cortex
from recortex.errors import StorageError
from recortex.storage.sqlite.pool import Pool

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
