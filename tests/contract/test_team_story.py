"""A new team, as docs/team-server.md tells it: six commands to an answer from a colleague's decision."""

import os
import re
import subprocess

import pytest

from patient_recortex import command

pytestmark = pytest.mark.full
LINK = re.compile(r"recortex sync join '(\S+)'")
SAID = "We keep the sessions in Redis, because the pods restart every night."


@pytest.fixture
def served(server):
    """The first command: a server, which says how to join."""
    words = ["serve", "--team", server.new_database("story"), "--workspace", "acme", "--admin", "ada"]
    program = subprocess.Popen([*command(), *words], stdout=subprocess.PIPE, text=True)
    try:
        yield next(found[1] for line in program.stdout if (found := LINK.search(line)))
    finally:
        program.terminate()
        program.wait()
        program.stdout.close()


@pytest.fixture
def at(tmp_path):
    """Runs a command in a person's checkout, with a home of their own."""

    def run(person, *words, fails=False):
        checkout, home = tmp_path / person, tmp_path / f"home of {person}"
        if not checkout.exists():
            checkout.mkdir()
            subprocess.run(["git", "init", "-q"], cwd=checkout, check=True)
        done = subprocess.run(
            [*command(), *words],
            cwd=checkout,
            env=os.environ | {"RECORTEX_HOME": str(home)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode != 0) == fails, (words, done.stdout, done.stderr)
        return done.stdout + done.stderr

    return run


def test_a_colleague_s_decision_answers_after_six_commands(served, at):
    at("ada", "remember", SAID, "--kind", "decision")
    assert "In sync" in at("ada", "sync", "join", served)
    link = LINK.search(at("ada", "sync", "invite", "ben"))[1]
    assert "In sync" in at("ben", "sync", "join", link)
    answer = at("ben", "recall", "where are the sessions kept?")
    assert SAID in answer
    assert "said by ada" in answer

    # Who may only read gets what the others wrote, and keeps what they write.
    reader = LINK.search(at("ada", "sync", "invite", "rita", "--right", "read"))[1]
    at("rita", "sync", "join", reader)
    assert SAID in at("rita", "recall", "where are the sessions kept?")
    at("rita", "remember", "Rita likes tea.", "--kind", "preference")
    assert "may only read" in at("rita", "sync", "now")

    # A reader's machine carries out a purge and says so.
    at("ada", "remember", "The password of the database is in the wiki.", "--kind", "reference")
    at("ada", "sync", "now")
    at("rita", "sync", "now")
    at("ada", "purge", "--text", "password of the database", "--yes")
    at("ada", "sync", "now")
    assert re.search(r"rita .* has not confirmed", at("ada", "sync"))
    at("rita", "sync", "now")
    assert "password" not in at("rita", "list")
    assert not re.search(r"rita .* has not confirmed", at("ada", "sync"))

    # What comes after: an answer back, a link that was used, an end of access.
    at("ben", "remember", "Redis runs with two replicas.", "--kind", "decision")
    assert "1 sent" in at("ben", "sync", "now")
    assert "1 received" in at("ada", "sync", "now")
    assert "two replicas" in at("ada", "recall", "how many replicas has Redis?")
    assert "used on another machine" in at("eve", "sync", "join", link, fails=True)
    assert "ben (" in at("ada", "sync", "members")
    assert "needs the scope admin" in at("ben", "sync", "invite", "eve", fails=True)
    assert "revoked" in at("ada", "sync", "revoke", "ben")
    assert "The token was revoked" in at("ben", "sync", "now", fails=True)
    assert SAID in at("ben", "recall", "where are the sessions kept?")
