"""The golden sets of retrieval: memories, a question, what is to be told, and why."""

import json
from pathlib import Path

import pytest

GOLDEN = sorted((Path(__file__).parents[2] / "golden" / "retrieval").glob("*.json"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_sets_of_retrieval(reading, path):
    given = json.loads(path.read_text(encoding="utf-8"))
    kept = [reading.remember(**one).id for one in given["memories"]]
    found = reading.recall(**given["ask"])
    told = [kept.index(hit.memory.id) for hit in found.hits]
    assert told[:1] == ([given["first"]] if "first" in given else told[:1]), given["why"]
    assert sorted(told) == given.get("found", sorted(told)), given["why"]
    assert found.tokens <= given.get("most_tokens", found.tokens), given["why"]
    for name in given.get("signals", ()):
        assert found.hits[0].signals[name] > 0, given["why"]
