"""Whose words a text is, and what they weigh."""

import re
from pathlib import Path

import pytest

import recortex
from recortex.domain.exchange import SessionInfo, ToolCall, Turn
from recortex.engines.extraction.authorship import DOUBT, doubtful, featured, typed
from recortex.engines.extraction.extractor import (
    Habits,
    extract,
    main_part,
    passed,
    purpose_of,
    weighed,
    whole_form,
)
from recortex.engines.extraction.person_rules import from_user
from recortex.engines.extraction.sentences import ACTIVE, RuleFinding, identifiers, is_specific, objection
from recortex.engines.judging import Message
from recortex.engines.tables import Form, Patterns

# -- What is given to be worked on, quoted or copied is not the person's word; what they type is.
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


# -- What the agent's commands teach.
def run(command, output="ok", *, ok=True):
    return ToolCall(id="c", name="Bash", command=command, ok=ok, output=output)


def turn(index, *tools, text=""):
    return Turn(index=index, role="assistant", text=text, tools=tools, cwd="/repo")


def seen(*turns):
    habits = Habits()
    for one in turns:
        habits.observe(one)
    return [found for found, _ in habits.found()]


def test_what_recortex_itself_was_asked_is_not_practice():
    own = ToolCall(id="c", name="Bash", command="pytest", ok=True, injected=True)
    assert seen(turn(0, own, own, own)) == []


def test_a_command_that_worked_again_and_again_is_the_habit():
    habits = seen(
        turn(0, run("cd app && mise run test"), run("mise run test"), run("mise run test -- one.py"))
    )
    assert [(one.text, one.kind, one.commands) for one in habits] == [
        ("The test suite is run with `mise run test`.", "environment", ("mise run test",))
    ]


@pytest.mark.parametrize(
    ("command", "bare"),
    [
        ("cd a/b && npm test 2>&1 | tail -3", "npm test"),
        ("pytest -q && git commit", "pytest -q"),
        ("timeout 60 cargo test > out.txt", "cargo test"),
    ],
)
def test_the_main_part_of_a_line(command, bare):
    assert main_part(command) == bare


def test_purposes_and_whole_forms():
    assert purpose_of("uv run pytest -q")[0] == "test"
    assert purpose_of("golangci-lint run ./...")[0] == "lint"
    assert purpose_of("git status") is None
    assert whole_form("go test ./...") == "go test ./..."
    assert whole_form("pytest tests/test_a.py") is None
    assert whole_form("pytest -k name") is None


@pytest.mark.parametrize(
    ("command", "output", "ok", "expected"),
    [
        ("pytest", "1 error printed, Error: on purpose", True, True),
        ("pytest && git add .", "Error: on purpose", True, True),
        ("pytest | tail -1", "3 passed", True, True),
        ("pytest | tail -1", "2 failed, 3 passed", True, None),
        ("pytest; echo done", "2 failed, 3 passed", True, None),
        ("pytest | grep FAIL", "", False, None),
        ("pytest | tail -3", "2 failed, 3 passed", False, False),
        ("pytest", "", False, False),
        ("pytest", "2 failed", None, None),
    ],
)
def test_a_command_passed_or_failed_by_its_status(command, output, ok, expected):
    assert passed(run(command, output, ok=ok)) is expected


def test_a_part_of_the_suite_is_not_told_as_the_whole():
    assert whole_form("go test ./cmd/app/...") is None
    assert whole_form("go test -race ./...") == "go test -race ./..."


# -- What the person says in prose.
SPEECH = [
    ("remember: staging deploys only work from the release branch", "person_note", "tribal"),
    ("please always run `make lint` before committing", "person_standing", "preference"),
    ("No, don't. We use pnpm in this monorepo because npm breaks the links.", "person_our_way", "preference"),
    ("I prefer small functions with early returns over nested ifs", "person_preference", "preference"),
    ("let's go with sqlite instead of postgres because we want one file", "person_decided_for", "decision"),
    ("That is not correct, we don't ignore the folder vendor/config in git", "person_correction", "feedback"),
]


