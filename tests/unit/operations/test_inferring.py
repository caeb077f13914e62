"""What is inferred from a session waits for a person, and what a person rejected does not come back."""

from dataclasses import replace

import pytest

from recortex.app.changes import keep_inferred
from recortex.app.jobs.table import do_pruning, follow_causes
from recortex.app.jobs.work import Work
from recortex.domain.memory import Relation
from recortex.domain.vocabulary import RelationStatus, RelationType

SAID = (
    (
        3,
        "assistant",
        "incident",
        "",
        "The importer crashes since `parse_rows` is called with a missing header",
    ),
    (6, "assistant", "decision", "", "Use `read_header` first and give its result to `parse_rows`"),
    (8, "assistant", "semantic", "", "The export writes `totals.csv` with a line for each day of the month"),
    (9, "user", "tribal", "person_corrected_ought", "There should be one line for each week in `totals.csv`"),
    (30, "assistant", "semantic", "", "Colours of the theme come from `palette.json`"),
)


@pytest.fixture
def said(cortex):
    """A failure and its remedy, a statement and its correction, and something else."""
    wishes = [
        {
            "text": text,
            "kind": kind,
            "source": {"session": "s1", "turn": turn, "speaker": speaker, "rule": rule},
        }
        for turn, speaker, kind, rule, text in SAID
    ]
    cortex.remember_many(wishes, link=False)
    found = cortex.list(limit=10).memories
    return [next(one.id for one in found if one.text == text) for *_, text in SAID]


def services(cortex):
    return cortex._app.all_services()[0]


def stored(cortex):
    return services(cortex).store.relations.all()


def work(cortex, clock):
    found = services(cortex)
    return Work(found, clock(), clock, found.settings, lambda: 60.0)


def test_a_remedy_follows_its_failure_and_a_correction_what_it_corrects(cortex, said):
    crash, remedy, export, weekly, _ = said
    found = cortex.infer()
    assert {(one.cause.id, one.effect.id) for one in found.causes} == {(crash, remedy), (export, weekly)}
    assert {one.relation.type for one in found.causes} == {RelationType.TRIGGERED_BY}
    for one in stored(cortex):
        assert (one.status, one.inferred) == (RelationStatus.SUGGESTED, True)
        assert one.evidence[0].endswith("later.")
        assert 0.0 <= one.strength <= 1.0


def test_suggestions_are_not_followed_until_they_are_confirmed(cortex, said):
    cortex.infer()
    assert not cortex.traverse(said[0], direction="effects").reached
    assert not cortex.traverse(said[0]).reached
    assert not cortex.related(said[0]).neighbours
    (first,) = [one for one in cortex.review().causes if one.cause.id == said[0]]
    cortex.link(first.relation.source_id, first.relation.target_id, relation=first.relation.type)
    assert [one.memory.id for one in cortex.traverse(said[0], direction="effects").reached] == [said[1]]
    assert [one.cause.id for one in cortex.review().causes] == [said[2]]


def test_what_a_person_rejected_does_not_come_back(cortex, said, clock):
    cortex.infer()
    cortex.unlink(said[0], said[1])
    assert cortex.infer().found == 0
    assert cortex.infer(said[1]).found == 0
    follow_causes(work(cortex, clock))
    assert len(stored(cortex)) == 1


def test_other_evidence_makes_a_suggestion_active(cortex, said):
    cortex.infer()
    (waits,) = [one for one in stored(cortex) if one.target_id == said[0]]
    same = replace(waits, evidence=("It tells what to do about what failed, 9 turns later.",))
    assert keep_inferred(services(cortex), [same]) == []
    other = replace(waits, evidence=("A commit reverts it.",))
    (kept,) = keep_inferred(services(cortex), [other])
    assert kept.status is RelationStatus.ACTIVE
    assert kept.evidence == (*waits.evidence, "A commit reverts it.")


def test_weak_relations_and_old_suggestions_go_and_are_noted(cortex, said, clock):
    cortex.infer()
    cortex.link(said[3], said[4], relation="caused", strength=0.15)
    cortex.link(said[2], said[4], relation="supports", strength=0.1)
    assert do_pruning(work(cortex, clock)).counts == {"relations": 1}
    clock.pass_(days=91)
    assert do_pruning(work(cortex, clock)).counts == {"relations": 2}
    assert [one.type for one in stored(cortex)] == [RelationType.SUPPORTS]
    noted = [one for one in cortex.history(said[3]).audit if one.operation == "unlink"]
    assert next(one.details["strength"] for one in noted) == 0.15
    assert {one.reason for one in services(cortex).store.relations.former(said)} == {"pruned"}


def test_doctor_names_a_circle_of_an_older_store_and_upkeep_breaks_it(cortex, said, clock):
    relations = services(cortex).store.relations
    relations._keep([Relation(said[0], said[1], RelationType.CAUSED, clock(), 0.9)])
    relations._keep([Relation(said[1], said[0], RelationType.CAUSED, clock(), 0.5)])
    told = [one.message for one in cortex.doctor().findings if "causes of themselves" in one.message]
    assert len(told) == 1
    assert said[1][:8] in told[0]
    assert do_pruning(work(cortex, clock)).counts == {"relations": 0, "doubted": 1}
    assert [one.strength for one in stored(cortex) if one.status is RelationStatus.SUGGESTED] == [0.5]
    assert not [one for one in cortex.doctor().findings if "causes of themselves" in one.message]
