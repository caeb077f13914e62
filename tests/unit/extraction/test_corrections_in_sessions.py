"""The person corrects an agent in a session: what is learned of it, and what is not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recortex.domain.transcript import SessionInfo, Turn
from recortex.engines.corrections.acts import Act
from recortex.engines.extraction.correction_chance import chance, table
from recortex.engines.extraction.correction_rules import found, read, sentences
from recortex.engines.extraction.drafting import ACTIVE
from recortex.engines.extraction.extractor import learned

INFO = SessionInfo(client="claude-code", path="/sessions/a.jsonl", session_id="s", cwd="/home/mara/app")
WHEN = datetime(2026, 3, 1, 9, tzinfo=UTC)


def said(role, text, index):
    return Turn(index=index, uuid=f"u{index}", role=role, text=text, at=WHEN)


def corrections(answer, words):
    """What is learned as a correction after the agent said something."""
    turns = [
        said("user", "Please add the export of invoices.", 0),
        said("assistant", answer, 1),
        said("user", words, 2),
    ]
    found = learned(turns, INFO).candidates
    return [one for one in found if one.category]


@pytest.mark.parametrize(
    ("words", "category", "principle"),
    [
        (
            "No, we dropped the XML export for legal reasons.",
            "tribal_miss",
            "We dropped the XML export for legal reasons.",
        ),
        (
            "You forgot the changelog entry for the importer.",
            "pattern_violation",
            "Do not forget the changelog entry for the importer.",
        ),
        (
            "I didn't ask you to commit anything.",
            "constraint_violation",
            "Do not commit unless asked to.",
        ),
        (
            "you're writing the totals to the ledger table, not the staging table",
            "constraint_violation",
            "Do not write the totals to the ledger table instead of the staging table.",
        ),
        (
            "That is not correct, the worker reads its queue from Redis.",
            "tribal_miss",
            "The worker reads its queue from Redis.",
        ),
    ],
)
def test_a_correction_becomes_a_principle_of_its_category(words, category, principle):
    [one] = corrections("I changed the files and committed them.", words)
    assert (one.category, one.text) == (category, principle)
    assert one.active


@pytest.mark.parametrize(
    "words",
    [
        "Thanks, that looks good. Now add the import as well.",
        "No problem, go on.",
        "Can you show me the diff?",
        "Next, write the tests for the export.",
        "The build is red, have a look at the log.",
        "I forgot to say that the file is large.",
        "dont worry about the tests yet",
    ],
)
def test_what_goes_on_with_the_work_corrects_nothing(words):
    assert corrections("I added the export of invoices.", words) == []


def test_nothing_is_corrected_before_the_agent_did_anything():
    turns = [said("user", "No, we dropped the XML export for legal reasons.", 0)]
    found = learned(turns, INFO).candidates
    assert not [one for one in found if one.category]


def test_an_uncertain_form_only_proposes():
    [one] = corrections(
        "I added a helper for the invoices that converts amounts.", "The helper should convert amounts once."
    )
    assert not one.active


def test_a_correction_without_a_known_form_is_proposed():
    [one] = corrections(
        "I added `export_a.py` and `export_b.py`. All tests pass.",
        "but the two exporters do the same thing, get rid of one and stick to the other",
    )
    assert not one.active


def test_a_principle_that_points_elsewhere_takes_the_sentences_around_it_in():
    [one] = corrections(
        "I changed how the worker picks the next invoice.",
        "I don't like this order. Each worker should take the oldest invoice first.",
    )
    assert "oldest invoice first" in one.text


def answered(words, **told):
    return read(
        Turn(index=2, role="user", text=words, **told), Act(said="I changed `a.py` and committed it.")
    )


@settings(max_examples=60, deadline=None)
@given(st.text(min_size=1, max_size=300))
def test_every_sentence_has_the_same_features_and_a_chance(words):
    names = set(sentences(answered("No, use the helper."))[0].signs)
    assert set(table().weights) <= names
    for one in sentences(answered(words)) if words.strip() and answered(words) else []:
        assert set(one.signs) == names
        assert 0 < chance(one.signs) < 1


def test_what_is_sure_needs_a_form_and_a_chance():
    message = answered("You forgot the changelog entry for the importer.")
    [one] = found(message, sentences(message), [0.95])
    assert one.confidence >= ACTIVE
    assert not one.hold
    [one] = found(message, sentences(message), [0.5])
    assert one.hold
    assert not list(found(message, sentences(message), [0.1]))
