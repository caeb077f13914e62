"""A person at a terminal: questions, reviews, failures."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import tomllib
from contextlib import contextmanager

import pytest

from person import at_a_terminal
from places import store_folder


# -- What a person at a terminal sees: a question before a removal, colours, progress.
@pytest.mark.parametrize(("answer", "status"), [(b"y\n", "archived"), (b"n\n", "active"), (b"\n", "active")])
def test_a_person_is_asked_before_something_is_removed(project, answer, status):
    known = project.remember("The nightly job takes the write lock at two, so deployments wait.")
    code, shown = at_a_terminal(project, "forget", known, answer=answer)
    assert code == 0
    assert "Would be put away" in shown
    assert "The nightly job" in shown
    assert ("Nothing was changed." in shown) is (status == "active")
    assert project.data("get", known)["status"] == status


@pytest.mark.parametrize("json_", [True, False])
def test_words_to_forget_show_what_they_may_mean_without_a_terminal(project, json_):
    known = project.remember("The nightly job takes the write lock at two, so deployments wait.")
    ran = project.run("forget", "the nightly job and its write lock", *(["--json"] if json_ else []))
    assert ran.code == 0
    if json_:
        assert [one["id"] for one in ran.data["candidates"]] == [known]
    else:
        assert "Which one is it?" in ran.text
        assert f"`recortex forget {known[:8]}`" in ran.text
    assert project.data("get", known)["status"] == "active"
    assert project.run("forget", known).code == 1  # what would be put away is asked for all the same


def test_a_dry_run_wins_over_yes(project):
    known = project.remember("The nightly job takes the write lock at two, so deployments wait.")
    assert "Would be put away" in project.run("forget", known, "--yes", "--dry-run").text
    assert project.data("get", known)["status"] == "active"


def test_colours_for_a_person_and_none_with_no_color(project):
    project.remember("The nightly job takes the write lock at two, so deployments wait.")
    assert "\x1b[36m" in at_a_terminal(project, "list", env={"NO_COLOR": ""})[1]
    assert "\x1b" not in at_a_terminal(project, "list")[1]


def test_long_work_shows_its_progress(project, tmp_path):
    rows = [
        {"text": f"Part {n} of the service waits {n} seconds for the lock of part {n + 1}."}
        for n in range(300)
    ]
    (tmp_path / "rows.json").write_text(json.dumps(rows), encoding="utf-8")
    code, shown = at_a_terminal(project, "remember_many", f"@{tmp_path / 'rows.json'}")
    assert code == 0
    assert "#" * 24 in shown
    assert "300 memories added." in shown
    assert shown.rstrip().endswith("300 memories added.")


# -- A person at a terminal decides about one memory after the other by keys.
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
            "status": "proposed", "tags": ["carriers"], "priority": 9, "valid_from": "2026-03-01",
        }
        for n in range(2)
    ]  # fmt: skip
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
        b"m", (b"With which", f"{known}\n".encode()), (b"What holds?", f"{RETRY}\n".encode()), b"u", b"q",
    )  # fmt: skip
    shown = review(project, *pressed)
    assert "merged" in shown
    assert "no longer merged" in shown
    assert states(project, [waiting[0], known]) == ["proposed", "active"]


# -- Whatever is given, a person gets one clear line, a hint and the right exit code; never a traceback.
PATIENCE = 300  # seconds, for a machine that may be slow

BAD = [
    # (exit code, words)
    (2, ["recal", "x"]),
    (2, ["--nothing"]),
    (2, ["remember", ""]),
    (2, ["remember", "a", "b"]),
    (2, ["remember", "a text", "--kind", "wisdom"]),
    (2, ["remember", "a text", "--priority", "eleven"]),
    (2, ["remember", "a text", "--content", "{"]),
    (2, ["remember", "a text", "--valid-from", "yesterday"]),
    (2, ["remember", "a text", "--metadata", "@none.json"]),
    (2, ["remember_many", "[1]"]),
    (2, ["remember_many", '{"text": "a"}\n{"text": 3}']),
    (2, ["remember_many"]),  # standard input is empty
    (2, ["recall", "x", "--limit", "0"]),
    (2, ["recall", "x", "--kinds", "tribal,wisdom"]),
    (1, ["get", "00000000"]),
    (2, ["get"]),
    (1, ["sessions", "--session", "none"]),
    (1, ["forget", "00000000", "--yes"]),
    (1, ["link", "00000000", "11111111"]),
    (1, ["extract", "none.jsonl"]),
    (1, ["extract", "."]),
    (1, ["review", "approve", "00000000"]),
    (2, ["import", "abacus"]),
    (2, ["import", "claude-code", "none"]),
    (1, ["purge", "00000000", "--yes"]),
    (2, ["purge", "--yes"]),
    (2, ["backup", "a", "b", "c"]),
    (2, ["tour", "--nothing"]),
    (1, ["get", "x", "--url", "mysql://x"]),
    (2, ["status", "--project", "none"]),
]


@contextmanager
def ended(running):
    """Whatever happens, the process does not outlive the test."""
    try:
        yield
    finally:
        running.kill()
        running.wait()
        for pipe in (running.stdin, running.stdout, running.stderr):
            if pipe:
                pipe.close()


def check(ran):
    """One line for people, a hint after it, nothing else."""
    lines = ran.err.splitlines()
    assert "Traceback" not in ran.err
    assert not ran.out
    assert len(lines) == 2, ran.err
    assert lines[0].startswith("error: ")
    assert lines[1].startswith("hint: ")
    assert len(lines[0]) < 300


@pytest.mark.parametrize(
    ("code", "words"), BAD, ids=lambda value: " ".join(value) if isinstance(value, list) else str(value)
)
def test_bad_input_in_json(shared, code, words):
    ran = shared.run(*words, "--json")
    assert ran.error["code"] not in {"internal_error", "error"}
    assert ran.code == code, ran
    assert not ran.err


@pytest.mark.parametrize(
    "words",
    [["recal", "x"], ["get", "00000000"], ["recall", "x", "--limit", "0"], ["remember", "a", "--kind", "b"]],
)
def test_bad_input_for_people(shared, words):
    check(shared.run(*words))


def test_a_deletion_that_nobody_confirms_does_not_happen(shared):
    known = shared.remember("A memory that nobody wants to lose, because it is the only one.")
    for verb in ("forget", "purge"):
        ran = shared.run(verb, known, "--json")
        assert ran.code == 1
        assert ran.error["code"] == "not_confirmed"
        assert "--yes" in ran.error["hint"]
    check(shared.run("forget", known))
    assert shared.data("get", known)["status"] == "active"


def test_arguments_that_are_not_utf_8(shared):
    ran = shared.run("remember", b"caf\xe9")
    assert ran.code == 2
    check(ran)
    assert shared.run("remember", b"caf\xe9", "--json").error["code"] == "usage"


@pytest.mark.parametrize("verb", ["remember", "remember_many"])
def test_standard_input_that_is_not_utf_8(shared, verb):
    ran = shared.run(verb, "-", stdin=b'["caf\xe9"]')
    assert ran.code == 2
    check(ran)


def test_a_lone_surrogate_in_json(shared):
    ran = shared.run("remember_many", "-", "--json", stdin=rb'[{"text": "half of a pair: \ud83d"}]')
    assert ran.code in {0, 2}
    assert "Traceback" not in ran.err
    assert ran.answer["status"] in {"ok", "error"}


def test_a_store_that_cannot_be_made(project):
    # A file where the folder should be stops everybody, root too.
    project.home.mkdir()
    (project.home / "projects").write_text("in the way")
    ran = project.run("remember", "a text that cannot be kept")
    assert ran.code == 1
    check(ran)


def test_a_store_that_is_no_database(project):
    project.data("init")
    (store_folder(project.folder, project.home) / "cortex.db").write_bytes(b"this is not a database " * 400)
    ran = project.run("list")
    assert ran.code == 1
    check(ran)
    assert "recover" in ran.err


def test_the_reader_of_the_output_goes_away(shared):
    """As with `| head -0`: no traceback, no noise."""
    running = subprocess.Popen(
        [sys.executable, "-m", "recortex", "list"],
        cwd=shared.folder, env=shared.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    with ended(running):
        running.stdout.close()
        assert running.wait(PATIENCE) in {0, 1}
        assert running.stderr.read() == b""


def test_a_folder_that_is_gone(shared, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f'cd {gone} && rmdir {gone} && exec "$0" -m recortex list'
    done = subprocess.run(
        ["sh", "-c", script, sys.executable], env=shared.environment, capture_output=True, check=False
    )
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert done.stderr.startswith(b"error: ")


@pytest.mark.parametrize(("redirection", "code"), [(">/dev/full", 1), (">&-", 0), ("2>&-", 0), ("<&-", 0)])
def test_streams_that_are_full_or_closed(shared, redirection, code):
    script = f'exec "$0" -m recortex list {redirection}'
    done = subprocess.run(
        ["sh", "-c", script, sys.executable],
        cwd=shared.folder, env=shared.environment, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == code, done
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr


def test_standard_input_that_is_closed(shared):
    script = 'exec "$0" -m recortex remember - <&-'
    done = subprocess.run(
        ["sh", "-c", script, sys.executable],
        cwd=shared.folder, env=shared.environment, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: Standard input is closed.")


def test_a_person_interrupts(shared):
    """Ctrl-C while it waits for standard input."""
    running = subprocess.Popen(
        [sys.executable, "-m", "recortex", "remember", "-"],
        cwd=shared.folder, env=shared.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    with ended(running):
        _wait_until_it_reads(running.pid)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 1
    assert not out
    assert err.decode().splitlines()[0] == "error: Interrupted."


def _wait_until_it_reads(pid: int) -> None:
    """Until the process sleeps in a read of its standard input."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        with open(f"/proc/{pid}/wchan", encoding="ascii") as file:  # noqa: PTH123  not a file on a disk
            if "pipe" in file.read():
                return
        time.sleep(0.01)
    raise AssertionError("it never waited for its input")


