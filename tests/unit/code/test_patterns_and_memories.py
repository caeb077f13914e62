"""What memories say of libraries and conventions, and how these stand now."""

import pytest

from recortex import Cortex

HEAD = "from fastapi import FastAPI\n\nfrom answers import Answer\n\napp = FastAPI()\n\n\n"


def handlers(answering, others=0):
    rows = [("Answer", number) for number in range(answering)]
    rows += [("int", number + answering) for number in range(others)]
    return HEAD + "\n\n\n".join(
        f'@app.get("/kilns/{number}")\nasync def part{number}(number: int) -> {type_}:\n    return 1'
        for type_, number in rows
    )


def write(project, *counts):
    (project / "app.py").write_text(handlers(*counts))


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    (root / "requirements.txt").write_text("fastapi==0.115.0\n")
    (root / "answers.py").write_text("class Answer:\n    pass\n")
    write(root, 9, 1)
    return root


@pytest.fixture
def cortex(project):
    with Cortex.open(project) as found:
        yield found


def convention(cortex):
    (one,) = [one for one in cortex.code("patterns").conventions if one.trait == "return"]
    return one


def test_memories_of_a_pattern_are_told_with_it_and_its_state_with_them(cortex):
    id_ = convention(cortex).id
    why = cortex.remember("Clients parse one envelope.", kind="pattern_rationale", patterns=[id_])
    grave = cortex.remember(
        content={"knowledge": "Never return Answer from a stream.", "severity": "critical"},
        kind="tribal",
        constraints=[id_],
    )
    cortex.remember("FastAPI was chosen for its schemas.", kind="decision", patterns=["fastapi"])
    over = {"reason": "A probe.", "constraint_id": id_, "expires_at": "2020-01-01"}
    ended = cortex.remember(content=over, kind="constraint_override")
    open_ = cortex.remember(
        content={"reason": "A stream.", "scope_type": "pattern", "scope_target": id_},
        kind="constraint_override",
    )
    known = {one.pattern: one for one in cortex.code("patterns").known}
    of_it = known[id_]
    assert of_it.has_rationale
    assert {one.id for one in of_it.known} == {why.id, grave.id}
    assert [one.id for one in of_it.warnings] == [grave.id]
    assert [one.id for one in of_it.overrides] == [open_.id]
    assert [one.id for one in of_it.expired] == [ended.id]
    assert [one.because for one in known["FastAPI"].known] == ["decides it"]
    (state,) = cortex.get(why.id).cited
    assert state.startswith("pattern now: 9 of 10 FastAPI handlers return `Answer`; exception: part9.")
    found = cortex.recall("Why do clients parse an envelope?").hits
    (hit,) = [one for one in found if one.memory.id == why.id]
    assert hit.cited == state


def test_a_purge_takes_the_state_of_patterns_along(cortex, project):
    (project / "app.py").write_text(handlers(9, 1).replace("part9", "opensesame"))
    cortex.remember("The word is opensesame.")
    cortex.code("patterns")
    home = cortex._app.project.home
    assert [one for one in home.rglob("*.patterns.json") if b"opensesame" in one.read_bytes()]
    assert cortex.purge(text="opensesame").traces == ()
    assert [one for one in home.rglob("*") if one.is_file() and b"opensesame" in one.read_bytes()] == []
