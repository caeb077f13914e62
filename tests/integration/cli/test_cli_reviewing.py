"""A person at a terminal decides about one memory after the other by keys."""

from __future__ import annotations

import json

import pytest

from person import at_a_terminal

CHOICES = b"[q]uit"
RETRY, POOL = "The retry in queue.py hides errors of the database.", "The pool has nine connections."
QUOTE = "I think the retry in queue.py hides errors, so we should drop it."


def keys(*pressed):
    """Each key when the choices are shown; a pair is what is asked, and what is typed then."""
    return [(CHOICES, one) if isinstance(one, bytes) else one for one in pressed]


def review(project, *pressed, words=(), editor=""):
    code, shown = at_a_terminal(
        project, "review", *words, replies=keys(*pressed),
        env={"COLUMNS": "200", "VISUAL": "", "EDITOR": editor},
    )  # fmt: skip
    assert code == 0, shown
    return shown.replace("\r", "")


@pytest.fixture
def waiting(project):
    """Two proposals, the surer one first, as they are shown."""
    rows = [
        {"text": RETRY, "status": "proposed", "confidence": 0.65, "source": {"quote": QUOTE, "session": "s"}},
        {"text": POOL, "status": "proposed", "confidence": 0.5},
    ]
    project.data("remember_many", json.dumps(rows))
    return [one["id"] for one in project.data("review")["memories"]]


def states(project, ids):
    return [project.data("get", id_)["status"] for id_ in ids]


def test_keys_accept_and_reject_what_waits(project, waiting):
    shown = review(project, b"a", b"r", b"q")
    assert states(project, waiting) == ["active", "archived"]
    assert f"“{QUOTE}”" in shown
    assert "65% sure  proposed  today" in shown
    assert "1 accepted, 1 rejected; 0 left." in shown
    assert project.data("get", waiting[0])["validated_at"]


def test_a_skipped_memory_waits_on_and_the_rest_is_left_on_leaving(project, waiting):
    assert "1 skipped; 1 left." in review(project, b"s", b"q")
    assert states(project, waiting) == ["proposed", "proposed"]


def test_edited_words_take_the_place_of_the_proposal(project, waiting):
    review(project, b"e", (b"What is right?", b"The retry in queue.py hides timeouts.\n"), b"q")
    edited = project.data("get", waiting[0])
    assert (edited["text"], edited["status"]) == ("The retry in queue.py hides timeouts.", "active")
    assert edited["confidence"] > 0.8


def test_the_editor_opens_with_the_words_of_the_proposal(project, waiting):
    review(project, b"e", b"q", editor="sed -i s/errors/timeouts/")
    assert project.data("get", waiting[0])["text"] == RETRY.replace("errors", "timeouts")


@pytest.mark.usefixtures("waiting")
def test_what_waits_is_listed_by_subject_with_its_words_quote_and_day(project):
    rows = [
        {
            "text": f"Carrier {n} is asked every hour, since its feed has no times and is late on Mondays.",
            "status": "proposed",
            "tags": ["carriers"],
            "priority": 9,
            "valid_from": "2026-03-01",
        }
        for n in range(2)
    ]
    ids = project.data("remember_many", json.dumps(rows))["ids"]
    shown = project.run("review").text
    assert shown.startswith("carriers\n")
    assert "since its feed has no times and is late on Mondays." in shown
    assert f"“{QUOTE}”" in shown
    assert "2026-03-01" in shown
    first = next(one for one in shown.splitlines() if "all of these" in one)
    approve = first.split("recortex ")[1].split()
    project.run(*approve)
    assert states(project, ids) == ["active", "active"]


