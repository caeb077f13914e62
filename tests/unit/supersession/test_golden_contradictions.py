"""The golden sets of contradiction: statements, whether they exclude each other, and why."""

import json
from pathlib import Path

import pytest

from recortex.domain.vocabulary import RelationType, Status

GOLDEN = sorted((Path(__file__).parents[2] / "golden" / "contradiction").glob("*.json"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_sets_of_contradiction(reading, clock, settle, path):
    given = json.loads(path.read_text(encoding="utf-8"))
    kept = []
    for text in given["memories"]:
        kept.append(reading.remember(text).id)
        clock.pass_(days=1)
    settle(reading)
    gone = [place for place, id_ in enumerate(kept) if reading.get(id_).status is Status.SUPERSEDED]
    relations = reading._app.all_services()[0].store.relations.find_touching(kept)
    contradicted = any(one.type is RelationType.CONTRADICTS for one in relations)
    assert bool(gone or contradicted) is given["conflict"], given["why"]
    assert gone == given.get("superseded", gone), given["why"]
