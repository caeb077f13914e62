"""On a server a checkout uses a workspace only after a person bound it.

What it says its remote is proves nothing.
"""

import json
import subprocess

import pytest
from hooks_of_clients import called

from recortex import Cortex
from recortex.errors import ConfigError

pytestmark = pytest.mark.usefixtures("without_vectors")
QUESTION = "which pipeline do deployments go through?"


def checkout(root, name="name"):
    root.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    subprocess.run(
        ["git", "remote", "add", "origin", f"git@github.com:owner/{name}.git"], cwd=root, check=True
    )
    return root


@pytest.fixture
def name(server):
    return server.new_name().replace(" ", "-")


@pytest.fixture
def mine(tmp_path, server, name, monkeypatch):
    monkeypatch.setenv("RECORTEX_URL", server.url("postgres"))
    root = checkout(tmp_path / "mine", name)
    with Cortex.open(root) as cortex:
        made = cortex.init()
        assert made.workspace == f"github.com/owner/{name}"
        cortex.remember("Deployments go through the blue pipeline.", importance="critical")
    return root


def test_a_checkout_that_claims_the_same_remote_gets_nothing(mine, name, tmp_path):
    evil = checkout(tmp_path / "evil", name)
    with Cortex.open(evil) as cortex:
        for act in (
            lambda: cortex.recall(QUESTION),
            lambda: cortex.remember("Use the red pipeline."),
            cortex.list,
        ):
            with pytest.raises(ConfigError, match="bound to no workspace") as caught:
                act()
            assert "recortex init" in caught.value.hint
        assert not cortex.doctor().healthy
    for event, asked in (("session-start", "SessionStart"), ("user-prompt-submit", "UserPromptSubmit")):
        assert (
            called(evil, event, session_id="s", hook_event_name=asked, source="startup", prompt=QUESTION)
            == ""
        )
    called(evil, "stop", session_id="s", hook_event_name="Stop", transcript_path=str(evil / "t.jsonl"))
    with Cortex.open(mine) as cortex:
        assert cortex.list().total == 1


def test_what_was_bound_stays_bound_and_worktrees_share_it(mine):
    with Cortex.open(mine) as cortex:
        assert len(cortex.recall(QUESTION).hits) == 1
    said = called(mine, "session-start", session_id="s", hook_event_name="SessionStart", source="startup")
    assert "blue" in json.loads(said)["hookSpecificOutput"]["additionalContext"]


def test_a_person_names_the_workspace(tmp_path, server, monkeypatch):
    monkeypatch.setenv("RECORTEX_URL", server.url("postgres"))
    root = checkout(tmp_path / "named")
    with Cortex.open(root) as cortex:
        assert cortex.init(workspace="team/tools").workspace == "team/tools"
        kept = cortex.remember("The linter runs first.").id
    with Cortex.open(root) as cortex:
        assert cortex.get(kept)
        assert cortex.init(workspace="team/other").workspace == "team/other"
    with Cortex.open(root) as cortex:
        assert cortex.list().total == 0


def test_a_checkout_that_is_bound_later_is_seen_by_a_server_that_runs(tmp_path, server, name, monkeypatch):
    monkeypatch.setenv("RECORTEX_URL", server.url("postgres"))
    root = checkout(tmp_path / "later", name)
    with Cortex.open(root) as running:
        with pytest.raises(ConfigError):
            running.list()
        with Cortex.open(root) as other:
            other.init()
            other.remember("The linter runs first.")
        assert running.list().total == 1


def test_a_trigger_in_the_servers_schema_is_refused(mine, monkeypatch):
    import os

    import psycopg

    url = os.environ["RECORTEX_URL"]
    evil = (
        "CREATE FUNCTION public.evil() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';"
        "CREATE TRIGGER evil BEFORE INSERT ON recortex.memories FOR EACH ROW EXECUTE FUNCTION public.evil()"
    )
    del monkeypatch
    with psycopg.connect(url) as connection:
        connection.execute(evil)
    try:
        with Cortex.open(mine) as cortex:
            with pytest.raises(Exception, match="trigger evil on memories"):
                cortex.list()
            assert any("evil" in one.message for one in cortex.doctor().findings)
    finally:
        with psycopg.connect(url) as connection:
            connection.execute("DROP TRIGGER evil ON recortex.memories; DROP FUNCTION public.evil()")
