"""A sync that is killed at any of its steps loses nothing, and the next one goes on where it stopped."""

import json
import signal
import subprocess
import sys

import killed_syncs
import pytest

from example_exchanges import said
from replicas import Person

SECONDS = 500
"""Less than the limit of a test, so that it says what hung."""


@pytest.mark.full
@pytest.mark.usefixtures("without_vectors")
def test_a_sync_killed_at_each_step_loses_nothing(tmp_path):
    command = [sys.executable, killed_syncs.__file__, tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    *ends, last = json.loads(done.stdout)
    assert set(ends) == {-signal.SIGKILL}
    assert last == 0
    assert len(ends) >= len(killed_syncs.STEPS)
    people = [Person(tmp_path / name, name) for name in ("Ada", "Bob")]
    for one in people:
        one.shares()
    for _ in range(3):
        done = [one.sync(killed_syncs.way_of(one, tmp_path)) for one in people]
    assert all(one.agreed and one.problems == () for one in done)
    ada, bob = people
    assert (ada.ids(), ada.heads(), ada.texts()) == (bob.ids(), bob.heads(), bob.texts())
    gone = {one for one, *_ in ada.log.purges()}
    unsaid = {one for one in gone if one.startswith("exchange:")}
    assert unsaid
    assert gone - unsaid
    assert len(ada.texts()) == 2 * (len(ends) + 1) - len(gone - unsaid)
    assert set(said(ada)) == set(said(bob))
    assert len(said(ada)) == 2 * (len(ends) + 1) - len(unsaid)
    for one in people:
        one.close()
