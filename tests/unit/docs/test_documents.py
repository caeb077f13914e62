"""Documents are true: the reference is what the code says, the examples run, the links lead somewhere."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from places import store_folder
from recortex.app.lock import alone

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/*.md")])


def test_the_reference_is_what_the_code_says():
    done = subprocess.run(
        [sys.executable, "scripts/build_docs.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


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


def test_the_session_loop_of_the_tutorial_runs_as_it_stands(tmp_path):
    text = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    by_hand, learning, changed = re.findall(r"<!-- run -->\n```sh\n(.*?)```\n<!-- /run -->", text, re.DOTALL)
    (tmp_path / "sitecustomize.py").write_text(PATIENT)
    given = run(by_hand, tmp_path)
    (brief, prompt, file) = (json.loads(line) for line in given.splitlines() if line.startswith("{"))
    assert "## Gotchas" in brief["hookSpecificOutput"]["additionalContext"]
    assert "may bear on the prompt" in prompt["hookSpecificOutput"]["additionalContext"]
    assert "about src/auth.py" in file["hookSpecificOutput"]["additionalContext"]
    assert "file src/auth.py" in given.split("</recortex-memory>")[-1]
    run(learning, tmp_path)
    limit = time.monotonic() + 600
    while "make ship" not in (known := run("cd try && recortex list", tmp_path)):
        assert time.monotonic() < limit, known
        time.sleep(0.1)
    with alone(store_folder(tmp_path / "try") / "locks" / "capture.lock", patience=600) as over:
        assert over  # no job outlives the test
    assert re.search(r"Use bcrypt with 12 rounds.*\[superseded\]", run(changed, tmp_path))


# What is said is tested here, not how soon: on a slow machine a hook would end with nothing said.
PATIENT = """
from recortex.app.session import capture
from recortex.hooks import entry

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


def test_verbs_and_options_that_documents_show_are_there():
    from recortex.cortex import Cortex
    from recortex.operations.registry import operations_of

    operations = operations_of(Cortex)
    for document in (ROOT / "README.md", ROOT / "docs" / "tutorial.md"):
        for verb, rest in re.findall(
            r"^recortex ([\w-]+)(.*)$", document.read_text(encoding="utf-8"), re.MULTILINE
        ):
            if verb in {"mcp", "tour", "worker"}:
                continue
            known = {parameter.name for parameter in operations[verb.replace("-", "_")].parameters()} | {
                "json"
            }
            shown = re.findall(r"(?<= )--([a-z-]+)", re.sub(r'"[^"]*"', "", rest))
            assert {option.replace("-", "_").removeprefix("no_") for option in shown} <= known
