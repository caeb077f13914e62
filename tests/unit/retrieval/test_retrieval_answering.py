"""Which memories are told beside what was said in sessions."""

from dataclasses import replace

from example_memories import AT, memory
from recortex.domain.exchange import ExchangeHit
from recortex.domain.search import Hit
from recortex.engines.retrieval.weights import LIKELY, select_beside


def hit(number, *, rule="stated", weak=False, **signals):
    one = memory(number)
    return Hit(
        memory=replace(one, source=replace(one.source, rule=rule)), score=0.6, signals=signals, weak=weak
    )


def said(score):
    return ExchangeHit(
        id="e", said_at=AT, by="person", session="s", turn=0, client="c", score=score, tokens=9
    )


SURE, UNSURE = {"keyword": 0.9, "semantic": 0.8}, {"keyword": 0.1, "semantic": 0.3}


def test_beside_unlikely_exchanges_an_unsure_one_is_told_as_weak_where_it_is_likelier():
    sure, known, unsure = hit(1, **SURE), hit(2, rule="", weak=True), hit(3, **UNSURE)
    assert list(select_beside([unsure, sure, known], [said(LIKELY / 2)])) == [sure, known]
    found = list(select_beside([unsure, sure, known], [said(LIKELY / 2_000)]))
    assert found == [replace(unsure, weak=True), sure, known]
