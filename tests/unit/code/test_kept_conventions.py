"""Conventions as memories: kept on request, followed, explained, and linked to what is known of them."""

import pytest

from recortex import Cortex
from recortex.code.keeping import comment_beside, names
from recortex.errors import InvalidInputError

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


def returned(found):
    """The one that says what is returned."""
    (one,) = [one for one in found if "return" in one.text and "Answer" in one.text]
    return one


def ours(cortex):
    return returned(cortex.conventions().memories)


def convention(cortex):
    (one,) = [one for one in cortex.code("patterns").conventions if one.trait == "return"]
    return one


def test_a_convention_without_a_known_reason_asks_for_one(cortex):
    kept = cortex.conventions("keep")
    one = returned(kept.memories)
    assert (one.kind, one.status, one.origin) == ("semantic", "active", "code_index")
    assert one.text.startswith(
        "9 of 10 FastAPI handlers return `Answer`; exception: part9. Why is not known."
    )
    assert one.metadata["convention"]["exceptions"] == ["app.py:54 part9"]
    assert one.confidence == pytest.approx(0.63)
    assert one.patterns[0].id == convention(cortex).id == "python.fastapi-handlers.return.Answer"


def test_keeping_again_changes_nothing_and_makes_no_other(cortex):
    first = cortex.conventions("keep")
    again = cortex.conventions("keep")
    assert again.counts == {"same": first.counts["kept"]}
    assert [one.version for one in cortex.conventions().memories] == [1] * first.counts["kept"]


@pytest.mark.parametrize(
    ("counts", "status", "text", "confidence"),
    [
        ((11, 1), "active", "11 of 12 FastAPI handlers return `Answer`; exception: part11.", 0.64),
        ((7, 4), "active", "7 of 11 FastAPI handlers return `Answer`.", 0.45),
        ((2, 8), "archived", "9 of 10 FastAPI handlers", 0.63),
    ],
)
def test_a_kept_convention_follows_the_code(cortex, project, counts, status, text, confidence):
    cortex.conventions("keep")
    write(project, *counts)
    cortex.conventions("keep")
    one = ours(cortex)
    assert (one.status, one.confidence) == (status, pytest.approx(confidence))
    assert one.text.startswith(text)
    assert (one.valid_until is not None) == (status == "archived")


def test_what_ended_comes_back_with_the_code_but_not_what_a_person_put_away(cortex, project):
    cortex.conventions("keep")
    write(project, 2, 8)
    assert cortex.conventions("keep").counts["ended"] >= 1
    write(project, 9, 1)
    assert cortex.conventions("keep").counts["restored"] >= 1
    assert (ours(cortex).status, ours(cortex).valid_until) == ("active", None)
    cortex.forget(ours(cortex).id)
    write(project, 12, 1)
    cortex.conventions("keep")
    assert ours(cortex).status == "archived"


def test_a_person_says_why(cortex, project):
    cortex.conventions("keep")
    cortex.review("approve", [ours(cortex).id], reason="Clients parse one envelope.")
    one = ours(cortex)
    assert (one.kind, one.content.rationale) == ("pattern_rationale", "Clients parse one envelope.")
    assert one.content.technical_context.startswith("9 of 10")
    write(project, 12, 1)
    cortex.conventions("keep")
    assert ours(cortex).content.rationale == "Clients parse one envelope."
    assert ours(cortex).content.technical_context.startswith("12 of 13")
    other = cortex.remember("Kilns are fired at night.")
    with pytest.raises(InvalidInputError, match="none of a convention"):
        cortex.review("approve", [other.id], reason="It is cheaper.")


REASON = "All handlers return Answer because clients parse one envelope."


def by_memory(cortex, _):
    cortex.remember(REASON, kind="decision")


def by_document(_, project):
    (project / "CONTRIBUTING.md").write_text(f"# Rules\n\nBe kind. {REASON} Thanks.\n")


def by_comment(_, project):
    (project / "answers.py").write_text(f'class Answer:\n    """The envelope.\n\n    {REASON}\n    """\n')


@pytest.mark.parametrize("known", [by_memory, by_document, by_comment])
def test_a_reason_that_is_written_down_is_found(cortex, project, known):
    known(cortex, project)
    cortex.conventions("keep")
    one = ours(cortex)
    assert (one.kind, one.content.rationale) == ("pattern_rationale", REASON)
    assert one.trust == ("derived" if known is by_memory else "untrusted")


@pytest.mark.parametrize(
    "text",
    [
        "Tests return early because the kiln is slow to heat.",
        "All handlers return Answer.",
        "Answer is a class because Python has classes.",
    ],
)
def test_another_reason_is_none_of_it(cortex, project, text):
    (project / "README.md").write_text(text + "\n")
    cortex.conventions("keep")
    assert ours(cortex).kind == "semantic"


def test_a_reason_beside_the_definition_that_names_something_else_is_none_of_it(cortex, project):
    beside = '"""Kilns are sorted here because the slowest one has to be lit first."""'
    (project / "answers.py").write_text(f"class Answer:\n    {beside}\n")
    cortex.conventions("keep")
    assert ours(cortex).kind == "semantic"


def test_a_linked_memory_of_another_thing_is_no_reason(cortex):
    text = "Night shifts were ended because the gate is locked at ten."
    cortex.remember(text, kind="decision", patterns=[convention(cortex).id])
    cortex.conventions("keep")
    assert ours(cortex).kind == "semantic"


def test_a_word_of_the_language_names_no_convention(cortex):
    one = convention(cortex)._replace(values=("None",))
    assert not names("None of the handlers may wait because kilns are slow.", one)
    assert names("All handlers return `None` because nobody reads it.", one)


def test_at_most_so_many_are_kept_as_the_limit_says(cortex):
    assert len(cortex.conventions("keep", limit=1).memories) == 1


def test_what_is_kept_is_redacted(cortex, project):
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    (project / "README.md").write_text(f"Handlers return Answer because the key {token} needs it.\n")
    cortex.conventions("keep")
    assert "ghp_" not in repr(ours(cortex))


def test_memories_of_a_pattern_are_told_with_it_and_its_state_with_them(cortex):
    id_ = convention(cortex).id
    cortex.conventions("keep")  # what is kept is not told beside itself
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


def test_comments_are_read_without_their_signs():
    lines = ["# One.", "x = 1", "/* Two. */", '"""Three', "four.", '"""', "y = 2", "// Five."]
    assert comment_beside(lines).split() == ["One.", "Two.", "Three", "four.", "Five."]
