"""A decision, its reversal in a later session, a question in a third: only what holds is given."""

from agents.knowledge import QUEUE_NOW, QUEUE_THEN


def test_only_the_current_decision_is_given(newest):
    for said in (QUEUE_THEN, QUEUE_NOW):
        assert newest.session([said], ["OK."]).unharmed
        newest.settle()
    (then,) = newest.about("instead of Kafka")
    (now,) = newest.about("instead of Postgres")
    assert (then["status"], now["status"]) == ("superseded", "active")
    assert then["superseded_by"] == now["id"]
    ran = newest.session(["What do we use for the job queue?"], ["Redis."])
    assert ran.unharmed, ran
    given = "\n".join(ran.given())
    assert now["text"] in given
    assert then["text"] not in given
    assert then["text"] not in ran.requests[0].text
    history = newest.memory("history", then["id"])
    assert "superseded" in str(history)