def test_every_decision_can_be_taken_back(project, waiting):
    before = [project.data("get", id_) for id_ in waiting]
    shown = review(
        project, b"u", b"a", b"u", b"r", b"u", b"e", (b"What is right?", b"Nothing of it.\n"), b"u", b"q"
    )
    assert shown.count("no longer") == 3
    assert "There is nothing to undo." in shown
    after = [project.data("get", id_) for id_ in waiting]
    for one, other in zip(before, after, strict=True):
        assert (one["text"], one["status"], pytest.approx(one["confidence"]), one["validated_at"]) == (
            other["text"], other["status"], other["confidence"], other["validated_at"],
        )  # fmt: skip


def disagreeing(project):
    """Two statements that the store itself suggests to be contradictory, the newer one first."""
    old = project.remember("Tests run with npm test", "--kind", "procedural", "--pinned")
    new = project.remember("Tests run with pnpm test, we no longer use npm test", "--kind", "procedural")
    return new, old


def test_the_memory_that_it_disagrees_with_is_shown_and_makes_room(project):
    new, old = disagreeing(project)
    pairs = project.data("review")["contradictions"]
    assert [(one["newer"]["id"], one["older"]["id"]) for one in pairs] == [(new, old)]
    shown = review(project, b"a", b"q")
    assert "It disagrees with" in shown
    assert "Tests run with npm test" in shown
    assert states(project, (new, old)) == ["active", "superseded"]


def test_a_replacement_and_a_merge_are_taken_back_too(project):
    new, old = disagreeing(project)
    holds = b"Tests run with pnpm test in this repository.\n"
    shown = review(project, b"a", b"u", b"m", (b"What holds?", holds), b"u", b"q")
    assert "no longer accepted" in shown
    assert "merged" in shown
    assert states(project, (new, old)) == ["active", "active"]


def test_both_may_hold_and_are_not_asked_about_again(project):
    new, old = disagreeing(project)
    shown = review(project, b"b", b"u", b"b", b"q")
    assert "no longer held both" in shown
    assert "1 held both; 0 left." in shown
    assert states(project, (new, old)) == ["active", "active"]
    assert project.data("review")["contradictions"] == []
    (kept,) = project.data("related", new)["neighbours"]
    assert (kept["memory"]["id"], kept["relation"]["type"]) == (old, "related")
    assert project.run("review", "both", new, old).code != 0  # they do not contradict each other any more


def test_a_list_is_shown_where_it_is_asked_for_or_nobody_is_there(project, waiting):
    assert "2 memories wait for you." in at_a_terminal(project, "review", "list")[1]
    assert project.run("review").text.count("proposed") == len(waiting)


def test_nothing_waits(project):
    assert "Nothing waits for review." in review(project)


def test_candidates_are_asked_about_and_the_answer_is_kept(project):
    words = ("--kind", "decision", "--confidence", "0.4", "--importance", "high")
    known = project.remember("Releases need two approvals.", *words)
    shown = review(project, b"a", b"q", words=["--candidates"])
    assert "It is important, and only 40% sure." in shown
    answered = project.data("get", known)
    assert answered["confidence"] > 0.65
    assert answered["validated_at"]


def test_candidates_are_validated_alone(project):
    words = ("--kind", "decision", "--confidence", "0.4", "--importance", "high")
    doubted = project.remember("Releases need two approvals.", *words)
    project.remember("The kiosk prints labels.", "--kind", "decision")
    asked = project.data("review", "--candidates")["questions"]
    assert [one["memory"]["id"] for one in asked] == [doubted]
    assert project.data("validate", "--candidates")["total"] == 1
    assert project.data("validate")["total"] == 2


def test_a_proposal_that_repeats_another_memory_is_merged_with_it(project, waiting):
    known = project.remember(
        "Errors of the database are hidden by the retry in queue.py.", "--kind", "tribal"
    )
    pressed = (
        b"m",
        (b"With which", f"{known}\n".encode()),
        (b"What holds?", f"{RETRY}\n".encode()),
        b"u",
        b"q",
    )
    shown = review(project, *pressed)
    assert "merged" in shown
    assert "no longer merged" in shown
    assert states(project, [waiting[0], known]) == ["proposed", "active"]
