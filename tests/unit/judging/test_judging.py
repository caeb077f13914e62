"""Which candidates become active."""

import math

import pytest

from recortex.engines.judging import TABLE, Message, Statement, assess, cues, features
from recortex.engines.tables import read, table


# -- What is known of a statement: its form, its words, whose it is and what stands around it.
def of(text, part="", rule=0.0, **more):
    """The features of a part of a message; of all of it unless one is named."""
    start = text.index(part)
    return features(Statement(start, start + len(part or text), rule), Message(text, **more))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Totals must never be rounded.", "says_must"), ("Totals must never be rounded.", "says_always"),
        ("We don't round totals.", "says_not"), ("We DON’T round totals.", "says_stop"),
        ("It is slow because every row is read.", "says_why"),
        ("Use the queue instead of a thread.", "says_instead"),
        ("Use the queue instead of a thread.", "says_one_not_other"),
        ("The root cause is a missing index.", "says_cause"),
        ("I'll look at the parser.", "says_plans"), ("I've updated the parser.", "says_did"),
        ("For now the port is fixed.", "says_for_now"), ("can you fix the header", "says_asks"),
        ("We decided to drop the cache.", "says_decides"),
    ],
)  # fmt: skip
def test_words_and_phrases_are_signs(text, name):
    assert cues(text)[name] == 1.0
    assert of(text)[name] == 1.0


def test_words_are_whole_and_phrases_are_in_order():
    found = cues("The mustard is usefully notable; cause root it.")
    assert not any(found[name] for name in ("says_must", "says_not", "says_cause", "says_did"))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("- the port is 8080", "form_bullet"), ("2. the port is 8080", "form_numbered"),
        ("## Ports", "form_heading"), ("**Port:** it is 8080", "form_bold"),
        ("**All of it is bold**", "form_all_bold"), ("why is this so slow?", "form_question"),
        ("端口为什么被占用\N{FULLWIDTH QUESTION MARK}", "form_question"),
        ("can't the tests be table driven, shouldn't we say so", "form_rhetorical"),
        ("It breaks on Mondays.", "form_points"), ("and the second one too", "form_goes_on"),
        ("no, the other folder", "form_no"), ("Use the other folder", "form_order"),
        ("Updated the parser.", "form_did"), ("The files are:", "form_colon"),
        ("const port = 8080;", "form_code_line"), ("the port is fixed", "form_small"),
    ],
)  # fmt: skip
def test_forms(text, name):
    assert of(text)[name] == 1.0
    assert of("Plain sentences have no such form.")[name] == 0.0


def test_names_are_counted():
    one = of("`load` reads src/app/main.py, and parseAll() writes MAX_SIZE at line 12 of 300.")
    none = of("It reads a file and writes a number.")
    for name in ("names_code", "names_path", "names_symbol", "names_constant", "names_number", "names_line"):
        assert one[name] > none[name] == 0.0


def test_a_path_counts_once():
    assert of("see src/app/main.py")["names_path"] == of("see main.py")["names_path"]


def test_chinese_has_words_too():
    one = of("数据库的端口必须保持不变，因为部署脚本依赖它")  # noqa: RUF001
    assert one["shape_foreign"] == 1.0
    assert one["shape_short"] == 0.0


def test_where_it_stands():
    text = "It failed. The port was taken. Tell me more."
    first, middle, last = (of(text, part) for part in ("It failed.", "The port was taken.", "Tell me more."))
    assert (first["stands_first"], middle["stands_first"], last["stands_first"]) == (1.0, 0.0, 0.0)
    assert (first["stands_last"], middle["stands_last"], last["stands_last"]) == (0.0, 0.0, 1.0)
    assert first["stands_at"] < middle["stands_at"] < last["stands_at"]
    assert middle["same_line"] == 1.0
    assert of("Alone.")["stands_alone"] == 1.0


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("## Root cause", "under_why"),
        ("**Decisions**", "under_rule"),
        ("Summary of changes:", "under_done"),
        ("# Next steps", "under_next"),
    ],
)
def test_the_heading_above(heading, name):
    text = f"Hello there.\n\n{heading}\n\n- one\n- the port was taken"
    assert of(text, "the port was taken")[name] == 1.0
    assert of(text, "Hello there.")["under_heading"] == 0.0


def test_the_nearest_heading_counts():
    text = "## Root cause\n\nA lock.\n\n## Next steps\n\nRemove it."
    found = of(text, "Remove it.")
    assert (found["under_why"], found["under_next"]) == (0.0, 1.0)


def test_what_it_answers():
    offer = "There are two ways. Which one do you want?"
    assert of("the second", before=offer)["answers_offer"] == 1.0
    assert of("the second", before="Done.")["answers_offer"] == 0.0
    assert of("no, use the queue")["message_objects"] == 1.0


def test_how_the_text_goes_on():
    text = "These are fixed:\n- the port. Because the proxy expects it."
    found = of(text, "- the port.")
    assert (found["before_colon"], found["after_why"]) == (1.0, 1.0)


def test_the_rule_that_took_it():
    assert of("Never push to main.", rule=0.8)["rule"] == 0.8
    assert of("Never push to main.")["ruled"] == 0.0


@pytest.mark.parametrize("text", ["", " ", "\n", "`", "🙂", "x" * 5_000])
def test_any_text_has_the_same_names_in_order(text):
    found = of(text)
    assert list(found) == list(of("Never push to main."))
    assert all(isinstance(value, float) for value in found.values())


# -- The probabilities of the trained table, and how a table is applied.
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
