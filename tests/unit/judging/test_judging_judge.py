"""The probabilities of the trained table, and how a table is applied."""

import math

import pytest

from recortex.engines.judging import TABLE, Message, Statement, assess, features
from recortex.engines.tables import read, table

TARGETS = ("keep", "alone")
RULE = "We never round totals before tax, because the auditors compare cents."
SMALL_TALK = "ok thanks"
PLAN = "Let me look at the parser now."


def judged(text, **more):
    return assess(Statement(0, len(text)), Message(text), **more)


def small_table(bias=0.0, **more):
    """A table that knows two features."""
    written = {
        "features": ["says_must", "form_question"],
        "models": {name: [bias, 1.0, -1.0] for name in TARGETS},
        "calibration": {name: [0.0, 1.0] for name in ("keep", "active")},
    }
    return read(written | more)


def logit(chance):
    return math.log(chance / (1 - chance))


def test_the_training_is_on_record():
    record = table(TABLE).written["record"]
    assert record["script"] == "bench/judge.py"
    assert sum(record["projects"].values()) == record["statements"]


def test_weights_are_added():
    assert logit(judged("It must run.", trained=small_table()).keep) == pytest.approx(1.0)
    assert logit(judged("Must it run?", trained=small_table()).keep) == pytest.approx(0.0)


def test_active_is_both_kept_and_alone():
    found = judged("It must run.", trained=small_table())
    assert found.active == pytest.approx(found.keep**2)


def test_calibration_turns_scores_into_probabilities():
    flat = {name: [-1.0, 0.0] for name in ("keep", "active")}
    assert logit(judged("It must run.", trained=small_table(calibration=flat)).keep) == pytest.approx(-1.0)


def test_scores_without_bound_stay_probabilities():
    assert all(0.0 < value <= 1.0 for value in judged("It must run.", trained=small_table(bias=1e9)))


def test_the_trained_table_fits_the_features():
    trained = table(TABLE)
    assert trained.written["features"] == list(features(Statement(0, len(RULE)), Message(RULE)))
    assert set(trained.models) == set(TARGETS)
    weights = [one for model in trained.models.values() for one in (model.bias, *model.weights.values())]
    assert all(map(math.isfinite, weights))


def test_a_lasting_rule_ranks_before_small_talk_and_plans():
    rule, talk, plan = map(judged, (RULE, SMALL_TALK, PLAN))
    assert rule.keep > max(talk.keep, plan.keep)
    assert rule.active > max(talk.active, plan.active)


def test_what_needs_what_stands_before_it_is_less_likely_to_be_active():
    whole, part = judged("The importer must keep empty rows."), judged("and that one too")
    assert whole.active / whole.keep > part.active / part.keep
