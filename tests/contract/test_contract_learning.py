"""Learning from corrections and from a person's answers, on every engine."""

import pytest

from recortex import Cortex
from recortex.domain.vocabulary import Actor, RelationType
from recortex.errors import InvalidInputError, PersonNeededError

LAYERS = "Don't call the database from controllers; use the repository layer as all other controllers do."


@pytest.fixture
def url(project, layout, server):
    return f"sqlite:///{project}/cortex.db" if layout == "sqlite" else server.workspace_url(layout)


@pytest.fixture
def cortex(project, clock, url, monkeypatch):
    """The memory of a project, without vectors, kept by each engine."""
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    with Cortex.open(project, url=url, clock=clock) as opened:
        yield opened


@pytest.mark.parametrize(
    ("words", "kind", "importance"),
    [
        ("Never log access tokens, they end up in the support archive.", "tribal", "critical"),
        ("This reads every row one by one, an N+1 query; batch it.", "code_smell", "normal"),
        ("You must not touch released migrations.", "constraint_override", "high"),
        ("The column is called `user_id`, not `uid`.", "preference", "normal"),
    ],
)
def test_each_category_makes_its_kind(cortex, words, kind, importance):
    kept = cortex.learn(words).memory
    assert (kept.kind, kept.importance) == (kind, importance)


def test_the_same_correction_is_more_evidence_and_no_second_memory(cortex, clock):
    first = cortex.learn(LAYERS)
    clock.pass_(days=1)
    again = cortex.learn(f"No, {LAYERS[0].lower()}{LAYERS[1:]}")
    assert (again.outcome, again.memory.id) == ("updated", first.memory.id)
    assert again.factors.evidence > first.factors.evidence
    assert again.memory.confidence > first.memory.confidence
    assert cortex.list().total == 1


def test_a_correction_is_linked_to_what_it_was_learned_from_and_to_what_it_replaces(cortex, clock):
    known = cortex.remember("Controllers must go through the repository layer.", kind="pattern_rationale")
    taught = cortex.learn(LAYERS)
    assert {(one.type, one.other(taught.memory.id)) for one in taught.relations} == {
        (RelationType.LEARNED_FROM, known.id)
    }
    clock.pass_(days=1)
    old = cortex.remember("Tests run with npm test", kind="tribal")
    clock.pass_(days=1)
    new = cortex.learn("Tests run with pnpm test, we no longer use npm test")
    assert cortex.get(old.id).superseded_by == new.memory.id
    assert (RelationType.TRIGGERED_BY, old.id) in {
        (one.type, one.other(new.memory.id)) for one in new.relations
    }


def test_texts_and_a_diff_teach_what_changed(cortex):
    shown = cortex.learn(original="requests.get(url)", corrected="requests.get(url, timeout=10)")
    assert "`requests.get(url, timeout=10)`" in shown.principle
    changed = ("-u = getUser(1)", "-v = getUser(2)", "+u = get_user(1)", "+v = get_user(2)")
    diff = "\n".join(("--- a/app.py", "+++ b/app.py", "@@ -1,2 +1,2 @@", *changed, ""))
    renamed = cortex.learn(diff)
    assert (renamed.category, renamed.memory.files[0].path) == ("naming_convention", "app.py")


def test_a_trial_keeps_nothing_and_nothing_is_learned_of_nothing(cortex):
    assert cortex.learn(LAYERS, dry_run=True).dry_run
    assert cortex.list().total == 0
    for words in ("", "ok"):
        with pytest.raises(InvalidInputError):
            cortex.learn(words)


@pytest.mark.parametrize(
    ("answer", "text", "status"),
    [("confirm", "", "active"), ("reject", "", "archived"), ("modify", "The pool has ten.", "active")],
)
def test_an_answer_changes_the_confidence_and_is_taken_back(cortex, clock, answer, text, status):
    kept = cortex.remember("The pool has nine connections.", kind="tribal", confidence=0.6)
    clock.pass_(days=1)
    done = cortex.feedback(kept.id, answer, text=text)
    assert done.memory.status == status
    assert done.confidence[1] == pytest.approx(0.3 if answer == "reject" else 0.8)
    assert bool(done.memory.validated_at) is (answer != "reject")
    clock.pass_(minutes=1)
    back = cortex.undo(kept.id)
    assert (back.text, back.status, back.validated_at) == (kept.text, kept.status, None)
    assert back.confidence == pytest.approx(0.6, abs=0.01)


def test_an_answer_to_what_was_put_away_is_refused(cortex):
    kept = cortex.remember("The pool has nine connections.", kind="tribal")
    cortex.forget(kept.id)
    with pytest.raises(InvalidInputError, match="archived"):
        cortex.feedback(kept.id, "confirm")


def test_an_agent_validates_nothing(project, clock, url, cortex):
    kept = cortex.remember("The pool has nine connections.", kind="tribal", confidence=0.6)
    pinned = cortex.remember("Never deploy on Fridays.", kind="tribal", pinned=True)
    with Cortex.open(project, url=url, clock=clock, actor=Actor.AGENT) as agent:
        done = agent.feedback(kept.id, "reject").memory
        assert (done.status, done.validated_at) == ("active", None)
        with pytest.raises(PersonNeededError):
            agent.feedback(pinned.id, "reject")


def test_a_person_is_asked_about_what_is_uncertain_and_important_first(cortex, clock):
    unsure = cortex.remember("Releases need two approvals.", kind="decision", confidence=0.4, priority=8)
    cortex.remember("The logo is blue.", kind="decision", confidence=0.4, priority=3)
    cortex.remember("The pool has nine connections.", kind="tribal", confidence=0.95, priority=8)
    [question] = cortex.review(candidates=True).questions
    assert (question.memory.id, question.doubt) == (unsure.id, "uncertain")
    assert "important" in question.question
    cortex.feedback(unsure.id, "confirm")
    assert cortex.review(candidates=True).questions == ()
    clock.pass_(days=120)
    asked = {one.doubt for one in cortex.review(candidates=True).questions}
    assert "never validated" in asked


def test_a_person_is_asked_which_of_two_holds(cortex, clock):
    old = cortex.remember("Tests run with npm test", kind="procedural", pinned=True)
    clock.pass_(days=1)
    new = cortex.remember(
        "Tests run with pnpm test, we no longer use npm test", kind="procedural", status="active"
    )
    [question] = cortex.review(candidates=True).questions
    assert (question.memory.id, question.doubt, question.against.id) == (new.id, "contradicted", old.id)
