"""Durations and what came of questions are counted, over processes, once each."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families as families

from recortex import Cortex, telemetry
from recortex.domain.maintenance import Degradation
from recortex.domain.vocabulary import Scope
from recortex.metrics.records import BOUNDS, Histogram, bucket_of, count_timings

pytestmark = pytest.mark.usefixtures("without_vectors")


def timings(cortex):
    if cortex._app.metered:
        cortex._app.metered.flush()
    return cortex._app.services(Scope.PROJECT).location.timings


def timed(cortex, **wanted):
    return {one.name: one for one in cortex.metrics(**wanted).timed}


@given(st.lists(st.floats(0.3, 100_000), min_size=1, max_size=200), st.sampled_from((0.5, 0.95, 0.99)))
def test_a_percentile_is_off_by_a_bucket_at_most(values, share):
    buckets = {}
    for one in values:
        buckets[bucket_of(one)] = buckets.get(bucket_of(one), 0) + 1
    exact = sorted(values)[max(-(-int(share * 1000) * len(values) // 1000), 1) - 1]
    found = Histogram(buckets, sum(values)).at(share)
    assert exact / 1.4143 <= found + 0.001
    assert found <= exact * 1.4143 + 0.001


def test_what_is_above_all_bounds_is_counted_too():
    assert Histogram({bucket_of(10 * BOUNDS[-1]): 2}, 0.0).at(0.99) == BOUNDS[-1]


def test_a_store_without_sessions_loses_no_timings(project, clock):
    with Cortex.open(project, clock=clock) as cortex:
        memory = cortex.remember("The queue is drained before a deploy")
        path = timings(cortex)
    line = json.dumps([clock().timestamp(), "operation", "recall", 5.0, "", {"results": 1}]) + "\n"
    path.write_text(line * (telemetry.MANY_BYTES // len(line) + 1))
    many = len(path.read_text().splitlines())
    before = path.stat().st_size
    with Cortex.open(project, clock=clock) as cortex:
        assert timed(cortex)["recall"].times == many
    assert path.stat().st_size > before  # who looks writes nothing else
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember("Tokens end after an hour")
    assert not path.exists()
    with Cortex.open(project, clock=clock) as cortex:
        assert timed(cortex)["recall"].times == many
        assert cortex.get(memory.id).text == memory.text


def test_what_fails_is_counted_as_failed(cortex):
    cortex.remember("The queue is drained before a deploy")
    with pytest.raises(Exception, match="There is no memory"):
        cortex.get("00000000-0000-0000-0000-000000000000")
    assert timed(cortex)["get"].failed == 1
    assert timed(cortex)["remember"].failed == 0


def test_questions_are_counted_with_what_was_found(cortex):
    cortex.remember("The queue is drained before a deploy")
    cortex.recall("what happens to the queue before a deploy?")
    cortex.recall("which typeface has the letterhead?")
    found = cortex.metrics(questions=5)
    (rate,) = found.rates
    assert (rate.name, rate.times, rate.hits) == ("recall", 2, 1)
    latest, first = found.questions
    assert (latest.results, first.results) == (0, 1)
    assert first.length == len("what happens to the queue before a deploy?")


def test_a_question_that_never_finds_anything_is_told_of(cortex, clock):
    cortex.remember("The queue is drained before a deploy")
    for _ in range(3):
        cortex.recall("Which typeface has the  letterhead?")
        clock.pass_(minutes=1)
    assert cortex.metrics().unanswered == 1
    assert any("found nothing each time" in one for one in cortex.status().notices)


def test_a_process_that_lives_long_writes_several_lines_at_once(cortex):
    cortex.remember("The queue is drained before a deploy")
    path = cortex._app.services(Scope.PROJECT).location.timings
    assert not path.exists()
    for _ in range(telemetry.AT_ONCE - 1):
        cortex.kinds()
    assert len(path.read_text().splitlines()) == telemetry.AT_ONCE


def test_timings_are_counted_once_though_counting_was_cut_off(cortex):
    cortex.remember("The queue is drained before a deploy")
    path = timings(cortex)
    path.rename(path.with_name("timings.taken"))  # as a process leaves it that is killed then
    cortex.remember("Tokens end after an hour")
    timings(cortex)
    services = cortex._app.services(Scope.PROJECT)
    assert [count_timings(services), count_timings(services), count_timings(services)] == [1, 1, 0]
    assert timed(cortex)["remember"].times == 2


def test_nothing_is_counted_where_the_setting_says_so(project, clock, monkeypatch):
    monkeypatch.setenv("RECORTEX_METRICS_KEEP_DAYS", "0")
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember("The queue is drained before a deploy")
        assert not timings(cortex).exists()


def test_prometheus_reads_the_text(cortex):
    cortex.remember("The queue is drained before a deploy", kind="procedural")
    cortex.recall("what happens to the queue before a deploy?")
    with pytest.raises(Exception, match="There is no memory"):
        cortex.get("00000000-0000-0000-0000-000000000000")
    found = {one.name: one for one in families(cortex.metrics(prometheus=True).text)}
    duration = found["memory_operation_duration_seconds"]
    assert duration.type == "histogram"
    below = [
        one.value
        for one in duration.samples
        if one.name.endswith("_bucket") and one.labels["operation"] == "recall"
    ]
    assert below[-1] == 1
    assert all(one <= other for one, other in pairwise(below))
    (items,) = found["memory_items_total"].samples
    assert (items.labels, items.value) == ({"store_kind": "project", "kind": "procedural"}, 1)
    failures = found["recortex_failures"].samples
    assert [(one.labels["name"], one.value) for one in failures] == [("get", 1)]
    assert {one.labels["subsystem"] for one in found["recortex_subsystem_state"].samples} >= {
        "storage",
        "privacy",
    }


def test_bounds_rise():
    assert all(one < other for one, other in pairwise(BOUNDS))


# -- what fails too often, or for too long


def fail(cortex, times, component="embedding model"):
    for _ in range(times):
        cortex._app.degraded(Degradation(component, "it cannot be loaded", "words alone"))
        cortex._app.clock.pass_(minutes=5)


def test_more_than_three_failures_an_hour_are_an_alert(cortex):
    cortex.remember("The queue is drained before a deploy")
    fail(cortex, 3)
    assert cortex.metrics().alerts == ()
    fail(cortex, 1)
    (alert,) = cortex.metrics().alerts
    assert (alert.level, alert.component) == ("warning", "embedding model")
    assert any(one.startswith("warning: embedding model failed 4 times") for one in cortex.status().notices)
    cortex._app.clock.pass_(hours=2)
    assert cortex.metrics().alerts == ()


def test_what_fails_for_more_than_a_day_is_critical(cortex, clock):
    cortex.remember("The queue is drained before a deploy")
    fail(cortex, 1)
    clock.pass_(hours=23)
    assert cortex.metrics().alerts == ()
    clock.pass_(hours=2)
    (alert,) = cortex.metrics().alerts
    assert alert.level == "critical"
    cortex._app.works_again("embedding model")
    assert cortex.metrics().alerts == ()


def states(cortex):
    return {one.name: one.state for one in cortex.metrics().subsystems}


def test_a_part_that_fails_is_degraded_until_it_works_again(cortex):
    cortex.remember("The queue is drained before a deploy")
    fail(cortex, 1, "privacy")
    fail(cortex, 1, "token counter")
    assert (states(cortex)["privacy"], states(cortex)["token counter"]) == ("degraded", "degraded")
    assert any(one.startswith("privacy: ") for one in cortex.status().week.ailing)
    cortex._app.works_again("privacy")
    assert states(cortex)["privacy"] == "healthy"
