"""What memories say of the libraries that a project uses, and how these stand now."""

import pytest

from recortex import Cortex

HANDLER = '@app.get("/kilns/{0}")\nasync def {1}(number: int) -> int:\n    return 1\n\n\n'


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    (root / "requirements.txt").write_text("fastapi==0.115.0\n")
    (root / "app.py").write_text(
        "from fastapi import FastAPI\n\napp = FastAPI()\n\n\n" + HANDLER.format(1, "part")
    )
    return root


@pytest.fixture
def cortex(project):
    with Cortex.open(project) as found:
        yield found


def test_memories_of_a_library_are_told_with_it_and_its_state_with_them(cortex):
    assert cortex.code("patterns").known == ()
    why = cortex.remember("It reads types.", kind="pattern_rationale", patterns=["fastapi"])
    grave = cortex.remember(
        content={"knowledge": "Never stream from FastAPI.", "severity": "critical"},
        kind="tribal",
        constraints=["FastAPI"],
    )
    cortex.remember("Kilns are fired at night.", patterns=["kilns"])
    decided = cortex.remember("FastAPI was chosen for its schemas.", kind="decision", patterns=["fastapi"])
    over = {"reason": "A probe.", "constraint_id": "fastapi", "expires_at": "2020-01-01"}
    ended = cortex.remember(content=over, kind="constraint_override")
    open_ = cortex.remember(
        content={"reason": "A stream.", "scope_type": "pattern", "scope_target": "fastapi"},
        kind="constraint_override",
    )
    (known,) = [one for one in cortex.code("patterns").known if one.pattern == "FastAPI"]
    assert known.has_rationale
    told = {one.id: one.because for one in known.known}
    assert told == {why.id: "explains it", decided.id: "decides it", grave.id: "is known of it"}
    assert [one.id for one in known.warnings] == [grave.id]
    assert [one.id for one in known.overrides] == [open_.id]
    assert [one.id for one in known.expired] == [ended.id]
    (state,) = cortex.get(why.id).cited
    assert state.startswith("pattern now: FastAPI is used: 1 imports, ")
    (hit,) = [one for one in cortex.recall("What reads types?").hits if one.memory.id == why.id]
    assert hit.cited == state


def test_a_purge_takes_the_state_of_patterns_along(cortex):
    cortex.remember("The word is FastAPI.")
    cortex.code("patterns")
    home = cortex._app.project.home
    assert [one for one in home.rglob("*.patterns.json") if b"FastAPI" in one.read_bytes()]
    assert cortex.purge(text="FastAPI").traces == ()
    assert [one for one in home.rglob("*") if one.is_file() and b"FastAPI" in one.read_bytes()] == []
