"""A decision, its reversal in a later session, a question in a third: only what holds is given."""

from agents.knowledge import QUEUE_NOW, QUEUE_THEN


def test_only_the_current_decision_is_given(person):
    for said in (QUEUE_THEN, QUEUE_NOW):
        assert person.session([said], ["OK."]).unharmed
        person.settle()
    (then,) = person.about("instead of Kafka")
    (now,) = person.about("instead of Postgres")
    assert (then["status"], now["status"]) == ("superseded", "active")
    assert then["superseded_by"] == now["id"]
    ran = person.session(["What do we use for the job queue?"], ["Redis."])
    assert ran.unharmed, ran
    given = "\n".join(ran.given())
    assert now["text"] in given
    assert then["text"] not in given
    assert then["text"] not in ran.requests[0].text
    history = person.memory("history", then["id"])
    assert "superseded" in str(history)
