"""Calls into libraries: none becomes an edge to something of the project that has the same name.

The last file of each set calls methods and functions of libraries, or of the language, whose names the other
files define.
"""

import pytest
from small_projects import project_of, small_projects

from recortex.engines.code.resolution import Resolver

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
