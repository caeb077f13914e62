"""A session ends with something open: the next one's brief says so, and on another branch it does not."""

import subprocess

ASKED = "Move the job queue of the importer to Redis, please."
OPEN = "Redis holds the new jobs. Should I also drop the old jobs table?"
TITLE = "Last session ("


def git(person, *words):
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(["git", *who, *words], cwd=person.project, check=True, capture_output=True)


def test_the_next_session_is_told_where_work_was_left(person):
    git(person, "commit", "-q", "--allow-empty", "-m", "Begin")
    person.memory("remember", "The office closes at six.")
    assert person.session([ASKED], [OPEN]).unharmed
    person.settle()
    following = person.session(["Thank you, that is all."], ["You are welcome."])
    assert following.unharmed, following
    given = "\n".join(following.given())
    assert TITLE in given
    assert ASKED in given
    assert 'open: "Should I also drop the old jobs table?"' in given
    assert TITLE in following.requests[0].text


def test_on_another_branch_nothing_is_told(newest):
    git(newest, "commit", "-q", "--allow-empty", "-m", "Begin")
    newest.memory("remember", "The office closes at six.")
    assert newest.session([ASKED], [OPEN]).unharmed
    newest.settle()
    git(newest, "checkout", "-q", "-b", "other")
    elsewhere = newest.session(["What is here?"], ["An empty folder."])
    assert "The office closes" in "\n".join(elsewhere.given())
    assert TITLE not in elsewhere.requests[0].text
    newest.settle()
    git(newest, "checkout", "-q", "main")
    back = newest.session(["And here?"], ["The same."])
    assert TITLE in "\n".join(back.given())
