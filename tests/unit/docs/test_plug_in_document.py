"""What the pages on the plug-in say of deadlines and rules is what the code has."""

import json
import re
from pathlib import Path

from recortex.app.hooks import LOG, STATUS
from recortex.app.hooks.dispatch import LEFT
from recortex.app.jobs.capture import LAG, PAUSE
from recortex.app.jobs.capture import SECONDS as JOB_SECONDS
from recortex.clients.hooks import SECONDS as WAITS
from recortex.engines.decay import MOST_UNUSED, UNUSED
from recortex.engines.extraction.extractor import PERSON, SURE
from recortex.engines.relevance_gate import LEAST
from recortex.engines.supersession.reading import (
    ALONE,
    ANNOUNCED,
    ENDS,
    LEAST_CHANCE,
    NAMED,
    OTHER_VALUE,
    REWORDED,
)
from recortex.hooks import NICE, SECONDS
from recortex.llm import PROTOCOLS
from recortex.settings import KEYS

ROOT = Path(__file__).resolve().parents[3]
PAGES = ("plug-in", "brief", "capture", "language-model")
TEXT = "\n".join((ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in PAGES)
PROSE = " ".join(TEXT.split())


def test_deadlines():
    rows = re.findall(r"^\| `([a-z-]+)` \| ([\d.]+) s \| ([\d.]+) s \|", TEXT, re.MULTILINE)
    assert {name: float(ours) for name, _, ours in rows} == SECONDS
    assert {name: float(waits) for name, waits, _ in rows} == WAITS


def test_models_and_keys():
    for name, protocol in PROTOCOLS.items():
        (row,) = re.findall(rf"^\| `{name}`.*$", TEXT, re.MULTILINE)
        assert f"`{protocol.model}`" in row
        assert KEYS.get(name, "none") in row


def test_figures():
    assert f"must be at least {LEAST}" in PROSE
    words = {3: "three", 9: "nine"}
    assert f"after {words[UNUSED]} sessions without a use" in PROSE
    assert f"({words[MOST_UNUSED]} with a file)" in PROSE
    assert f"`{LOG}`" in PROSE
    assert f"`{STATUS}`" in PROSE


def second_columns(name, heading):
    """The numbers in the rows of a page's table, below the row with that heading."""
    page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    table = page.partition(f"\n{heading}\n")[2].partition("\n\n")[0]
    return [[float(one) for one in re.findall(r"\| (0\.\d+) (?=\|)", row)] for row in table.splitlines()[1:]]


def test_the_probabilities_from_which_something_is_learned():
    found = second_columns("learning", "| sentence | active from | proposed from |")
    assert found == [[], [SURE.active], [PERSON.proposed], [], [], []]


def test_the_probabilities_from_which_something_is_replaced():
    found = second_columns("changes", "| the new statement | required probability |")
    assert found == [[], *([one] for one in (NAMED, ALONE, REWORDED, REWORDED, OTHER_VALUE, ANNOUNCED, ENDS))]
    assert (
        f"probably contradict each other (at least {LEAST_CHANCE})" in (ROOT / "docs/changes.md").read_text()
    )


def test_skills():
    named = re.search(r"skills \(([^)]+)\)", PROSE)
    assert named
    assert set(named[1].split(", ")) == {path.name for path in (ROOT / "plugin" / "skills").iterdir()}


def test_the_plugin_calls_the_hooks_of_the_table():
    hooks = json.loads((ROOT / "plugin" / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"]
    assert len(hooks) == len(SECONDS) + 1  # a failed tool has an event of its own and the same hook


def test_what_bounds_the_job():
    assert f"lets {PAUSE:g} s pass" in PROSE
    assert f"(nice {NICE})" in PROSE
    assert f"for at most {JOB_SECONDS:g} s" in PROSE
    assert f"waits up to {LAG:g} s" in PROSE
    assert f"requests capture of up to {LEFT} sessions" in PROSE
