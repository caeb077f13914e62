"""Two machines that share a store on a server synchronise it one after the other."""

import pytest

from recortex.sync import team
from recortex.sync.protocol import RunningError
from replicas import Person


@pytest.mark.usefixtures("without_vectors")
def test_who_comes_second_is_told_that_another_machine_synchronises(server, tmp_path, monkeypatch):
    monkeypatch.setattr(team, "PATIENCE", 0.3)
    url = server.workspace_url()
    here, there = (Person(tmp_path / name, "Ada", url=url) for name in ("here", "there"))
    with here.team._alone(), pytest.raises(RunningError, match="running already"):
        there.team.exchange()
    with there.team._alone():
        pass
    for one in (here, there):
        one.close()
