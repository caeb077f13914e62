"""After months of use, `gc` moves importance by a step; the audit log tells why, and `undo` takes it back."""

from dataclasses import replace
from datetime import timedelta

import pytest

from recortex import Cortex
from recortex.domain.session import Receipt
from recortex.domain.vocabulary import Actor, Importance, Scope

MONTH, DAY = timedelta(days=30), timedelta(days=1)


@pytest.fixture
def project(tmp_path):
    (tmp_path / ".git").mkdir()
    return tmp_path


def use(cx, memory_id, since, months, a_month=20):
    """Sessions that get a memory, spread over months."""
    store = cx._app.services(Scope.PROJECT).store
    store.sessions.give(
        [
            Receipt(
                session=f"s{month}-{number}", context=0, memory=memory_id, scope=Scope.PROJECT,
                channel="prompt", at=since + month * MONTH + number * DAY, score=1.0, tokens=10,
            )
            for month in range(months) for number in range(a_month)
        ]
    )  # fmt: skip


def validate(cx, memory_id):
    services, memory = cx._app.locate(memory_id)
    services.ingestion.change(
        memory, replace(memory, validated_at=cx._app.clock()), now=cx._app.clock(), actor=Actor.USER,
        operation="validate",
    )  # fmt: skip


def reclassified(cx):
    collected = cx.gc(all=True, trust_clock=True)
    return {one.name: one.counts for store in collected.stores for one in store.chores}["importance"]


def test_importance_follows_use(project, monkeypatch):
    monkeypatch.setenv("RECORTEX_NOW", "2026-01-01T00:00:00Z")
    with Cortex.open(project) as cx:
        used = cx.remember("The queue is drained before a deploy.", kind="decision")
        for number in range(3):
            other = cx.remember(
                f"Service {number} waits for the queue at port {9000 + number}.", kind="tribal"
            )
            cx.link(other.id, used.id, relation="supports")
        asked = cx.remember("Never log card numbers.", kind="tribal", importance="critical")
        unused = cx.remember("The office plant likes the window.", kind="tribal")
        validate(cx, used.id)
        use(cx, used.id, cx._app.clock(), 3)
    monkeypatch.setenv("RECORTEX_NOW", "2026-04-02T00:00:00Z")
    with Cortex.open(project) as cx:
        assert reclassified(cx)["reclassified"] >= 2
        assert cx.get(used.id).importance is Importance.HIGH
        assert cx.get(asked.id).importance is Importance.CRITICAL
        assert cx.get(unused.id).importance is Importance.LOW
        entry = next(one for one in cx.history(used.id).audit if one.operation == "reclassify")
        assert entry.actor is Actor.RECLASSIFICATION
        assert entry.details["score"] == pytest.approx(0.883)
        assert entry.details["signals"]["given"] == 0.95
        assert reclassified(cx)["reclassified"] == 0
        cx.undo(unused.id)
    monkeypatch.setenv("RECORTEX_NOW", "2026-05-20T00:00:00Z")
    with Cortex.open(project) as cx:
        reclassified(cx)
        assert cx.get(unused.id).importance is Importance.NORMAL