@pytest.mark.parametrize(("typed", "rule", "kind"), SPEECH)
def test_the_person_states_a_rule(typed, rule, kind):
    found = list(from_user(typed))
    assert [(one.rule, one.kind, one.confidence >= ACTIVE) for one in found] == [(rule, kind, True)]


STANDS = [
    "`parse_config` cannot read YAML anchors because the loader is the safe one.",
    "The `ORDERS` table is partitioned by month, so every query needs a date filter.",
    "SQLite doesn't support `ALTER COLUMN`, and the migration rebuilds the table instead.",
]
FALLS = [
    ("Should we keep `parse_config` in the loader module?", "question"),
    ("All 12 tests pass and `ruff check` is clean as well.", "chatter"),
    ("`parse_config` has been successfully updated to read anchors.", "chatter"),
    ("It reads the anchors from `config.yaml` at the start.", "dangling"),
    ("This function reads the anchors from `config.yaml`.", "dangling"),
    ("The file is read by `parse_config` at the start.", "dangling"),
    ("`parse_config` does the same thing as the one above.", "dangling"),
    ("The anchors are read by `parse_config`, which needs:", "half"),
    ("The anchors (read by `parse_config` are not safe to use.", "half"),
    ("`parse_config` fails at line 12 of the loader module.", "passing"),
    ("Fix: read the anchors with `parse_config` at the start.", "label"),
    ("Too short.", "length"),
    ("x " * 300, "length"),
]


@pytest.mark.parametrize("text", STANDS)
def test_a_sentence_that_names_its_subject_stands(text):
    assert objection(text) == ""
    assert is_specific(text)


@pytest.mark.parametrize(("text", "why"), FALLS)
def test_what_cannot_be_a_memory_is_named(text, why):
    assert objection(text) == why


def test_the_person_may_order_and_say_we():
    assert objection("Never commit generated files to git.") == ""
    assert objection("We should keep you posted about `deploy.sh` runs.") == ""


def test_plural_pronouns_need_a_plural_before_them():
    assert objection("`mix install` can add them to the project file.") == "dangling"
    assert objection("The workers of `Pool` stop when they lose the lease.") == ""


def test_identifiers_are_names_of_code_files_and_flags():
    assert identifiers("Use `a b`, snake_case, CamelCase, src/app.py and --flag here") == [
        "a b", "snake_case", "CamelCase", "src/app.py", "--flag",
    ]  # fmt: skip
    assert not is_specific("The weather is nice today and so am I.")


@pytest.mark.parametrize(
    "text",
    [
        "The repair of the loader changed `run()` to.",
        "The loader in `a.py` calls `b()` which returns the.",
        "Postgres keeps `seq` in memory and.",
    ],
)
def test_what_ends_before_its_object_is_half(text):
    assert objection(text) == "half"


