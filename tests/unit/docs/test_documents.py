"""Documents are true: the reference is what the code says, the examples run, the links lead somewhere."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/*.md")])


def test_the_reference_is_what_the_code_says():
    done = subprocess.run(
        [sys.executable, "scripts/build_docs.py", "--check"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


PAGES = sorted(ROOT.glob("docs/*.md"))
CURRENT = [document for document in DOCUMENTS if document.name != "CHANGELOG.md"]
"""What is true now: the changelog's links were right when it was written."""


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_a_page_has_at_most_a_hundred_lines(page):
    assert len(page.read_text(encoding="utf-8").splitlines()) <= 100


def anchors_of(document):
    """What a link may name after `#`: the headings, as GitHub spells them."""
    text = re.sub(r"^```.*?^```$", "", document.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", CURRENT, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_to_headings(document):
    for link, anchor in re.findall(
        r"\]\((?!https?:)([^)#]*)#([^)]+)\)", document.read_text(encoding="utf-8")
    ):
        target = document.parent / link if link else document
        assert anchor in anchors_of(target), f"{link}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_page_is_reached_from_the_readme(page):
    assert f"docs/{page.name}" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_to_files(document):
    for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", document.read_text(encoding="utf-8")):
        assert (document.parent / link).exists(), link


def test_the_python_example_of_the_readme_finds_what_it_remembered(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (example,) = re.findall(
        r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL
    )
    exec(compile(example, "README.md", "exec"), {})  # noqa: S102  our own example
    assert "Use bcrypt with 12 rounds" in capsys.readouterr().out


@pytest.mark.full
def test_the_tutorial_runs_word_for_word_in_an_empty_home(tmp_path):
    pages = (ROOT / "docs" / name for name in ("tutorial.md", "hooks-by-hand.md"))
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    assert "```sh" not in re.sub(r"^```sh\n.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    (tmp_path / "sitecustomize.py").write_text(PATIENT)
    (tmp_path / "learned.py").write_text(LEARNED)
    script = f"\npython '{tmp_path / 'learned.py'}'; echo {CUT}\n".join([*blocks, ""])
    shown = run(script, tmp_path).split(CUT)
    assert len(shown) == len(blocks) + 1
    (
        begin, taken, decided, asked, corrected, replaced, installed, kept, safe, hooks, _, learned,
        changed, _,
    ) = shown  # fmt: skip
    assert "Next:" in begin
    assert "Looked in:" in begin
    assert "2 of them waiting for review" in taken
    assert "Approved:" in decided
    assert "2 of 2" in decided
    assert "read-only between 1 and 3" in asked
    assert "Nothing known answers this" in asked
    assert "lock_timeout = 3s" in corrected
    assert "tried three times" in replaced
    assert "Recortex is in claude-code." in installed
    (brief, prompt, file) = (json.loads(line) for line in hooks.splitlines() if line.startswith("{"))
    assert "## Warnings" in brief["hookSpecificOutput"]["additionalContext"]
    assert "may bear on the prompt" in prompt["hookSpecificOutput"]["additionalContext"]
    assert "about src/auth.py" in file["hookSpecificOutput"]["additionalContext"]
    assert "file src/auth.py" in hooks.split("</recortex-memory>")[-1]
    assert "make ship" in learned
    assert re.search(r"Use bcrypt with 12 rounds.*\[superseded\]", changed)
    assert "hashes passwords" in kept
    assert "memories and" in safe


# A reader types the next command when the job behind a hook is over; the test waits for it.
LEARNED = """
import sys, time
from pathlib import Path

from recortex.filesystem import alone

limit = time.monotonic() + 300
for store in (found.parent for found in Path.home().glob("projects/*/cortex.db")):
    # Without the lock: a job that finds it taken leaves its work to the other one.
    while any(store.glob("queue/*")):
        if time.monotonic() > limit:
            sys.exit("nothing was learned")
        time.sleep(0.1)
    with alone(store / "locks" / "capture.lock", patience=300) as over:
        assert over  # no job outlives the block
"""
CUT = "-- cut --"


# What is said is tested here, not how soon: on a slow machine a hook would end with nothing said.
PATIENT = """
from recortex.app.jobs import capture
from recortex import hooks as entry

capture.SECONDS = 3_600.0
entry.SECONDS = dict.fromkeys(entry.SECONDS, 600.0)
"""


def run(script, folder):
    """What a script prints, in a home of its own, with the `recortex` that belongs to this interpreter."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    home = str(folder / "home")
    own = {"PATH": path, "PYTHONPATH": str(folder), "HOME": home, "RECORTEX_HOME": home}
    (folder / "home").mkdir(exist_ok=True)
    done = subprocess.run(
        ["sh", "-euc", script], cwd=folder, env=own, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.full
def test_the_examples_of_decisions_find_them(tmp_path):
    text = (ROOT / "docs" / "decisions.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    shown = run(block, tmp_path)
    assert "2 added, 1 relation." in shown
    assert "Looked at 1 commit." in shown
    assert "We keep carts in PostgreSQL" in shown
    assert "We keep carts in Redis." not in shown
    assert "Because installs took minutes" in shown


def test_verbs_and_options_that_documents_show_are_there():
    from recortex.cortex import Cortex
    from recortex.operations.registry import operations_of

    operations = operations_of(Cortex)
    for document in (ROOT / "README.md", ROOT / "docs" / "tutorial.md"):
        for verb, rest in re.findall(
            r"^recortex ([\w-]+)(.*)$", document.read_text(encoding="utf-8"), re.MULTILINE
        ):
            if verb in {"mcp", "tour", "worker", "serve", "completion"}:
                continue
            known = {parameter.name for parameter in operations[verb.replace("-", "_")].parameters()} | {
                "json"
            }
            shown = re.findall(r"(?<= )--([a-z-]+)", re.sub(r'"[^"]*"', "", rest))
            assert {option.replace("-", "_").removeprefix("no_") for option in shown} <= known
