"""What is found in a session: requests, rules, differences, practice."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.domain.exchange import SessionInfo, ToolCall, Turn
from recortex.domain.vocabulary import Domain, Origin
from recortex.engines.corrections import difference, is_diff, of_diff
from recortex.engines.extraction.extractor import extract, learned
from recortex.engines.extraction.person_rules import durable, from_user, plain_speech, spelled_out, unasked
from recortex.engines.extraction.sentences import ACTIVE, passages, plain, sentences, statement

# -- Careless English, typed in haste or anger, dictated or abbreviated: in plain words, and as memories.
INFO = SessionInfo(session_id="s", client="claude-code", path="s.jsonl")


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("omg dont touch the vault!!!", "don't touch the vault!"),
        ("NEVER PUSH TO THE FORK", "never push to the fork"),
        ("uh so never log the the tokens period", "never log the tokens."),
        ("btw, we ship w/o maps lol", "we ship without maps"),
        ("for the last time: tests live in spec, ok?", "tests live in spec"),
        ("no no, we use trunk", "we use trunk"),
        ("no mocks in spec files", "no mocks in spec files"),
        ("the comma operator is fine", "the comma operator is fine"),
        ("API and SDK", "API and SDK"),
    ],
)
def test_what_was_said_in_plain_words(said, plain):
    assert plain_speech(said) == plain


@pytest.mark.parametrize(
    ("said", "wish", "order"),
    [
        ("Could you please never sort the imports by hand?", "never sort the imports by hand", True),
        ("it would be nice if you could keep the logs short", "keep the logs short", True),
        ("I'd prefer it if you didn't rename fixtures", "don't rename fixtures", True),
        ("it'd be great if you never edited the seeds", "never edited the seeds", False),
        ("never edit the seeds", "never edit the seeds", True),
    ],
)
def test_what_a_polite_wish_wishes_for(said, wish, order):
    assert unasked(said) == (wish, order)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("omg never commit to trunk!!!", "Never commit to trunk!"),
        ("gen/ is generated, never edit it by hand", "gen/ is generated, never edit it by hand."),
        ("no singletons, only plain functions", "No singletons, only plain functions."),
        ("python 3.12+ only", "Python 3.12+ only."),
        ("we dont use cursors() anymore, from now on plain Rows everywhere", None),
        ("would you please never deploy before lunch?", "Never deploy before lunch."),
    ],
)
def test_a_durable_statement_is_active_and_whole(said, kept):
    work = ToolCall(id="c", name="Edit", files=("app.py",), writes=True, ok=True)
    turns = [Turn(0, "assistant", "The export is in place.", tools=(work,)), Turn(1, "user", said)]
    (one,) = [found for found in extract(turns, INFO) if found.active]
    assert kept is None or one.text == kept


@pytest.mark.parametrize(
    "said",
    [
        "can u check the logs of the worker?", "why is that always red", "does every test need docker",
        "we only ship on fridays, right?", "create a task to ensure that all the tests always pass",
        "you changed the file in the wrong folder, not this one", "i dont see any change",
        "lol nice, that was quick", "we never got that to work yesterday",
        "bitte prüfe die Ausgabe immer zweimal",
        "worker.ts:26 [worker] never started: Error: never started: Error: no port",
    ],
)  # fmt: skip
def test_a_question_a_task_and_small_talk_are_not_durable(said):
    assert list(durable(said)) == []


# -- How a corrected text differs from the original, and words typed in haste.
lines = st.lists(st.sampled_from(["a = 1", "b = 2", "return a", "", "  # so", "run(a, b)"]), max_size=8)


@given(lines)
def test_a_text_does_not_differ_from_itself(text):
    assert difference("\n".join(text), "\n".join(text)).empty


@given(lines, lines)
def test_every_line_that_only_one_of_both_has_is_told(before, after):
    found = difference("\n".join(before), "\n".join(after))
    told = {*found.removals, *(one.before for one in found.modifications)}
    new = {*found.additions, *(one.after for one in found.modifications)}
    assert {one.strip() for one in set(before) - set(after) if one.strip()} <= {one.strip() for one in told}
    assert {one.strip() for one in set(after) - set(before) if one.strip()} <= {one.strip() for one in new}


@pytest.mark.parametrize(
    ("original", "corrected", "what"),
    [
        ("wait(5)", "wait(30)", "numbers"),
        ("if ready:", "if not ready:", "negated"),
        ("total = a+b", "total = a + b", "layout"),
        ("x = getUser(1)\ny = getUser(2)", "x = get_user(1)\ny = get_user(2)", "renamed"),
    ],
)
def test_what_a_change_means_is_told(original, corrected, what):
    assert getattr(difference(original, corrected), what)


def test_a_diff_is_recognised_with_its_files():
    diff = "--- a/src/mail.py\n+++ b/src/mail.py\n@@ -1 +1 @@\n-retry(1)\n+retry(3)\n"
    assert is_diff(diff)
    assert not is_diff("- one item\n- another item")
    found = of_diff(diff)
    assert (found.files, found.modifications[0].after) == (("src/mail.py",), "retry(3)")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("u didnt run it", "you didn't run it"),
        ("thats not how it works", "that's not how it works"),
        ("youre wrong coz its idle", "you're wrong because its idle"),
        ("the front and the want ad are distinct", "the front and the want ad are distinct"),
    ],
)
def test_words_typed_in_haste_are_written_out(typed, meant):
    assert spelled_out(typed) == meant


# -- What a person explicitly wants to be remembered, in six languages (`explicit_requests.txt`).
TABLE = Path(__file__).with_name("explicit_requests.txt").read_text(encoding="utf-8")
SECTIONS = re.findall(r"^\[(\w+ \w+)\]\n((?:[+-] .+\n)+)", TABLE, re.MULTILINE)
ROWS = [(name, line) for name, lines in SECTIONS for line in lines.splitlines()]
WANTED = [line[2:].split(" => ") for _, line in ROWS if line[0] == "+"]
OTHERS = [line[2:] for _, line in ROWS if line[0] == "-"]


def asked_for(text):
    turn = Turn(index=0, role="user", text=text, uuid="t")
    return list(extract([turn], SessionInfo(session_id="s", client="claude-code", path="/s")))


def test_the_table_is_whole():
    assert len(SECTIONS) == 12
    assert len(WANTED) + len(OTHERS) == len(re.findall(r"^[+-] ", TABLE, re.MULTILINE)) > 200


@pytest.mark.parametrize(("said", "kept"), WANTED)
def test_it_is_active_and_reads_as_a_sentence(said, kept):
    (found,) = asked_for(said)
    assert (found.text, found.active, found.speaker) == (kept, True, "user")
    assert found.rule == "person_note"


@pytest.mark.parametrize("said", OTHERS)
def test_questions_and_what_was_remembered_are_none(said):
    assert not [one for one in asked_for(said) if one.rule == "person_note"]


# -- What a later turn makes untrue or tells better is not recalled as it was.
def found(*said):
    turns = [
        Turn(index=index, role=role, text=text, uuid=str(index)) for index, (role, text) in enumerate(said)
    ]
    return list(extract(turns, INFO))


def active(*said):
    return [one.text for one in found(*said) if one.active]


def test_a_decision_that_the_person_takes_up_again_waits():
    decided = "We decided to use SQLite for the job queue."
    assert active(("user", decided)) == [decided]
    assert active(("user", decided), ("assistant", "Done."), ("user", "why can't we just use files?")) == []


def test_customs_of_a_language_are_not_learned_but_a_projects_own_command_is():
    def runs(command):
        calls = tuple(ToolCall(id=str(at), name="Bash", command=command, ok=True) for at in range(3))
        turn = Turn(index=0, role="assistant", text="", tools=calls)
        return [one.text for one in extract([turn], INFO) if one.active]

    for custom in ("go test ./...", "npm test", "pytest", "cargo build", "mix format", "npm run build"):
        assert runs(custom) == []
    assert runs("just test-all") == ["The test suite is run with `just test-all`."]
    assert runs("mypy --format short src --strict") == ["Types are checked with `mypy src --strict`."]


def test_the_fuller_form_of_a_command_is_told():
    calls = tuple(
        ToolCall(id=str(at), name="Bash", command=command, ok=True)
        for at, command in enumerate(["mix dialyzer"] * 3 + ["mix dialyzer --list-unused-filters"] * 2)
    )
    (one,) = extract([Turn(index=0, role="assistant", text="", tools=calls)], INFO)
    assert one.text == "Types are checked with `mix dialyzer --list-unused-filters`."


def test_headings_are_none_and_list_items_stand_alone():
    text = "## Cache\n\nThe cache is used by:\n- `Loader`\n  - at start\n- `Saver`\n**Part:**\n<notes>\nEnd."
    assert list(passages(text)) == ["The cache is used by:", "`Loader`", "at start", "`Saver`", "End."]


def test_code_tables_quotations_and_rules_are_not_prose():
    text = "Before.\n```py\nx = 1\n```\n| a | b |\n> quoted\n---\nAfter."
    assert list(passages(text)) == ["Before.", "After."]


def test_an_unclosed_fence_hides_the_rest():
    assert list(passages("Before.\n```\nnever closed\nAfter.")) == ["Before."]


def test_wrapped_lines_are_one_passage():
    assert list(passages("- first\n  half\n\nNew paragraph\ngoes on.")) == [
        "first half",
        "New paragraph goes on.",
    ]


def test_sentences_are_not_split_inside_code_or_after_abbreviations():
    text = "Use `a. B` e.g. Here first. Then go on! Is `x.y` set? Yes."
    assert sentences(text) == ["Use `a. B` e.g. Here first.", "Then go on!", "Is `x.y` set?", "Yes."]


def test_a_closing_quote_stays_with_its_sentence():
    assert sentences('It said "No such task." Then it stopped.') == [
        'It said "No such task."',
        "Then it stopped.",
    ]


def test_plain_takes_marks_away_and_keeps_words_and_addresses():
    assert (
        plain("✅ **Bold** and [the page](http://a.b) in `main.go:12-14`")
        == "Bold and the page (http://a.b) in `main.go:12-14`"
    )
    assert plain("keep snake_case, a*b and __init__") == "keep snake_case, a*b and __init__"


def test_statement_drops_connectives_but_never_a_negation():
    assert statement("So, actually, the cache is global") == "The cache is global."
    assert statement("It turns out that the cache is global.") == "The cache is global."
    assert statement("No `cache` field exists") == "No `cache` field exists."
    assert statement("`cache` is global") == "`cache` is global."


# -- A session read turn by turn teaches what it teaches when it is read at once.
RULE = "We always run `make lint` before we push to `main`, because CI takes an hour."


def session(*said):
    return [
        Turn(index=index, role=role, text=text, uuid=f"u{index}") for index, (role, text) in enumerate(said)
    ]


def test_turns_before_the_cursor_teach_nothing_again():
    turns = session(("user", RULE), ("assistant", "Done."), ("user", RULE))
    assert learned(turns[2:], INFO, before=turns[:2]).candidates == []


def test_a_habit_is_told_once():
    call = ToolCall(id="1", name="Bash", command="just test", ok=True, output="ok")
    turns = [Turn(index=place, role="assistant", text="", tools=(call,)) for place in range(4)]
    passes = [learned(turns[place : place + 1], INFO, before=turns[:place]).candidates for place in range(4)]
    assert [len(one) for one in passes] == [0, 1, 0, 0]


def test_what_a_later_turn_takes_back_is_named():
    turns = session(
        ("user", "We decided to use Redis for the cache."),
        ("assistant", "Fine."),
        ("user", "Actually, scratch that."),
    )
    (decided,) = extract(turns[:2], INFO)
    assert decided.active
    found = learned(turns[2:], INFO, before=turns[:2])
    assert found.withdrawn == [decided]
    assert found.candidates == []


# -- Of what a person types, rules, facts and corrections are kept; requests and complaints are not.
HEARD = [
    ("no, use pnpm not npm in this repo", "Use pnpm not npm in this repo."),
    ("We're on Python 3.9 so no match statements please", "We're on Python 3.9 so no match statements."),
    ("The API server runs on port 4010, not 3000", "The API server runs on port 4010, not 3000."),
    ("You need to run `make proto` before building, otherwise the stubs are missing",
     "Run `make proto` before building, otherwise the stubs are missing."),
    ("stop adding comments to every function", "Stop adding comments to every function."),
    ("don't commit unless I ask you to", "Don't commit unless I ask you to."),
    ("I told you not to touch the generated files", "Do not touch the generated files."),
    ("Our CI only runs on Linux so avoid macOS specific paths",
     "Our CI only runs on Linux so avoid macOS specific paths."),
    ("That's wrong, the retry logic lives in client.go and not in transport.go",
     "The retry logic lives in client.go and not in transport.go."),
    ("I'd rather have explicit errors than silent fallbacks",
     "I'd rather have explicit errors than silent fallbacks."),
    ("Tests must not hit the network.", "Tests must not hit the network."),
    ("make sure every new endpoint has an integration test",
     "Make sure every new endpoint has an integration test."),
    ("btw the vendor API rate limits at 10 requests per second, so keep the batch size small",
     "The vendor API rate limits at 10 requests per second, so keep the batch size small."),
    ("don't run the full test suite, it takes 40 minutes; run `make test-fast`",
     "Don't run the full test suite, it takes 40 minutes; run `make test-fast`."),
    ("no, I did not say push", "Do not push unless asked to."),
    ("we use uv, not pip", "We use uv, not pip."),
    ("pls remember we use yarn", "We use yarn."),
    ("Let's go with SQLite for the cache", "Decision: go with SQLite for the cache."),
    ("we changed our mind: use Redis for the job queue", "We changed our mind: use Redis for the job queue."),
    ("We've decided against Kubernetes.", "We've decided against Kubernetes."),
    ("ok, we switched to vitest", "We switched to vitest."),
    ("I prefer tabs", "I prefer tabs."),
    ("my shell is fish", "My shell is fish."),
    ("the staging database is db-2.internal", "The staging database is db-2.internal."),
    ("note that the tests need docker running", "The tests need docker running."),
    ("in this repo the integration tests live in tests/it", "The integration tests live in tests/it."),
]  # fmt: skip
NOT_HEARD = [
    "all tests are failing since your change", "every request returns 500", "all the buttons are misaligned",
    "use the new endpoint and not the old one", "our login page is broken", "no, use the other file",
    "stop the server", "run `npm test` first and show me the output",
    "don't create a new file, put it in utils.ts", "all good now, thanks",
    "customers have reported that invoices are duplicated", "write the tests first, not the code",
    "I'd prefer the second approach", "staging is broken because of the last deploy",
    "we are on holiday so no hurry", "it needs a retry, otherwise it fails sometimes",
    "use bigger fonts instead of bold", "do not change anything else", "don't worry about it for now",
    "we have to fix this today", "the page is white, not the loading screen",
    "why can't we just use booleans?", "every row should have a delete button",
    "never change one without the other", "production is down", "never mind, found it",
    "the server is on fire", "my branch is fix/123", "the url is wrong",
    "we decided to try the other approach first", "we moved to the next file", "let's go with option B",
    "let's go with that", "I prefer the first version", "don't use sed for that",
    "note that I already fixed main.py", "remember we talked about Redis",
    "use port 8081 for now, 8080 is taken", "use a dict instead of a list here", "I'm going with you",
    "in this repo there is a bug in src/app.py", "we have to decide on a database", "the database is empty",
    "remember when we moved to pnpm?", "in this project, fix parser.py", "we decided to wait for the release",
]  # fmt: skip


def rules(text):
    return [one.text for one in from_user(text) if one.confidence >= ACTIVE]


@pytest.mark.parametrize(("typed", "rule"), HEARD)
def test_a_standing_rule_is_heard(typed, rule):
    assert rules(typed) == [rule]


@pytest.mark.parametrize("typed", NOT_HEARD)
def test_a_request_or_a_complaint_is_not(typed):
    assert rules(typed) == []


# -- A whole session: who is heard, what is repeated, doubted or resumed.
def taught(turns):
    return list(extract(turns, INFO))


def test_a_candidate_knows_its_place_and_its_subject():
    said = "We decided to partition the `orders` table by month in the database."
    (one,) = taught(session(("assistant", "What now?"), ("user", f"{said} See `src/orders.py`.")))
    assert (one.text, one.turn_index, one.turn_uuid, one.speaker) == (said, 1, "u1", "user")
    assert (one.origin, one.domain, one.active) == (Origin.USER, Domain.DB, True)
    assert "orders" in one.tags
    assert one.quote == said


def test_the_same_statement_is_one_candidate_with_more_evidence():
    (once,) = taught(session(("user", RULE)))
    (twice,) = taught(
        session(("user", RULE), ("assistant", "ok"), ("user", RULE.replace("CI takes", "the CI takes")))
    )
    assert (twice.evidence, twice.turn_index) == (2, 0)
    assert twice.confidence > once.confidence


def test_instructions_to_a_sub_agent_are_not_the_persons_words():
    person = Turn(index=0, role="user", text=RULE)
    parent = Turn(index=0, role="user", text=RULE, sidechain=True)
    assert [one.origin for one in taught([person])] == [Origin.USER]
    assert taught([parent]) == []


def test_injected_text_is_never_learned():
    assert taught([Turn(index=0, role="user", text="", injected=f"remember: {RULE}")]) == []


def test_habits_come_from_commands_and_say_so():
    call = ToolCall(id="1", name="Bash", command="just test", ok=True, output="ok")
    (one,) = taught([Turn(index=0, role="assistant", text="", tools=(call, call))])
    assert (one.origin, one.kind, one.commands) == (Origin.EXTRACTION, "environment", ("just test",))