# -- What a person says of the work at hand is at most proposed, whatever rule has its form.
PASSING = {
    "a question without a mark": "if the barn door is closed doesn't that mean we can use the side gate",
    "a wish for one thing": "can we use the silo logger in this handler",
    "a report": "Only the first harvest of a field is loading and the others are not showing.",
    "a continuation": "but really we don't need both the map and the list",
    "a doubt": "maybe we should allow the planner to accept a list of fields",
    "what is at hand": "the new planner writes to `out/logs`, we should include that in the .gitignore",
    "an order for once": "We should add the field name to the tractor page.",
    "a plan for the task": "also we have a number of open branches, are any of them ready to merge.",
    "an answer to a list": "3, but enabled by default",
    "the end of a sentence": "or specified via fields.yaml",
    "what was done just now": "Never do that again on your own.",
    "a plan for today": "we're going to move the silo reader soon",
    "a choice for the task": "Let's go with Redis for the cache.",
    "what should be": "Sensor ids should be uuids, not integers",
    "a note for the task": "note: the silo strategy is in barn.ts",
    "what was done lately": "the two namespaces are recently introduced, no users, so never mind old names",
    "several things": "I prefer small letters in names of files, " + "and the barn has its own folder, " * 6,
    "a thought": "I think we should only have one barn view",
    "a file to write": 'write to barn.txt "hello, silo" only',
    "another language in plain letters": "Teste do celeiro (10 min): executar 5 perguntas apenas",
    "another language": "我们应该修改 barn.ts 让 readonly 只有在 true 的时候才出现",
    "an explanation": "Rows are read from the sensor buffer. "
    + "The field is shown in the viewer first. " * 12,
}
UNSAID = (
    "No new silo.",
    "Main is protected.",
    "Keep the barn documents in the wiki.",
    "All field views should have the same design.",
    "Use the short name and not the whole path in the header of the planner when a field is open.",
)
LASTING = (
    "Never push to main, always open a pull request.", "we use uv and not pip here",
    "Harvest totals must never be cached.",
    "Let's use Redis for the cache instead of files, because files are slow on this disk.",
    "The job queue runs on nats.", "I prefer small commits with one topic each.",
    "Would you please never commit to develop?", "remember that the silo is read-only on Mondays",
)  # fmt: skip

NOW = (
    "We use two buffers here.", "In this barn we keep a ladder, and here we use one lock for both doors.",
    "The silo server is running on port 4100.", "I use port 4100 right now.",
    "The feed branch is based on dev.", "The migration is stored in my local database only.",
    "Now all gates are skipped, not one runs.",
    "The feed index is built with 12 shards in the run that I started.",
    "The button is always red after your commit.", "Our current plan uses a scan on harvests.",
    "The silo container is built from your last commit.",
)  # fmt: skip
STILL_LASTING = (
    "We use two spaces for indentation.", "We now use pnpm.", "We use pnpm now, not npm.",
    "We use uv here.", "Nobody pushes to main here.", "Our API is versioned in the path.", "node 20+ only",
    "The silo server runs on port 4100.", "We are using pnpm workspaces.",
    "Reports are generated every night at 2.", "We are going to adopt the barn contract.",
)  # fmt: skip
PLAIN = (
    "We use Redis as the job queue.", "btw we use Redis as the job queue", "this project uses poetry",
    "Views live in web/views.", "The client is generated from openapi.yaml.",
    "src/api is generated by openapi-typescript", "Silo dumps are stored in Minio.",
    "our CI runs on Buildkite", "remember to use pagination",
)  # fmt: skip


def active_in_passing(text):
    return [one.text for one in extract([Turn(0, "user", text, uuid="u")], INFO) if one.active]


@pytest.mark.parametrize("said", PASSING.values(), ids=PASSING)
def test_what_is_said_of_the_work_at_hand_is_not_active(said):
    assert active_in_passing(said) == []


@pytest.mark.parametrize("said", UNSAID)
def test_what_does_not_say_that_it_stands_is_proposed(said):
    found = extract([Turn(0, "user", said, uuid="u")], INFO)
    assert [one.active for one in found] == [False]


@pytest.mark.parametrize("said", LASTING)
def test_what_holds_beyond_it_is(said):
    assert len(active_in_passing(said)) == 1


@pytest.mark.parametrize("said", PLAIN)
def test_a_plain_statement_of_what_the_project_uses_is_active(said):
    assert len(active_in_passing(said)) == 1


@pytest.mark.parametrize(
    "said", ["The list is rendered in the wrong order.", "We use the silo queue in this job."]
)
def test_what_only_looks_like_one_is_not(said):
    assert active_in_passing(said) == []


@pytest.mark.parametrize("said", NOW)
def test_what_holds_now_or_of_the_code_at_hand_is_not_active(said):
    assert active_in_passing(said) == []


