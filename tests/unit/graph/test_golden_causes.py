"""The golden sets of causes: memories, what caused what, what would not be without one, and why."""

import json
from pathlib import Path

import pytest

from recortex.errors import RecortexError

GOLDEN = sorted((Path(__file__).parents[2] / "golden" / "causal").glob("*.json"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_sets_of_causes(cortex, path):
    given = json.loads(path.read_text(encoding="utf-8"))
    kept = [cortex.remember(one).id for one in given["memories"]]
    for cause, effect in given["caused"]:
        cortex.link(kept[cause], kept[effect], relation="caused")
    if "refused" in given:
        cause, effect = given["refused"]
        with pytest.raises(RecortexError):
            cortex.link(kept[cause], kept[effect], relation="caused")
        return
    missing = cortex.counterfactual(kept[given["without"]]).missing
    assert sorted(kept.index(one.reached.memory.id) for one in missing) == given["missing"], given["why"]
