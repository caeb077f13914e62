"""Documents are true: the reference is what the code says, the examples run, the links lead somewhere."""

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


def test_verbs_and_options_that_documents_show_are_there():
    from recortex.cortex import Cortex
    from recortex.operations.registry import operations_of

    operations = operations_of(Cortex)
    for document in (ROOT / "README.md", ROOT / "docs" / "tutorial.md"):
        for verb, rest in re.findall(
            r"^recortex (\w+)(.*)$", document.read_text(encoding="utf-8"), re.MULTILINE
        ):
            if verb in {"mcp", "tour"}:
                continue
            known = {parameter.name for parameter in operations[verb].parameters()} | {"json"}
            shown = re.findall(r"(?<= )--([a-z-]+)", re.sub(r'"[^"]*"', "", rest))
            assert {option.replace("-", "_").removeprefix("no_") for option in shown} <= known
