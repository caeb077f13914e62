"""Which symbol a name means, who calls it, what stands beside it, and what is kept of that."""

from __future__ import annotations

import subprocess

import pytest
from small_projects import project_of, small_projects

from recortex import Cortex
from recortex.app import predicted as neighbour_table
from recortex.app.jobs.running import run
from recortex.app.predicted import neighbours_of
from recortex.code.jobs import SYMBOLS
from recortex.codebase.extraction import read_facts
from recortex.domain.vocabulary import Scope
from recortex.engines.code.freshness import MOST_LINES, link_of
from recortex.engines.code.freshness import judged as both_judged
from recortex.engines.code.resolution import Resolver, callees

# -- What calls within a project mean, and that a change of one file loses no call of another.
PROJECTS = small_projects("resolved.txt")
RESOLVED = {
    "python": {
        ("Base.close", "Base.rinse"), ("Store.open", "Base.close"), ("Use.__init__", "Store"),
        ("Use.f", "Store.open"), ("Use.f", "Base.close"), ("Use.f", "helper"), ("Use.f", "Store.make"),
        ("Use.f", "Store"), ("Use.f", "Base"),
    },
    "typescript": {
        ("Store.open", "Store.close"), ("Use.f", "Store.open"), ("Use.f", "Main.run"), ("Use.f", "helper"),
        ("Use.f", "Store.make"), ("Use.f", "Store.close"), ("Use.f", "Store"), ("Use.f", "Panel"),
    },
    "java": {
        ("Store.open", "Base.close"), ("Store.open", "Store.helper"), ("Store.make", "Store"),
        ("Use.f", "Store.open"), ("Use.f", "Base.close"), ("Use.f", "Store.make"), ("Use.f", "Store"),
        ("Use.f", "Store.helper"),
    },
    "csharp": {
        ("Store.Open", "A.Base.Rinse"), ("Store.Make", "Store"), ("B.Use.F", "Store.Open"),
        ("B.Use.F", "A.Base.Rinse"), ("B.Use.F", "Store.Make"), ("B.Use.F", "Store"),
    },
    "php": {
        ("Store.open", "Base.rinse"), ("Store.open", "Store.make"), ("Store.make", "Store"),
        ("User.f", "Store.open"), ("User.f", "Base.rinse"), ("User.f", "Store.make"), ("User.f", "helper"),
        ("User.f", "Store"),
    },
    "go": {
        ("Store.Open", "Store.shut"), ("Store.Open", "Inner.Rinse"), ("Store.Open", "helper"),
        ("New", "Store"), ("f", "Store.Open"), ("f", "New"),
    },
    "rust": {
        ("Store.open", "Store.shut"), ("Store.open", "Base.rinse"), ("Store.open", "helper"),
        ("Store.open", "Store.make"), ("Store.make", "Store"), ("Store.make", "Base.make"),
        ("f", "Store.open"),
        ("f", "helper"), ("f", "Store.make"),
    },
    "c": {("store_open", "inner"), ("main", "OPENED"), ("main", "store_open")},
    "cpp": {
        ("a.Store.open", "a.Store.shut"), ("a.Store.open", "a.Base.rinse"), ("f", "a.Store.open"),
        ("f", "a.Store.shut"), ("f", "a.helper"), ("f", "a.Store.make"), ("f", "a.Store"),
    },
}  # fmt: skip
CANDIDATES = {
    "python": {("Use.f", "Base.rinse")},
    "typescript": set(),
    "go": {("f", "Store.shut")},
    "rust": {("f", "Base.rinse")},
}


def edges(project, certainty):
    resolver = Resolver(project)
    return {
        (facts.symbols[call.caller].name, project.symbol(target).name)
        for path, facts in project.files.items()
        for call in facts.calls
        if (meaning := resolver.meaning(path, call)).certainty == certainty
        for target in meaning.targets
    }


@pytest.mark.parametrize("language", PROJECTS)
def test_calls_within_a_project_are_resolved(language):
    project = project_of(PROJECTS[language])
    assert all(facts.whole for facts in project.files.values())
    assert edges(project, "resolved") == RESOLVED[language]
    if language in CANDIDATES:
        assert edges(project, "candidate") == CANDIDATES[language]


