"""What a user's program may import, and how it looks to a strict type checker."""

import ast
import subprocess
import sys

import pytest

import recortex
import strict_program
from recortex import errors


@pytest.mark.parametrize("name", recortex.__all__)
def test_a_public_name_is_there(name):
    assert getattr(recortex, name) is not None
    assert name in dir(recortex)


def test_an_error_that_is_raised_on_purpose_is_public():
    raised = {name for name, one in vars(errors).items() if isinstance(one, type) and _is_raised(name)}
    assert raised - set(recortex.__all__) == set()


def _is_raised(name):
    package = strict_program.ROOT / "src" / "recortex"
    return name.endswith("Error") and any(
        f"{name}(" in path.read_text() for path in package.rglob("*.py") if path.name != "errors.py"
    )


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = recortex.nothing_like_it


def test_the_package_loads_nothing_until_a_name_is_asked_for():
    loaded = "import sys, recortex; print(sorted(m for m in sys.modules if m.startswith('recortex')))"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert ast.literal_eval(done.stdout) == ["recortex", "recortex.version"]


@pytest.mark.full
def test_programs_of_users_pass_mypy_in_strict_mode(tmp_path):
    for name, text in strict_program.examples().items():
        (tmp_path / f"{name}.py").write_text(text)
    checked = ["mypy", "--strict", "--config-file", "", "--cache-dir", str(tmp_path / "cache"), str(tmp_path)]
    done = subprocess.run([sys.executable, "-m", *checked], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_program_runs(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(strict_program.PROGRAM)
    project = tmp_path / "project"
    project.mkdir()
    done = subprocess.run([sys.executable, program, project], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Use bcrypt with 12 rounds" in done.stdout


def test_everything_that_needs_no_extra_loads_without_them(tmp_path):
    """Packages of extras are looked for where they are needed, so that an installation without them works."""
    code = """
import sys
sys.modules.update(dict.fromkeys(("psycopg", "psycopg_pool", "procrastinate", "pgvector", "usearch")))
import recortex.cli.main, recortex.app.jobs.capture, recortex.app.diagnosis
from recortex import Cortex
with Cortex.open(sys.argv[1]) as cortex:
    cortex.remember("Invoices are rounded half to even", kind="decision")
    assert cortex.recall("how are invoices rounded").hits
"""
    command = [sys.executable, "-c", code, tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
