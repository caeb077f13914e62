"""The bench of several processes and of kills, scaled down to seconds."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.full

STRESS = Path(__file__).parents[3] / "bench" / "stress.py"


def stress(tmp_path, **options):
    report = tmp_path / "report.json"
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    done = subprocess.run(
        [sys.executable, STRESS, *words, "--json", report],
        capture_output=True, text=True, check=False, env=os.environ,
    )  # fmt: skip
    assert report.exists(), done.stderr
    return json.loads(report.read_text())


def test_processes_at_once_lose_nothing_and_see_no_error(tmp_path):
    found = stress(tmp_path, writers=3, each=60, readers=2, kills=0)["together"]
    assert (found["errors"], found["problems"]) == ({}, [])
    assert found["memories stored"] == found["memories wanted"] == 180
    assert found["reads"] > 0


def test_a_kill_loses_nothing_acknowledged(tmp_path):
    found = stress(tmp_path, writers=0, kills=8, seed=1)["killed"]
    assert found["problems"] == []
    assert found["memories acknowledged"] > 0
