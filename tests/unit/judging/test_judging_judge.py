"""The probabilities of the trained table, and how a table is applied."""

import math

import pytest

from recortex.engines.judging import Message, Statement, features, judged
from recortex.engines.judging.judge import TABLE
from recortex.engines.regression import read, table

MOST_BYTES = 1_000_000
TARGETS = ("keep", "alone", "durable")
RULE = "We never round totals before tax, because the auditors compare cents."
SMALL_TALK = "ok thanks"
PLAN = "Let me look at the parser now."


def stated(text, speaker="person", **more):
    return Statement(0, len(text)), Message(speaker, text, **more)


def small_table(bias=0.0, **more):
    """A table that knows two features."""
    kinds = ["decision", "gotcha"]
    written = {
        "kinds": kinds,
        "features": ["says_must", "form_question", "typed says_must"],
        "models": {name: [bias, 1.0, -1.0, 2.0] for name in (*TARGETS, *kinds)},
        "calibration": {name: [0.0, 1.0] for name in (*TARGETS, "active")},
    }
    return read(written | more)


def logit(chance):
    return math.log(chance / (1 - chance))


def test_weights_are_added_and_those_of_the_person_on_top():
    by_agent, by_person = judged(
        [stated("It must run.", "agent"), stated("It must run.")], trained=small_table()
    )
    assert logit(by_agent.keep) == pytest.approx(1.0)
    assert logit(by_person.keep) == pytest.approx(3.0)


def test_active_is_both_kept_and_alone():
    (found,) = judged([stated("It must run.")], trained=small_table())
    assert found.active == pytest.approx(found.keep * found.alone)


def test_calibration_turns_scores_into_probabilities():
    flat = {name: [-1.0, 0.0] for name in (*TARGETS, "active")}
    (found,) = judged([stated("It must run.")], trained=small_table(calibration=flat))
    assert logit(found.keep) == pytest.approx(-1.0)


def test_scores_without_bound_stay_probabilities():
    (found,) = judged([stated("It must run.")], trained=small_table(bias=1e9))
    assert all(0.0 < value <= 1.0 for value in found[:4])


def test_nothing_to_judge():
    assert judged([]) == []


def test_the_trained_table_fits_the_features():
    trained = table(TABLE)
    names = set(features(*stated(RULE)))
    assert set(trained.written["features"]) == names | {f"typed {name}" for name in names}
    assert set(trained.models) == {*TARGETS, *trained.written["kinds"]}
    weights = [one for model in trained.models.values() for one in (model.bias, *model.weights.values())]
    assert all(map(math.isfinite, weights))
    assert TABLE.stat().st_size < MOST_BYTES


def test_the_training_is_on_record():
    record = table(TABLE).written["record"]
    assert record["script"] == "bench/judge.py"
    assert sum(record["projects"].values()) == record["statements"]


def test_a_lasting_rule_of_the_person_ranks_before_small_talk_and_plans():
    rule, talk, plan = judged([stated(RULE), stated(SMALL_TALK), stated(PLAN, "agent")])
    assert rule.keep > max(talk.keep, plan.keep)
    assert rule.active > max(talk.active, plan.active)
    assert rule.durable > max(talk.durable, plan.durable)


def test_what_needs_what_stands_before_it_stands_less_alone():
    whole, part = judged([stated("The importer must keep empty rows."), stated("and that one too")])
    assert whole.alone > part.alone


def test_kinds_add_up():
    (found,) = judged([stated(RULE)])
    assert sum(found.kinds.values()) == pytest.approx(1.0)
    assert set(found.kinds) == set(table(TABLE).written["kinds"])


def test_a_statement_is_judged_alike_in_any_company():
    several = [stated(RULE), stated(PLAN, "agent"), stated(SMALL_TALK)]
    together = judged(several)
    for place, one in enumerate(several):
        (alone,) = judged([one])
        assert alone[:4] == pytest.approx(together[place][:4], abs=1e-12)
    assert together == judged(several)
