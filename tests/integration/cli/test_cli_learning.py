"""Corrections and answers on the command line."""

from __future__ import annotations

LAYERS = "Don't call the database from controllers; use the repository layer as all other controllers do."


def test_a_correction_is_learned_once_and_shown_in_words(project):
    assert project.run("learn", LAYERS).text.startswith("Learned: pattern violation\n")
    assert project.run("learn", LAYERS).text.startswith("Known, and surer now: pattern violation\n")
    [kept] = project.data("list")["memories"]
    assert (kept["text"], kept["kind"], kept["tags"]) == (
        LAYERS,
        "pattern_rationale",
        ["correction", "pattern_violation"],
    )


def test_two_texts_teach_what_changed_and_a_dry_run_keeps_nothing(project):
    words = ("--original", "open(path)", "--corrected", "open(path, encoding='utf-8')")
    assert "Would be learned" in project.run("learn", *words, "--dry-run").text
    assert project.data("list")["total"] == 0
    learned = project.data("learn", *words)
    assert "encoding='utf-8'" in learned["principle"]
    assert learned["difference"]["modifications"]


def test_nothing_to_learn_says_what_to_give(project):
    ran = project.run("learn", "--json")
    assert ran.error["code"] == "invalid_input"
    assert "--original" in ran.error["hint"]


def test_an_answer_tells_what_became_of_the_confidence(project):
    known = project.remember("The pool has nine connections.", "--kind", "tribal", "--confidence", "0.6")
    assert "Confirmed: 60% sure before, 80% now." in project.run("feedback", known, "confirm").text
    assert (
        project.data("feedback", known, "reject", "--reason", "it has ten")["memory"]["status"] == "archived"
    )
    project.data("undo", known)
    assert project.data("get", known)["status"] == "active"
    changed = project.data("feedback", known, "modify", "--text", "The pool has ten connections.")["memory"]
    assert (changed["text"], changed["version"]) == ("The pool has ten connections.", 5)
    assert project.run("feedback", known, "modify").code == 2


def test_candidates_come_with_a_question_and_are_answered(project):
    words = ("--kind", "decision", "--confidence", "0.4", "--importance", "high")
    known = project.remember("Releases need two approvals.", *words)
    shown = project.run("review", "--candidates").text
    assert "Is this right? It is important, and only 40% sure." in shown
    assert "`recortex feedback ID confirm`" in shown
    project.data("feedback", known, "confirm")
    assert project.run("review", "--candidates").text == "No memory is in doubt.\n"
