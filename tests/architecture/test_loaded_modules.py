"""What an act loads: a start takes milliseconds as long as nothing is imported that it does not need."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from recortex import Cortex

NETWORK = {"ssl", "http.client", "urllib.request", "email", "httpx2", "mcp", "asyncio"}
HEAVY = {"rich", "pydantic", "multiprocessing", "statistics", "fractions", "xml.sax", "html.parser"}
MODELS = {"numpy", "onnxruntime", "tiktoken", "tokenizers", "tree_sitter", "usearch", "psycopg"}
PARTS = {"recortex.app.jobs.capture", "recortex.code.counting", "recortex.transport"}
LIGHT = NETWORK | HEAVY | MODELS | PARTS
SMALL = LIGHT | {"difflib", "importlib.metadata", "logging", "subprocess", "tempfile", "tomllib", "zipfile"}
ACTS = {
    "get": SMALL, "list": SMALL, "review": SMALL, "status": SMALL - {"logging", "tempfile"},
    "why": LIGHT - {"tiktoken", "tree_sitter"}, "remember": LIGHT - {"numpy", "onnxruntime", "tiktoken"},
    "recall": LIGHT - {"numpy", "onnxruntime", "tiktoken"}, "user-prompt-submit": SMALL,
    "pre-tool-use": SMALL, "stop": LIGHT | {"recortex.domain.exchange"},
    "session-end": LIGHT | {"recortex.domain.exchange"},
    "capture": LIGHT - {"recortex.app.jobs.capture"} | {"logging"},
}  # fmt: skip
WORDS = {
    "list": ["list"], "review": ["review"], "status": ["status"], "why": ["why", "billing.py:1"],
    "remember": ["remember", "Logs are rotated every night at two"],
    "recall": ["recall", "how are invoices rounded"],
}  # fmt: skip
CALLED = {
    "user-prompt-submit": {"prompt": "How are invoices rounded, to even or away from zero?"},
    "pre-tool-use": {"tool_name": "Edit", "tool_input": {"file_path": "billing.py", "old_string": "a"}},
    "stop": {},
    "session-end": {"reason": "exit"},
    "capture": {},
}
_IMPORT = re.compile(r"import time:.*\| +(\S+)$", re.MULTILINE)


@pytest.fixture
def known(tmp_path):
    """A project with one memory, which cites a file, and the words of each act."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "billing.py").write_text("def rounded(amount):\n    return round(amount, 2)\n")
    with Cortex.open(project) as cortex:
        kept = cortex.remember("Invoices are rounded half to even", kind="decision", files=["billing.py"])
    return project, WORDS | {"get": ["get", kept.id]}


@pytest.mark.parametrize("act", ACTS)
def test_an_act_loads_nothing_heavy_that_it_does_not_need(act, known):
    project, words = known
    event = {"session_id": "s", "cwd": str(project), "transcript_path": str(project / "none.jsonl")}
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "recortex", *words.get(act, ["hook", act])],
        input=json.dumps(event | CALLED.get(act, {})), cwd=Path(project), capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    loaded = set(_IMPORT.findall(done.stderr))
    assert f"recortex.{'hooks' if act in CALLED else 'cli.main'}" in loaded
    assert sorted(loaded & ACTS[act]) == []