# -- `install` offers the agent's own command line as a language model: in one question, only to a person.
INSTALL = ("install", "claude-code")


def provider(project):
    """What the person's own settings say."""
    file = project.home / "config.toml"
    return tomllib.loads(file.read_text())["llm"]["provider"] if file.exists() else ""


@pytest.mark.parametrize(("answer", "said"), [(b"y\n", "agent"), (b"\n", ""), (b"no\n", "")])
def test_a_person_is_asked_once_with_the_cap_of_a_day(project, answer, said):
    code, shown = at_a_terminal(project, *INSTALL, answer=answer)
    assert code == 0, shown
    asked = " ".join(shown.split())
    assert "`claude -p`" in asked
    assert "at most $0.10 and 200,000 tokens a day. [y/N]" in asked
    assert provider(project) == said
    _, again = at_a_terminal(project, *INSTALL, answer=b"\n")
    assert ("[y/N]" in again) is (said == "")  # what is on is not asked for again


def test_nobody_is_asked_but_a_person_and_a_script_has_a_flag(project):
    assert "[y/N]" not in project.run(*INSTALL).text
    assert provider(project) == ""
    shown = project.run(*INSTALL, "--language-model", "--dry-run")
    assert 'provider = "agent"' in shown.text
    assert provider(project) == ""
    settings = project.home / "config.toml"
    project.home.mkdir(exist_ok=True)
    settings.write_text("# mine\n[llm]\ndaily_usd = 0.5\n")
    assert project.run(*INSTALL, "--language-model").code == 0
    assert provider(project) == "agent"
    assert settings.read_text().startswith("# mine\n[llm]\ndaily_usd = 0.5\n")
    assert project.run("install", "codex", "--language-model").code == 2


def test_another_model_that_is_set_stays(project):
    project.home.mkdir(exist_ok=True)
    (project.home / "config.toml").write_text('[llm]\nprovider = "ollama"\n')
    assert "[y/N]" not in at_a_terminal(project, *INSTALL)[1]
    assert project.run(*INSTALL, "--language-model").code == 2
    assert provider(project) == "ollama"
