"""Memories hang on symbols of code: linked when they are written, followed when the code changes."""

from contextlib import closing

import pytest

from claude_sessions import claude_session
from recortex import Cortex
from recortex.app.application import open_code
from recortex.app.jobs.running import run
from recortex.code.jobs import SYMBOLS
from recortex.domain.vocabulary import Scope
from recortex.formats.hook_events import HookEvent
from repositories import git

KILN = """import files


class Kiln:
    def fire(self, curve):
        # Slowly at first.
        for step in curve:
            self.heat(step)

    def heat(self, step):
        files.append(step)
        return files.flush()


def ramp(curve):
    return Kiln().fire(curve)
"""


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "kiln"
    (root / "src").mkdir(parents=True)
    (root / "src/kiln.py").write_text(KILN)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-qm", "one")
    return root


@pytest.fixture
def cortex(project, clock, monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    with Cortex.open(project, clock=clock) as opened:
        yield opened


def read(cortex):
    """Let the code be read, as after a session."""
    services = cortex._app.services(Scope.PROJECT)
    (done,) = run(services, cortex._app.clock, cortex._app.settings, [SYMBOLS])
    assert done.state == "done", done.note
    return done.counts["linked"]


def links(cortex, memory):
    found = cortex._app.services(Scope.PROJECT).store.symbols.find_links([memory.id])
    return [(one.role, one.path, one.name) for one in found.get(memory.id, ())]


def edit(project, old, new, path="src/kiln.py"):
    text = (project / path).read_text()
    assert old in text
    (project / path).write_text(text.replace(old, new))


def state(cortex, words):
    (hit,) = cortex.recall(words, limit=1).hits
    return hit.freshness, hit.cited


def test_a_memory_is_linked_to_what_it_names_when_it_is_written(cortex):
    cortex.code("status")
    memory = cortex.remember("`Kiln.fire` must not be called twice at once.", kind="tribal")
    assert links(cortex, memory) == [("about", "src/kiln.py", "Kiln.fire")]
    trace = 'It failed here: File "/x/src/kiln.py", line 11, in heat'
    assert links(cortex, cortex.remember(trace))[0] == ("about", "src/kiln.py", "Kiln.heat")


def test_a_function_is_found_by_its_plain_and_its_full_name(cortex):
    cortex.code("status")
    memory = cortex.remember("Firing is slow by intention.", functions=["Kiln.fire"])
    (link,) = memory.functions
    assert (link.file, link.signature) == ("src/kiln.py", "def fire(self, curve)")
    for name in ("fire", "Kiln.fire"):
        assert [one.id for one in cortex.list(functions=[name]).memories] == [memory.id]


def test_comments_and_layout_leave_it_fresh_and_an_edit_is_told(cortex, project):
    cortex.code("status")
    cortex.remember("`Kiln.fire` runs through a curve in order.", kind="tribal", files=["src/kiln.py:5-8"])
    assert state(cortex, "curve in order") == ("fresh", "")
    edit(project, "# Slowly at first.", "# Slowly.\n        # Very slowly.")
    edit(project, "files.flush()", "files.flush(True)")
    assert state(cortex, "curve in order") == ("fresh", "")
    edit(project, "self.heat(step)", "self.heat(step + 1)")
    assert state(cortex, "curve in order") == ("changed", "Kiln.fire (src/kiln.py:5-8): edited at line 9")


def test_what_was_renamed_and_moved_is_followed_and_kept_there(cortex, project):
    cortex.code("status")
    memory = cortex.remember("`Kiln.fire` runs through a curve in order.", kind="tribal")
    edit(project, "fire", "burn")
    assert state(cortex, "curve in order")[0] == "moved"
    (project / "src/kiln.py").rename(project / "src/oven.py")
    cortex.validate(heal=True)
    assert links(cortex, memory) == [("about", "src/oven.py", "Kiln.burn")]
    assert state(cortex, "curve in order") == ("fresh", "")
    (project / "src/oven.py").unlink()
    assert state(cortex, "curve in order")[0] == "gone"


def touch(cortex, project, old, session="s1"):
    path = str(project / "src/kiln.py")
    return cortex.attend(
        HookEvent(
            name="pre-tool-use", session=session, cwd=str(project), tool="Edit", files=(path,), writes=True,
            replaced=(old,),
        )
    )  # fmt: skip


def test_an_edit_brings_what_is_known_of_the_function_and_of_its_callers(cortex, project):
    about = cortex.remember(
        "`Kiln.heat` must flush, or steps are lost when it is switched off.", kind="tribal"
    )
    caller = cortex.remember("`Kiln.fire` relies on steps that come in order.", kind="tribal")
    cortex.remember("`ramp` is for tests.", kind="tribal")
    read(cortex)
    assert ("caller", "src/kiln.py", "Kiln.heat") in links(cortex, caller)
    said = touch(cortex, project, "        files.append(step)\n")
    assert about.text in said
    assert f"{caller.text} [{caller.id[:8]}] (about a caller of Kiln.heat)" in said
    assert "for tests" not in said
    assert touch(cortex, project, "        files.append(step)\n") == ""
    assert about.text in touch(cortex, project, "files.append(step)", session="s2")


def test_an_edit_is_placed_by_layout_where_the_file_has_no_facts(cortex, project):
    about = cortex.remember(
        "`Kiln.heat` must flush, or steps are lost when it is switched off.", kind="tribal"
    )
    read(cortex)
    edit(project, "files.flush()", "files.flush(now)")
    assert about.text in touch(cortex, project, "files.flush(now)")


def test_the_facts_of_a_folder_that_is_no_repository_are_not_read_unasked(tmp_path, clock, monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    (tmp_path / "notes").mkdir()
    with Cortex.open(tmp_path / "notes", clock=clock) as cortex:
        cortex.remember("Nothing of code.")
        services = cortex._app.services(Scope.PROJECT)
        (done,) = run(services, cortex._app.clock, cortex._app.settings, [SYMBOLS])
        assert (done.state, done.note) == ("skipped", "the project is no git repository")
        assert open_code(services.facts, services.root) is None


def test_facts_that_are_damaged_are_made_anew(cortex):
    cortex.code("status")
    memory = cortex.remember("`Kiln.fire` runs through a curve in order.", kind="tribal")
    services = cortex._app.services(Scope.PROJECT)
    for path in services.facts.parent.iterdir():
        path.unlink()
    services.facts.write_bytes(b"no database at all" * 100)
    assert state(cortex, "curve in order")[0] in {"fresh", "none"}
    code = open_code(services.facts, services.root)
    with closing(code):
        assert code.facts("src/kiln.py").language == "python"
    assert links(cortex, memory)


def test_a_memory_that_waited_is_linked_to_the_code_of_its_time(cortex, project, clock):
    git(project, "commit", "-q", "--amend", "--no-edit", at=clock.now.isoformat())
    cortex.remember("`Kiln.fire` runs through a curve in order.", kind="tribal")
    cortex.remember("`Kiln.heat` writes each step at once.", kind="tribal")
    clock.pass_(days=40)
    edit(project, "self.heat(step)", "self.heat(step + 1)")
    git(project, "commit", "-qam", "two", at=clock.now.isoformat())
    read(cortex)
    assert state(cortex, "curve in order")[0] == "changed"
    assert state(cortex, "each step at once") == ("fresh", "")


def test_links_that_followed_the_code_stay_when_the_memory_changes_otherwise(cortex, project):
    cortex.code("status")
    memory = cortex.remember("`Kiln.fire` runs through a curve in order.", kind="tribal")
    edit(project, "fire", "burn")
    cortex.validate(heal=True)
    cortex.edit(memory.id, tags=["kiln"])
    read(cortex)
    assert links(cortex, memory) == [
        ("about", "src/kiln.py", "Kiln.burn"),
        ("caller", "src/kiln.py", "Kiln.heat"),
    ]
    edit(project, "self.heat(step)", "self.heat(step + 1)")
    cortex.edit(memory.id, text="`Kiln.burn` runs through a curve in its order.")
    read(cortex)
    assert state(cortex, "curve in its order")[0] == "changed"


def test_what_a_person_approves_is_linked_to_the_code_as_it_is(cortex, project):
    cortex.code("status")
    memory = cortex.remember("`Kiln.fire` runs through a curve in order.", kind="tribal")
    edit(project, "self.heat(step)", "self.heat(step + 1)")
    assert state(cortex, "curve in order")[0] == "changed"
    cortex.feedback(memory.id, "confirm")
    assert state(cortex, "curve in order") == ("fresh", "")


def test_an_import_does_what_the_end_of_a_session_does(cortex, project, tmp_path):
    """What was said of a symbol is linked to it, and the answer counts the exchanges that were made."""
    said = [
        ("user", "Never call `Kiln.heat` by hand in src/kiln.py, the curve is followed by `fire` alone."),
        ("assistant", "I will call fire only."),
    ]
    claude_session(tmp_path / "s.jsonl", project, *said)
    done = cortex.import_("claude-code", str(tmp_path / "s.jsonl"))
    assert done.exchanges == 1
    (services,) = cortex._app.all_services(Scope.PROJECT)
    kept = cortex.list(statuses=["active", "proposed"]).memories
    assert kept
    assert services.store.symbols.find_links([one.id for one in kept])
    assert cortex.import_("claude-code", str(tmp_path / "s.jsonl")).exchanges == 0
