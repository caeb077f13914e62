"""The operation: of the working tree it is asked in, with what the memory knows of a symbol."""

import subprocess

import pytest

from privacy_rules import expand
from recortex import Cortex
from recortex.errors import InvalidInputError, RecortexError

STORE = "class Store:\n    def open(self):\n        return check(1)\n\n\ndef check(x):\n    return x\n"
USE = "from store import Store, check\n\n\ndef use(s: Store):\n    s.open()\n    return check(2)\n"
TEST = "from use import use\n\n\ndef test_use():\n    assert use(None)\n"


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "project"
    (root / "tests").mkdir(parents=True)
    for name, text in (("store.py", STORE), ("use.py", USE), ("tests/test_use.py", TEST)):
        (root / name).write_text(text)
    git(root, "init", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-m", "one")
    return root


def git(root, *words):
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True)


def test_callers_and_impact_name_functions_tests_and_memories(project):
    with Cortex.open(project) as cortex:
        known = cortex.remember(
            "check never raises, callers rely on it.", kind="tribal", files=["store.py:6-7"]
        )
        cortex.remember("Unrelated: the top of the file.", kind="tribal", files=["store.py:1"])
        called = cortex.code("callers", "check")
        assert [(one.path, one.line, one.caller, one.certainty) for one in called.calls] == [
            ("store.py", 3, "Store.open", "resolved"),
            ("use.py", 6, "use", "resolved"),
        ]
        found = cortex.code("impact", "check")
        assert [(one.name, one.distance) for one in found.reached] == [("Store.open", 1), ("use", 1)]
        assert [(one.name, one.distance) for one in found.tests] == [("test_use", 2)]
        assert [(one.id, one.because) for one in found.memories] == [(known.id, "cites store.py:6")]


@pytest.mark.parametrize("text", ["Store.open", "Store::open", "store.py:open", "store.py:3", "open()"])
def test_a_symbol_is_named_in_several_ways(project, text):
    with Cortex.open(project) as cortex:
        found = cortex.code("callers", text)
        assert [one.name for one in found.symbols] == ["Store.open"]
        assert [(one.path, one.line) for one in found.calls] == [("use.py", 5)]


def test_find_puts_the_nearest_first_and_says_when_there_is_more(project):
    with Cortex.open(project) as cortex:
        assert [one.name for one in cortex.code("find", "use").symbols] == ["use", "test_use"]
        assert cortex.code("find", "e", limit=1).more


def test_what_is_not_there_is_told_with_what_is_near(project):
    with Cortex.open(project) as cortex:
        with pytest.raises(RecortexError, match="Nothing is called 'chec'") as caught:
            cortex.code("callers", "chec")
        assert caught.value.code == "symbol_not_found"
        assert "check" in caught.value.hint
        with pytest.raises(InvalidInputError, match="Which symbol"):
            cortex.code("impact")
        with pytest.raises(InvalidInputError, match="tokens"):
            cortex.code("map", tokens=1)


def test_a_map_fits_its_budget_and_begins_with_what_is_in_play(project):
    with Cortex.open(project) as cortex:
        whole = cortex.code("map", tokens=1_000)
        assert {"store.py", "use.py"} <= set(whole.text.splitlines())
        assert "  6: def check(x)" in whole.text.splitlines()
        asked = cortex.code("map", "fix test_use", tokens=100)
        assert asked.text.startswith("tests/test_use.py")
        assert asked.tokens <= 100


def test_a_worktree_has_its_own_code(project, tmp_path):
    other = tmp_path / "other"
    git(project, "worktree", "add", str(other), "-b", "other")
    (other / "store.py").write_text(STORE.replace("def check", "def renamed"))
    with Cortex.open(project) as main, Cortex.open(other) as linked:
        assert main.code().status.parsed == 3
        assert linked.code().status.parsed == 1
        assert linked.code("find", "renamed").symbols
        assert not main.code("find", "renamed").symbols


def test_what_code_says_and_is_given_is_kept_without_secrets(project):
    token = expand("gh" + "p_<<A36>>")
    (project / "login.py").write_text(
        f'@signed(password="gulhixdorf", user="app")\n@issued("{token}")\ndef enter():\n'
        f'    """Enter with the password gulhix-7dorf, or with {token}."""\n    send("{token}")\n\n\n'
        f"# The key of the gate: {token}\nGATE = 1\n"
    )
    secrets = [token, "gulhixdorf", "gulhix-7dorf"]
    with Cortex.open(project) as cortex:
        (found,) = cortex.code("find", "enter", limit=1).symbols
        assert found.doc == "Enter with the password [PASSWORD_SPOKEN], or with [GITHUB_TOKEN]."
        home = cortex._app.project.home
        read = b"".join(one.read_bytes() for one in home.rglob("*") if one.is_file())
        assert [secret for secret in secrets if secret.encode() in read] == []


def test_patterns_tell_what_is_used_and_how_it_is_written(cortex, project):
    (project / "requirements.txt").write_text("fastapi==0.115.0\n")
    routes = "\n\n".join(
        f'@app.get("/kilns/{{number}}/part{number}")\n'
        f"async def part{number}(number: int) -> Answer:\n    return 1"
        for number in range(6)
    )
    (project / "app.py").write_text(f"from fastapi import FastAPI\n\napp = FastAPI()\n\n\n{routes}\n")
    found = cortex.code("patterns")
    (fastapi,) = [one for one in found.used if one.name == "FastAPI"]
    assert fastapi.version == "==0.115.0"
    assert ("GET", "/kilns/{number}/part3") in {(one.method, one.address) for one in fastapi.routes}
