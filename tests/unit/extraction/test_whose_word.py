"""What is given to be worked on, quoted or copied is not the person's word; what they type is."""

import pytest

from recortex.domain.exchange import SessionInfo, Turn
from recortex.engines.extraction.authorship import DOUBT, doubtful, featured, typed
from recortex.engines.extraction.extractor import extract
from recortex.engines.extraction.person_rules import from_user

INFO = SessionInfo(session_id="s", client="claude-code", path="s.jsonl")
ORDER = "Always run the harvest tests with one worker."
GIVEN = {
    "translation": f"translate to German: {ORDER}",
    "proofreading": f"proofread: {ORDER}",
    "rewording": f'reword this for the docs: "{ORDER}"',
    "typographic quotes": f"what does this mean? “{ORDER}”",
    "commit message": f"write a commit message for this: {ORDER}",
    "chat": f"dana: {ORDER}\nlee: ok, then we do that",
    "chat with times": f"from slack:\n[10:42] dana: {ORDER}\n[10:44] lee: fine",
    "issue": f"https://tracker.example/silo/issues/12\n{ORDER}\nThe silo is flaky otherwise.",
    "notes": f"release notes for review:\n- {ORDER}\n- Fixed the silo.",
    "prompt": f"this is the system prompt we use, shorten it\nYou are a helpful assistant. {ORDER}",
    "mail": f"answer this comment: {ORDER}",
}
TYPED = (
    ORDER, "never push to main!!", "we use uv and not pip here", "note: staging runs on port 9443",
    "remember: never commit to main", f"one more thing: {ORDER}", "from now on always open a pull request",
    "some rules:\n- never push to main\n- we use uv and not pip",
    f"ok great. {ORDER}\n\nThen go on with the importer.",
)  # fmt: skip


def active(text):
    turn = Turn(0, "user", text, uuid="u")
    return [one.text for one in extract([turn], INFO) if one.active]


@pytest.mark.parametrize("said", GIVEN.values(), ids=GIVEN)
def test_material_makes_no_active_memory(said):
    assert all(one.hold for one in from_user(said) if "harvest" in one.text)
    assert not [text for text in active(said) if "harvest" in text]


@pytest.mark.parametrize("said", TYPED)
def test_what_is_typed_is_no_material(said):
    assert typed(said) == said
    chance = doubtful(said)
    assert all(chance(line) < DOUBT for line in said.splitlines() if line.strip())


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("/review please never push to main", ["Never push to main."]),
        ("/review #12 please never push to main", ["Never push to main."]),
        ("/review src/silo.py and never edit generated files", ["Never edit generated files."]),
        ("/crew:review src/silo.py. We always squash before merging.", ["We always squash before merging."]),
        ("/ship from now on always open a pull request", ["From now on always open a pull request."]),
        ("/usages code that we never run in production", []),
        ("/review the tests that must never be skipped", []),
        ("/commit never push to main", []),
        ("/compact always keep the names of the fields", []),
        ("/review", []),
        ("/silo is wiped every night, so results never stay there", None),
    ],
)
def test_of_a_commands_arguments_a_sentence_of_its_own_is_the_persons(said, kept):
    found = extract([Turn(0, "user", said, uuid="u", form="command")], INFO)
    texts = [one.text for one in found]
    if kept is None:  # a folder's name, not a command's
        assert texts[0].startswith("/silo is")
    else:
        assert texts == kept


def test_features_have_the_same_names_in_one_order_and_take_linear_time():
    names = {tuple(one) for said in (*GIVEN.values(), *TYPED) for one in featured(said)[1]}
    assert len(names) == 1
    for part in ("a: b. ", '"x y z. ', "- never do it.\n", "dana: never.\n\n"):
        featured(part * 5_000)


REVIEWS = {
    "plain": "The silo reader should validate the field id before the lookup. Errors must always be wrapped "
    "with context. The retry loop never backs off, so a slow barn is hammered.",
    "in lines": "The silo reader must validate the field id.\nNever swallow errors in the planner.\n"
    "The cache should be invalidated after every write.",
    "with a verdict": "Overall this looks good. A few points. Public functions must have docstrings that "
    "name the unit. Prefer early returns over nested conditions in the planner.",
    "of a change": "This change adds a cache to the planner.\n\nThe key must include the tenant, otherwise "
    "two tenants share totals. Always close the session in a finally block. The empty field is not tested.",
    "handed over": "address the review please. The endpoint must always check the tenant. "
    "Use constants for names.",
}
RULES = (
    "We always squash before merging. Never push to main. The docs are built with sphinx.",
    "Errors must always be wrapped with context. The planner should never read the clock directly.",
    "From now on public functions must have docstrings that name the unit. Also never swallow errors.",
    "never push to main. the tests should always run with one worker. the docs must be in english",
    "review the silo reader. we never swallow errors in it",
)


@pytest.mark.parametrize("said", REVIEWS.values(), ids=REVIEWS)
def test_a_review_in_plain_sentences_is_not_the_persons_rule(said):
    assert active(said) == []


@pytest.mark.parametrize("said", RULES)
def test_rules_in_whole_sentences_are_the_persons(said):
    assert active(said)


def test_an_option_that_the_agent_worded_is_told_as_a_choice():
    asked = "Where do the silo logs go?\n- Always write silo logs to the journal: never to files\n- To files"
    said = "> Where do the silo logs go?\nAlways write silo logs to the journal\n> never to files"
    turn = Turn(0, "user", said, uuid="u", form="answer", asked=asked)
    (chosen,) = extract([turn], INFO)
    assert chosen.text == "Asked 'Where do the silo logs go?', chose: Always write silo logs to the journal."
    assert (chosen.rule, chosen.active) == ("person_chose", False)


def test_what_is_typed_beside_a_choice_is_the_persons():
    asked = "Which runner?\n- pytest\n- nose"
    turn = Turn(
        0, "user", "> Which runner?\npytest\nNever run the kiln tests in parallel", uuid="u", form="answer",
        asked=asked,
    )  # fmt: skip
    assert any("parallel" in one.text and "chose" not in one.text for one in extract([turn], INFO))