def find(project, name):
    return [address for address, one in project.symbols() if one.name == name]


def test_what_a_class_calls_is_what_its_methods_call():
    project = project_of(PROJECTS["python"])
    (store,) = find(project, "Store")
    assert {project.symbol(one.target).name for one in callees(project, Resolver(project), store)} == {
        "Base.close"
    }


# -- Calls into libraries: none becomes an edge to something of the project that has the same name.
#
# The last file of each set calls methods and functions of libraries, or of the language, whose names the
# other files define.
SETS = small_projects("namesakes.txt")


@pytest.mark.parametrize("language", SETS)
def test_a_call_into_a_library_is_no_edge_to_a_namesake(language):
    project = project_of(SETS[language])
    path = list(project.files)[-1]
    facts = project.files[path]
    assert facts.whole
    assert len(facts.calls) >= 6
    resolver = Resolver(project)
    edges = [(one, meaning) for one in facts.calls if (meaning := resolver.meaning(path, one)).targets]
    assert edges == []


def test_the_set_is_a_set_of_namesakes():
    projects = [project_of(files) for files in SETS.values()]
    assert len(projects) == 10
    known = {one.plain for project in projects for _, one in project.symbols()}
    called = [one.name.rstrip("!") for project in projects for one in list(project.files.values())[-1].calls]
    assert sum(name in known for name in called) >= 100


# -- Files next to those in play: by references, kept beside the facts, told by `context` at the end.
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


# -- What became of symbols, in files that were edited as people do it.
FILE = b'''import files


class Store:
    """Keeps things."""

    def open(self, path):
        # The first time it is made.
        if path:
            return files.open(path)
        return self.open("default")

    def shut(self):
        files.flush()
        files.close()
'''


def _facts(data: bytes, path="store.py"):
    facts = read_facts(path, data)
    assert facts is not None
    return facts


def _link(name: str, data=FILE, path="store.py"):
    facts = _facts(data, path)
    return link_of(path, facts, next(one for one in facts.symbols if one.name == name))


def judged(*args, **named):
    return both_judged(*args, **named)[0]


def _after(name: str, *changes: tuple[str, str], elsewhere=()):
    data = FILE
    for old, new in changes:
        assert old.encode() in data
        data = data.replace(old.encode(), new.encode())
    return judged(_link(name), _facts(data), lambda _: elsewhere, _facts(FILE))


@pytest.mark.parametrize(
    ("changes", "now"),
    [
        ((("def open", "def connect"), ("self.open", "self.connect")), "Store.connect"),
        ((("class Store", "class Files"),), "Files.open"),
    ],
)
def test_a_new_name_is_followed(changes, now):
    found = _after("Store.open", *changes)
    assert (found.state, found.renamed) == ("moved", now)
    assert found.outcome == f"Store.open (store.py:7-11) is now {now} (store.py:7-11)"


def test_what_was_deleted_is_gone():
    at = FILE.index(b"    def shut")
    found = judged(_link("Store.shut"), _facts(FILE[:at]))
    assert (found.state, found.standing) == ("gone", 0.0)
    assert judged(_link("Store.shut"), None).what == "its file is gone"


def test_the_first_line_of_what_was_renamed_is_not_that_of_its_name():
    body = "".join(f"    g({n})\n" for n in range(9))
    before, after = (
        _facts(f"def {name}():\n{text}".encode())
        for name, text in (("f", body), ("h", body.replace("7", "8")))
    )
    found = judged(link_of("store.py", before, before.symbols[0]), after, before=before)
    assert (found.state, found.renamed, found.what) == ("changed", "h", "edited at line 9")


def test_the_first_line_of_a_long_symbol_is_told_as_far_as_its_lines_are_known():
    body = "".join(f"    g({n})\n" for n in range(900))
    before, after = _facts(f"def f():\n{body}".encode()), _facts(f"def f():\n{body}    h()\n".encode())
    link = link_of("store.py", before, before.symbols[0])
    assert judged(link, after, before=before).what == "edited at line 902"
    assert judged(link, after).what == f"edited after line {MOST_LINES}"
