"""Jobs that nobody waits for.

A worker does them for every workspace, a killed one's are taken up by the next.
"""

import os
import subprocess
import sys
import time

import psycopg
import pytest

from local_postgres import LONGEST_SECONDS
from places import location_of
from recortex import Cortex
from recortex.app.backends import queue
from recortex.app.jobs.table import QUEUED
from recortex.domain.address import parse

WORDS = [sys.executable, "-m", "recortex", "worker"]


@pytest.fixture
def database(server, monkeypatch):
    """An empty database of its own: a worker looks after all of one."""
    monkeypatch.setenv("RECORTEX_EMBEDDER", "hashed")
    return server.new_database("worked_on")


def filled(project, database, *workspaces, count=12):
    """Workspaces whose memories wait for their vectors; nothing is read together with what happened."""
    urls = [f"{database}&workspace={name}" for name in workspaces]
    for url in urls:
        with Cortex.open(project, url=url) as cx:
            texts = [f"Fact {number} about the cache of {url[-1]}" for number in range(count)]
            wishes = [{"text": text, "kind": "episodic"} for text in texts]
            cx.remember_many(wishes, embed=False)
    return urls


def waiting(project, url):
    with Cortex.open(project, url=url) as cx:
        return cx.status().stores[0].without_vector


def worked(project, url, *more):
    words = [*WORDS, "--once", "--url", url, "--project", str(project), *more]
    return subprocess.run(words, capture_output=True, text=True, timeout=LONGEST_SECONDS, check=False)


def until_alone(database):
    """The server ends what a killed process had of it a moment later, and then gives its locks back."""
    others = (
        "SELECT FROM pg_stat_activity WHERE datname = current_database() "
        "AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
    )
    with psycopg.connect(database, autocommit=True) as connection:
        until = time.monotonic() + LONGEST_SECONDS
        while connection.execute(others).fetchall():
            assert time.monotonic() < until
            time.sleep(0.05)


def queued(database):
    with psycopg.connect(database) as connection:
        connection.execute("SELECT set_config('search_path', %s, false)", (queue.schema(),))
        rows = connection.execute("SELECT task_name, args->>'workspace', status FROM procrastinate_jobs")
        return sorted(rows.fetchall())


def test_a_worker_looks_after_every_workspace(project, database):
    one, other = filled(project, database, "a", "b")
    assert (waiting(project, one), waiting(project, other)) == (12, 12)
    done = worked(project, one)
    assert (done.returncode, "0 failed" in done.stderr) == (0, True)
    assert (waiting(project, one), waiting(project, other)) == (0, 0)
    assert queued(database) == []


def test_jobs_are_handed_over_only_where_somebody_works(project, database):
    (url,) = filled(project, database, "a")
    location = location_of(url, project)
    assert not queue.handed_over(location, QUEUED)  # there is no queue yet
    queue.prepare(parse(database, workspace="a"))
    assert not queue.handed_over(location, QUEUED)  # nobody works
    with psycopg.connect(database) as connection:
        connection.execute(f"INSERT INTO {queue.schema()}.procrastinate_workers DEFAULT VALUES")
    assert queue.handed_over(location, QUEUED)
    assert queue.handed_over(location, QUEUED)  # what waits is not asked for twice
    assert queued(database) == sorted((name, "a", "todo") for name in QUEUED)
    assert not queue.handed_over(location_of(f"sqlite:///{project}/a.db", project), QUEUED)


def test_what_a_worker_without_a_heartbeat_was_doing_is_put_back(project, database):
    (url,) = filled(project, database, "a", count=1)
    queue.prepare(parse(database, workspace="a"))
    with psycopg.connect(database) as connection:
        connection.execute("SELECT set_config('search_path', %s, false)", (queue.schema(),))
        connection.execute("INSERT INTO procrastinate_workers DEFAULT VALUES")
    assert queue.handed_over(location_of(url, project), QUEUED[:1])
    with queue.opened(parse(database, workspace="a").conninfo) as app:
        for heartbeat, left in (("1 second", 0), ("61 seconds", 1)):
            with psycopg.connect(database) as connection:
                connection.execute("SELECT set_config('search_path', %s, false)", (queue.schema(),))
                connection.execute(
                    "UPDATE procrastinate_jobs SET status = 'doing',"
                    " worker_id = (SELECT max(id) FROM procrastinate_workers)"
                )
                connection.execute(
                    "UPDATE procrastinate_workers SET last_heartbeat = now() - %s::interval", (heartbeat,)
                )
            assert queue.take_back(app) == left
    assert queued(database) == []


@pytest.mark.full
def test_what_a_killed_worker_left_is_done_by_the_next(project, database):
    (url,) = filled(project, database, "a", count=400)
    words = [*WORDS, "--url", url, "--project", str(project)]
    with subprocess.Popen(words, stderr=subprocess.DEVNULL, env=os.environ) as process:
        try:
            while waiting(project, url) == 400:
                assert process.poll() is None
        finally:
            process.kill()
    until_alone(database)
    left = waiting(project, url)
    with psycopg.connect(database) as connection:  # a minute passes
        connection.execute("SELECT set_config('search_path', %s, false)", (queue.schema(),))
        connection.execute("UPDATE procrastinate_workers SET last_heartbeat = now() - interval '61 seconds'")
    assert worked(project, url).returncode == 0
    assert waiting(project, url) == 0
    assert left < 400


@pytest.mark.full
def test_a_job_that_fails_says_why_in_a_line(project, database):
    whole, _ = filled(project, database, "whole", "half")
    with psycopg.connect(database) as connection:
        connection.execute(
            "INSERT INTO recortex.chores (workspace, name, done_at, outcome)"
            """ SELECT workspace, 'copy of', 1, '{"source": "elsewhere"}'"""
            " FROM recortex.workspaces WHERE name = 'half'"
        )
    for attempts in (0, 9):  # tried again, and given up
        if attempts:
            with psycopg.connect(database) as connection:
                connection.execute("SELECT set_config('search_path', %s, false)", (queue.schema(),))
                connection.execute(
                    "UPDATE procrastinate_jobs SET attempts = %s, scheduled_at = NULL WHERE status = 'todo'",
                    (attempts,),
                )
        done = worked(project, whole)
        assert done.returncode == 0
        assert "embedding of half failed: The store" in done.stderr
        assert "is half a copy of elsewhere. Give the same `recortex migrate-store` again" in done.stderr
        assert "Traceback" not in done.stderr
    assert waiting(project, whole) == 0
    assert queued(database) == []  # the next round asks for them anew


def test_a_file_has_no_worker(project):
    done = worked(project, f"sqlite:///{project}/a.db")
    assert done.returncode == 1
    assert "needs a store on a server" in done.stderr


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--nonsense"], "Unrecognized arguments: --nonsense"),
        (["--url"], "--url: expected one argument"),
        (["--once=3"], "--once: ignored explicit argument"),
    ],
)
def test_unknown_options(project, words, why):
    done = worked(project, f"sqlite:///{project}/a.db", *words)
    assert done.returncode == 2
    assert why in done.stderr
