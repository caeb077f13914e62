"""What calls within a project mean, and that a change of one file loses no call of another."""

import pytest
from small_projects import project_of, small_projects

from recortex.engines.code.resolution import Resolver, callees

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
