"""The golden sets of privacy: texts, what may not be left of them, what must, and why."""

import json
from pathlib import Path

import pytest

from recortex.engines.privacy import redact

GOLDEN = sorted((Path(__file__).parents[2] / "golden" / "privacy").glob("*.json"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_sets_of_privacy(path):
    given = json.loads(path.read_text(encoding="utf-8"))
    for one in given["texts"]:
        clean = redact(one["text"]).text
        assert [part for part in one.get("gone", ()) if part in clean] == [], given["why"]
        assert [part for part in one.get("stays", ()) if part not in clean] == [], given["why"]
        assert "gone" in one or clean == one["text"], given["why"]
        assert redact(clean).text == clean, given["why"]
