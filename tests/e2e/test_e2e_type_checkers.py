"""A user's program passes the strict mode of the type checker that editors use."""

import json
import subprocess
import sys

import pytest
from agents.install import PACKAGES, program

import strict_program


@pytest.mark.usefixtures("client")
def test_programs_of_users_pass_pyright_in_strict_mode(tmp_path):
    for name, text in strict_program.examples().items():
        (tmp_path / f"{name}.py").write_text(text)
    settings = {"typeCheckingMode": "strict", "include": ["."]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    words = [program("pyright", *PACKAGES["pyright"]), "--pythonpath", sys.executable, "--project", tmp_path]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
