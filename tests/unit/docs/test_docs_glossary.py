"""Every place that the glossary names is there."""

import re
from pathlib import Path

import recortex

GLOSSARY = Path(__file__).resolve().parents[3] / "docs" / "glossary.md"
PACKAGE = Path(recortex.__file__).parent


def test_every_term_lives_where_the_glossary_says():
    rows = [
        line.split("|")[1:4]
        for line in GLOSSARY.read_text(encoding="utf-8").splitlines()
        if line.startswith("| ")
    ]
    terms = [row for row in rows if row[0].strip() != "term"]
    assert len(terms) > 50
    missing = [
        place
        for *_, where in terms
        for place in re.findall(r"`([^`]+)`", where)
        if not (PACKAGE / place).exists()
    ]
    assert missing == []
