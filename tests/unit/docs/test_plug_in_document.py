"""What the pages on the plug-in say of deadlines and rules is what the code has."""

import json
import re
from pathlib import Path

from recortex.app.error_log import LOG
from recortex.app.hooks.session_start import LEFT
from recortex.app.jobs.capture import LAG, PAUSE, STATUS
from recortex.app.jobs.capture import SECONDS as JOB_SECONDS
from recortex.clients.hooks import SECONDS as WAITS
from recortex.engines.sessions.limits import MOST_UNUSED, UNUSED
from recortex.engines.sessions.relevance_gate import LEAST
from recortex.hooks import NICE, SECONDS
from recortex.llm.client import PROTOCOLS
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
    assert f"asks for the sessions ({LEFT} at most)" in PROSE
