"""A background job is added by its function and a row of `app/jobs/table.py`, which all else reads."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import recortex

pytestmark = pytest.mark.full

PACKAGE = Path(recortex.__file__).parent
FUNCTION = """def _greet(work: Work) -> Outcome:
    return Outcome({"greeted": 2})


JOBS = (
    Job(name="greeting", run=_greet, plan=_greet, days=1, counts=("greeted",)),
"""
LIFE = """
from recortex import Cortex, telemetry

reports = []
jobs = lambda done: done.stores[0].chores
telemetry.listen(reports.append)
with Cortex.open('.') as cortex:
    cortex.remember('Retries are bounded at five')
    planned = {job.name: job for job in jobs(cortex.gc(dry_run=True))}['greeting']
    done = {job.name: job for job in jobs(cortex.gc())}['greeting']
    again = {job.name for job in jobs(cortex.gc())}
assert planned.counts == done.counts == {'greeted': 2}, (planned, done)
assert 'greeting' not in again, again
assert [one.number for one in reports if one.fields.get('counter') == 'greeted'][-1] == 2
print('planned, run, reported')
"""


def test_a_new_job_is_planned_run_and_reported(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "package/recortex", ignore=shutil.ignore_patterns("__pycache__"))
    table = tmp_path / "package/recortex/app/jobs/table.py"
    text = table.read_text()
    assert text.count("JOBS = (\n") == 1
    table.write_text(text.replace("JOBS = (\n", FUNCTION))
    project = tmp_path / "project"
    project.mkdir()
    environment = os.environ | {
        "PYTHONPATH": str(tmp_path / "package"),
        "RECORTEX_HOME": str(tmp_path / "home"),
    }
    done = subprocess.run(
        [sys.executable, "-c", LIFE],
        cwd=project, env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.stdout == "planned, run, reported\n", done.stderr
