"""Files next to those in play: by references, kept beside the facts, told by `context` at the end."""

import subprocess

import pytest

from recortex import Cortex
from recortex.app import predicted as neighbour_table
from recortex.app.jobs.running import run
from recortex.app.predicted import neighbours_of
from recortex.code.jobs import SYMBOLS
from recortex.domain.vocabulary import Scope

FILES = {
    "kiln/heat.py": "from kiln.log import note\n\n\ndef heat(degrees):\n    return note(degrees)\n",
    "kiln/log.py": "def note(text):\n    print(text)\n",
    "kiln/plan.py": "from kiln.heat import heat\n\n\ndef plan():\n    return [heat(900), heat(1_000)]\n",
    "tests/test_plan.py": "from kiln.plan import plan\n\n\ndef test_plan():\n    assert plan()\n",
    "glaze/colour.py": "def colour():\n    return 'blue'\n",
}


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "project"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


def test_callers_callees_and_tests_are_neighbours(project):
    with Cortex.open(project) as cortex:
        assert neighbours_of(cortex._app, ["kiln/heat.py"]) == []
        cortex.code("find", "heat")
        assert neighbours_of(cortex._app, ["kiln/heat.py"]) == ["kiln/log.py", "kiln/plan.py"]
        assert neighbours_of(cortex._app, [str(project / "tests/test_plan.py")]) == ["kiln/plan.py"]
        both = neighbours_of(cortex._app, ["kiln/heat.py", "tests/test_plan.py"])
        assert both == ["kiln/plan.py", "kiln/log.py"]
        assert neighbours_of(cortex._app, ["glaze/colour.py", "nothing.py"]) == []


def test_a_session_makes_them_and_a_linked_working_tree_has_those_of_the_checkout(project, tmp_path):
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(project))
    for words in (["add", "."], ["commit", "-qm", "one"], ["worktree", "add", "-q", str(tmp_path / "other")]):
        subprocess.run([*git, *words], check=True)
    with Cortex.open(project) as cortex:
        services = cortex._app.services(Scope.PROJECT)
        run(services, cortex._app.clock, cortex._app.settings, [SYMBOLS])
        assert neighbours_of(cortex._app, ["kiln/heat.py"]) == ["kiln/log.py", "kiln/plan.py"]
    with Cortex.open(tmp_path / "other") as cortex:
        assert neighbours_of(cortex._app, ["kiln/heat.py"]) == ["kiln/log.py", "kiln/plan.py"]


def test_a_lost_or_damaged_table_is_none(project):
    with Cortex.open(project) as cortex:
        cortex.code()
        path, root = cortex._app.project.facts, cortex._app.tree
        assert neighbour_table._made(path, root)[0]
        path.write_bytes(b"no database" * 500)
        assert neighbour_table._near(path, root, ["kiln/heat.py"]) == {}
        assert neighbours_of(cortex._app, ["kiln/heat.py"]) == []
        cortex.code("find", "plan")


def test_context_also_tells_of_files_next_to_those_in_view(project, monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    with Cortex.open(project) as cortex:
        own = cortex.remember("Kilns crack above 1,300 degrees.", kind="tribal", files=["kiln/heat.py"])
        near = cortex.remember(
            "A line of the log has at most 80 signs.", kind="decision", files=["kiln/log.py"]
        )
        cortex.remember(
            "Lines of the log end with a stop.", kind="insight", files=["kiln/log.py"], importance="low"
        )
        far = cortex.remember("Blue is the colour of the house.", kind="insight", files=["glaze/colour.py"])
        asked = {"files": ["kiln/heat.py"], "budget": 600}
        before = cortex.context("something else entirely", **asked)
        assert [(one.id, one.why) for one in before.entries] == [(own.id, "files")]
        cortex.code("status")
        after = cortex.context("something else entirely", **asked)
        assert {(one.id, one.why) for one in after.entries} == {(own.id, "files"), (near.id, "near")}
        assert far.id not in after.text
        (direct,) = [one for one in after.entries if one.why == "files"]
        assert all(one.relevance < direct.relevance for one in after.entries if one.why == "near")