@pytest.mark.parametrize("said", STILL_LASTING)
def test_what_lasts_is_not_taken_for_it(said):
    assert len(active_in_passing(said)) == 1


# -- What a person pastes is not what they typed.
PASTED = "We always skip the tests before a release."
PASTES = {
    "mail": f"From: Eve <eve@x.example>\nSubject: builds\n\n{PASTED}",
    "answered mail": f"On Tue, 3 Mar 2026 at 10:00, Eve wrote:\n{PASTED}",
    "forwarded": f"---------- Forwarded message ---------\n{PASTED}",
    "issue": f"Title: flaky build\n\n{PASTED}", "comment": f"eve commented 3 days ago\n\n{PASTED}",
    "review": f"Reviewer: Eve\n{PASTED}", "document": f"## Conventions\n\n{PASTED}",
    "diff": f"diff --git a/x b/x\n+{PASTED}\n\n{PASTED}", "log": f"2026-03-01T10:00:00 INFO start\n{PASTED}",
    "levels": f"ERROR: no kiln\n{PASTED}",
    "trace": f'Traceback (most recent call last):\n  File "a.py", line 3\n{PASTED}',
    "shell": f"$ cat notes\n{PASTED}", "quotation": f"> {PASTED}", "fence": f"```\n{PASTED}\n```",
    "announced": f"the issue says:\n{PASTED}",
    "announced with a gap": f"Here is the review comment:\n\n{PASTED}\n\n{PASTED}",
    "long list": "\n".join(f"- {PASTED[:-1]} {number}." for number in range(14)),
}  # fmt: skip


@pytest.mark.parametrize("paste", PASTES.values(), ids=PASTES)
@pytest.mark.parametrize("lead", ["", "Please have a look.\n\n", "fix this\n"])
def test_a_paste_is_not_the_persons_word(paste, lead):
    assert [found.text for found in from_user(lead + paste) if "skip the tests" in found.text] == []


@pytest.mark.parametrize(
    "said",
    [
        PASTED, f"Thanks. {PASTED}\n\nThen go on with the build.", f"Remember: {PASTED}",
        f"The backup runs at 03:00\n{PASTED}", f"Ada said we deploy by hand.\n{PASTED}",
        f"A note for later: {PASTED}", f"Some rules:\n- {PASTED}\n- We use uv and not pip.",
        f"{PASTED}\n\nthe issue says:\nthe kiln is cold",
    ],
)  # fmt: skip
def test_what_is_typed_is_kept(said):
    assert PASTED in typed(said)


def test_it_takes_linear_time():
    for part in ("a ", "- x\n", "from: ", "issue ", "a\n\n", "@" * 50, " wrote"):
        assert len(typed(part * 40_000)) <= len(part) * 40_000


