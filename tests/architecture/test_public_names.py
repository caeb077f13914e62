"""What a user's program may import, and how it looks to a strict type checker."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib import metadata

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


EXTRAS = {
    "postgres": ("recortex.storage.postgres", "recortex.app.backends.queue", "recortex.sync."),
    "scale": (), "team": ("recortex.sync.",), "keyring": (), "code": (), "models": (), "multilingual": (),
    "otel": (),
}  # fmt: skip
"""The modules of ours, by their beginning, that load only where an extra is installed."""
IMPORT_ALL = """
import importlib, pkgutil, sys
sys.modules.update(dict.fromkeys(sys.argv[1:]))
import recortex
for one in pkgutil.walk_packages(recortex.__path__, "recortex.", onerror=lambda name: None):
    try:
        importlib.import_module(one.name)
    except ImportError as error:
        print(one.name, str(error).split()[2].split(".")[0])
"""


def _modules_of(extra):
    """What the packages of an extra, and those of its packages' own extras, are imported as."""
    if extra == "otel":
        return ["opentelemetry.distro", "opentelemetry.sdk"]  # the SDK of MCP brings the rest of the name
    named = {_canonical(one) for one in metadata.requires("recortex") if one.endswith(f"extra == {extra!r}")}
    if extra == "postgres":
        named |= {"psycopg-pool", "psycopg-binary"}
    if extra == "team":
        named -= {"cryptography", "pyjwt"}  # the SDK of MCP needs them as well
    owners = metadata.packages_distributions().items()
    return sorted(module for module, packages in owners if named & set(map(_canonical, packages)))


def _canonical(requirement):
    """The name of a package, as the index spells it."""
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", requirement)[0]).lower()


def test_every_extra_is_left_out_once():
    declared = tomllib.loads((strict_program.ROOT / "pyproject.toml").read_text())["project"]
    assert EXTRAS.keys() == declared["optional-dependencies"].keys() - {"dev"}


@pytest.mark.full
@pytest.mark.parametrize("extras", [tuple(EXTRAS), *((one,) for one in EXTRAS)])
def test_all_modules_but_those_of_an_extra_load_without_its_packages(extras):
    blocked = sorted({module for extra in extras for module in _modules_of(extra)})
    assert all(map(_modules_of, extras))
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL, *blocked], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    fallen = dict(line.split() for line in done.stdout.splitlines())
    assert [one for one in fallen if not one.startswith(sum((EXTRAS[extra] for extra in extras), ()))] == []
    assert set(fallen.values()) <= set(blocked)


def test_everything_that_needs_no_extra_works_without_them(tmp_path):
    """Packages of extras are looked for where they are needed, so that an installation without them works."""
    blocked = sorted({module for extra in EXTRAS for module in _modules_of(extra)})
    code = """
import sys
sys.modules.update(dict.fromkeys(sys.argv[2:]))
import recortex.cli.main, recortex.app.jobs.capture, recortex.app.diagnosis
from recortex import Cortex
with Cortex.open(sys.argv[1]) as cortex:
    cortex.remember("Invoices are rounded half to even", kind="decision")
    assert cortex.recall("how are invoices rounded").hits
"""
    command = [sys.executable, "-c", code, tmp_path, *blocked]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
