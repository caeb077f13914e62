"""Every place in the code that the page on the architecture names is there."""

import re
from pathlib import Path

import recortex

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "architecture.md"
PACKAGE = Path(recortex.__file__).parent


def test_every_place_that_the_architecture_names_is_there():
    named = re.findall(r"`([\w/*.]+(?:/|\.(?:py|json|txt)))`", PAGE.read_text(encoding="utf-8"))
    assert len(named) > 30
    tops = (PACKAGE, ROOT, PACKAGE / "formats" / "transcripts", PACKAGE / "domain" / "kinds")
    missing = [place for place in named if not any([*top.glob(place.rstrip("/"))] for top in tops)]
    assert missing == []