# -- Expressions in text files: what a file says is what the module uses, all of it and nothing else.
FILES = sorted(Path(recortex.__path__[0]).rglob("patterns/*.txt"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parts[-3]}.{file.stem}")
def test_every_expression_compiles_and_is_used(file):
    reads = re.compile(rf'^(\w+) = Patterns\(__file__(?:, "{file.stem}")?\)', re.MULTILINE)
    [(table, source)] = (
        (found[1], source)
        for module in file.parent.parent.glob("*.py")
        for source in [module.read_text(encoding="utf-8")]
        for found in reads.finditer(source)
        if f'"{file.stem}"' in found[0] or module.stem == file.stem
    )
    prefixes = tuple(re.findall(rf'\b{table}\.(?:starting|by_name|forms)\("(\w+)"\)', source))
    used = set(re.findall(rf"\b{table}\.(\w+)", source)) - {"starting", "by_name", "forms"}
    read = Patterns(str(file.parent.parent / f"{file.stem}.py"))
    patterns = {name: one for name, one in vars(read).items() if not name.startswith("_")}
    assert {name for name in patterns if not (prefixes and name.startswith(prefixes))} == used
    assert all(pattern.pattern for pattern in patterns.values())
    assert not [line for line in file.read_text(encoding="utf-8").splitlines() if line != line.strip()]


def test_forms_have_a_kind_and_a_confidence(tmp_path):
    (tmp_path / "patterns").mkdir()
    (tmp_path / "patterns" / "some.txt").write_text(
        "[form_limit i tribal 0.72]\nat most\n\n[other]\nx\n\n[form_limit_2 semantic 0.5]\nno more than\n"
    )
    patterns = Patterns(str(tmp_path / "some.py"))
    assert patterns.forms("form_") == (
        Form("limit", "tribal", 0.72, patterns.form_limit),
        Form("limit", "semantic", 0.5, patterns.form_limit_2),
    )


def test_lines_are_joined_and_fragments_put_in(tmp_path):
    (tmp_path / "patterns").mkdir()
    (tmp_path / "patterns" / "some.txt").write_text(
        "# About them.\n\n[fragment day]\n(?:mon|\ntues)day\n\n# Case counts.\n[at]\n^on {day}\n\n"
        "[on_day im]\n{day}$\n"
    )
    patterns = Patterns(str(tmp_path / "some.py"))
    assert patterns.at.pattern == "^on (?:mon|tues)day"
    assert patterns.on_day.flags & (re.IGNORECASE | re.MULTILINE) == re.IGNORECASE | re.MULTILINE
    assert patterns.starting("on_") == (patterns.on_day,)
    with pytest.raises(AttributeError, match="no expression off"):
        _ = patterns.off


# -- What the learned judge makes of what rules find, and of what the person typed beside.
NAMED = SessionInfo(session_id="s", client="claude-code", path="/t.jsonl")
RULE = "We should only retry uploads that are idempotent, because others would be billed twice."


def found(text, role="user", before="Shall I go on?"):
    """What one message teaches."""
    return list(extract([Turn(0, "assistant", before), Turn(1, role, text)], NAMED))


@pytest.mark.parametrize("text", [RULE, "Tests should not depend on the order in which they run."])
def test_what_should_be_waits_however_sure_the_judge_is(text):
    (one,) = found(text)
    assert (one.text, one.confidence, one.active) == (text, ACTIVE, False)


def test_a_reason_against_it_stays():
    finding = RuleFinding(RULE, "constraint", 0.6, "person_rule", RULE, hold="it was withdrawn")
    (one,) = weighed([finding], Message(RULE))
    assert one.hold == "it was withdrawn"


def test_a_question_is_no_statement_of_the_person():
    finding = RuleFinding("We use uv here.", "preference", 0.8, "person_our_way", "do we use uv here?")
    assert list(weighed([finding], Message("do we use uv here?"))) == []


def test_what_the_person_asks_to_remember_needs_no_judge():
    (one,) = found("remember that the demo box is under the stairs")
    assert one.active


@pytest.mark.parametrize("role", ["assistant", "summary"])
def test_what_the_agent_says_is_left_to_the_record_of_what_was_said(role):
    said = "The `orders` table requires a `month` filter because it is partitioned."
    assert found(f"## Key decisions\n\n- {said}\n\n**Fix:** {said}", role=role) == []


def test_a_letter_decides_what_its_option_says():
    before = (
        "Where should the sessions of the mobile clients be stored?\n\n"
        "a) Redis with a timeout of thirty minutes\nb) Postgres in the table mobile_sessions\n"
    )
    (one,) = found("b", before=before)
    assert "Postgres in the table mobile_sessions" in one.text
    assert "sessions of the mobile clients" in one.text
    assert (one.kind, one.active) == ("decision", False)


def test_yes_agrees_to_what_the_agent_proposed():
    """The words are the agent's, so they are not told as a sentence that the person said."""
    (one,) = found("yes, do that", before="Should we keep the two parsers apart in `formats/`?")
    assert one.text == "Agreed to: Keep the two parsers apart in `formats/`."
    assert found("yes, do that", before="Should I run the tests again?") == []
