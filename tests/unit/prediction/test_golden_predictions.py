"""The golden sets of prediction: memories and a moment, what is predicted, and why."""

import json
import subprocess
from pathlib import Path

import pytest

from recortex import Cortex
from recortex.prediction.engine import WEIGHTS

GOLDEN = sorted((Path(__file__).parents[2] / "golden" / "prediction").glob("*.json"))


def git(project, *words):
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=project, check=True)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_sets_of_prediction(project, clock, path):
    given = json.loads(path.read_text(encoding="utf-8"))
    git(project, "init", "-q", "-b", given.get("branch", "main"))
    if changed := given.get("change"):
        (project / changed).parent.mkdir(parents=True, exist_ok=True)
        (project / changed).write_text("changed = False\n")
        git(project, "add", changed)
    git(project, "commit", "-q", "--allow-empty", "-m", "Start")
    if changed:
        (project / changed).write_text("changed = True\n")
    with Cortex.open(project, clock=clock) as cortex:
        kept = [cortex.remember(**one).id for one in given["memories"]]
        found = cortex.predict(**given["ask"]).predicted
        expected = given["expect"]
        assert {one.id for one in found} == {kept[place] for place in expected["needed"]}, given["why"]
        assert "top" not in expected or found[0].id == kept[expected["top"]], given["why"]
        by_id = {one.id: one for one in found}
        for place, reason in expected.get("because", {}).items():
            assert reason in by_id[kept[int(place)]].because, given["why"]
        for place in expected.get("agreeing", ()):
            assert len(by_id[kept[place]].because) > 1
            assert by_id[kept[place]].confidence > max(WEIGHTS.values()), given["why"]
