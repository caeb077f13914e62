"""Settings: their layers, and places of stores."""

import os
import subprocess
import sys

import pytest

from places import location_of, project_of, store_folder
from recortex import Cortex, settings
from recortex.codebase.git import find_checkout
from recortex.domain.address import parse
from recortex.errors import ConfigError, RecortexError


# -- Settings: one table, four layers, and a project's file that may set a few harmless keys alone.
def read(tmp_path, *, project="", user="", environment=None):
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "recortex.toml").write_text(project)
    (tmp_path / "home" / "config.toml").write_text(user)
    return settings.read(tmp_path, {"RECORTEX_HOME": str(tmp_path / "home"), **(environment or {})})


def origins(found):
    return {one.name: one.origin for one in found}


def test_the_stronger_layer_wins(tmp_path):
    found = read(tmp_path, project="[recall]\nlimit = 3\nfloor = false\n", user="[recall]\nlimit = 4\n")
    assert (found["recall.limit"], found["recall.floor"]) == (4, False)
    assert origins(found)["recall.limit"] == "user"
    assert origins(found)["recall.floor"] == "project"
    found = read(tmp_path, user="[recall]\nlimit = 4\n", environment={"RECORTEX_RECALL_LIMIT": "5"})
    assert found["recall.limit"] == 5
    assert origins(found)["recall.limit"] == "environment"


HARMLESS = {
    "hooks.brief_tokens", "recall.limit", "recall.floor", "recall.exchanges", "recall.documents",
    "hooks.prompt_limit", "hooks.prompt_tokens",
}  # fmt: skip
SWITCHES = {
    "hooks.brief", "hooks.last_session", "hooks.prompt", "hooks.files", "hooks.capture", "hooks.instructions",
}  # fmt: skip


@pytest.mark.parametrize("setting", settings.SETTINGS, ids=lambda setting: setting.name)
def test_a_projects_file_sets_a_few_harmless_keys_alone(tmp_path, setting):
    default = setting.default
    number = 999 if setting.name == "hooks.brief_tokens" else 99
    other = (
        not default if isinstance(default, bool) else (number if isinstance(default, int | float) else '"x"')
    )
    written = str(other).lower() if isinstance(other, bool) else other
    found = read(tmp_path, project=f"{setting.name} = {written}\n")
    if setting.name in HARMLESS | SWITCHES:
        assert (found[setting.name], found.problems) == (other, ())
    else:
        assert found[setting.name] == default or setting.name == "home"
        assert origins(found)[setting.name] != "project"
        assert "a project's file may only set" in found.problems[0]


@pytest.mark.parametrize("name", sorted(SWITCHES))
def test_a_projects_file_switches_hooks_off_and_never_on(tmp_path, name):
    found = read(tmp_path, project=f"{name} = true\n", user=f"{name} = false\n")
    assert found[name] is False
    assert len(found.problems) == 1


@pytest.mark.parametrize(
    "make",
    [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), lambda path: path.write_bytes(b"#" * 300_000)],
    ids=["pipe", "link", "large"],
)
def test_a_projects_file_that_is_none_is_not_read(tmp_path, make):
    make(tmp_path / "recortex.toml")
    found = settings.read(tmp_path, {"RECORTEX_HOME": str(tmp_path / "home")})
    assert len(found.problems) == 1
    assert "recortex.toml" in found.problems[0]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_projects_file_of_another_user_is_not_read(tmp_path):
    (tmp_path / "recortex.toml").write_text("[recall]\nlimit = 3\n")
    os.chown(tmp_path / "recortex.toml", 12345, -1)
    found = settings.read(tmp_path, {"RECORTEX_HOME": str(tmp_path / "home")})
    assert found["recall.limit"] == 8
    assert "another user" in found.problems[0]


def test_a_project_from_a_stranger_changes_no_place(project, clock, home, tmp_path):
    (project / "recortex.toml").write_text(
        f'url = "sqlite:///{tmp_path}/stolen.db"\nhome = "{tmp_path}/elsewhere"\nnow = "1990-01-01"\n'
    )
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember("A project's memory is kept here.")
        cortex.remember("A person's memory is kept at home.", scope="global")
        report = cortex.doctor()
    assert (store_folder(project) / "cortex.db").exists()
    assert (home / "global.db").exists()
    assert not (tmp_path / "stolen.db").exists()
    assert not (tmp_path / "elsewhere").exists()
    assert sum("may only set" in finding.message for finding in report.findings) == 1


@pytest.mark.parametrize(
    "text",
    [
        "nonsense = 1", "recall.limit = 'many'", "recall.limit = true", "this is = = no toml", "\0",
        "[recall]\nlimit = 1.5", "a=" + "[" * 5000, "recall.limit = " + "9" * 100_000,
        "recall.limit = 0x" + "f" * 100_000, "threads = 0x" + "f" * 100_000,
        "recall.floor = " + "9" * 100_000 + ".0", ".".join(["a"] * 4_000) + " = 1",
        "[" + ".".join(["'a.'"] * 4_000) + "]", "a = {" + " . ".join(['"."'] * 4_000) + " = 1}",
    ],
    ids=range(14),
)  # fmt: skip
def test_a_wrong_file_does_not_stop_the_program(tmp_path, text):
    found = read(tmp_path, user=text, project=text)
    assert found["recall.limit"] == 8
    assert len(found.problems) >= 2


@pytest.mark.parametrize(
    "text", ['embedder = "magic"', "threads = -4", "[recall]\nlimit = 0", "[backups]\nkeep = 0"]
)
def test_a_value_that_cannot_be_is_not_taken_from_a_file(tmp_path, text):
    found = read(tmp_path, user=text)
    assert "cannot be" in found.problems[0]
    assert origins(found) == origins(read(tmp_path))


@pytest.mark.parametrize(
    ("name", "value"),
    [("RECORTEX_THREADS", "many"), ("RECORTEX_EMBEDDER", "magic"), ("RECORTEX_RECALL_FLOOR", "perhaps")],
)
def test_a_wrong_variable_is_refused(tmp_path, name, value):
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, environment={name: value})
    assert name in caught.value.message
    assert "Unset it" in caught.value.hint


@pytest.mark.parametrize("setting", settings.SETTINGS, ids=lambda setting: setting.name)
def test_every_setting_has_a_variable_and_a_help(setting):
    assert settings.variable_of(setting.name).startswith("RECORTEX_")
    assert setting.help.endswith(".")


def test_the_clock_can_be_fixed(project, monkeypatch):
    monkeypatch.setenv("RECORTEX_NOW", "2030-05-06T07:08:09Z")
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    with Cortex.open(project) as cortex:
        assert f"{cortex.remember('It is later now.').recorded_at:%Y-%m-%d %H:%M:%S}" == "2030-05-06 07:08:09"
    monkeypatch.setenv("RECORTEX_NOW", "later")
    with pytest.raises(Exception) as caught:  # noqa: PT011  its code is what is tested
        Cortex.open(project)
    assert caught.value.code in {"invalid_input", "config_error"}


# -- Stores on a server: how they are named, what is kept here of them, and what is never shown.
URL = "postgresql://me:geheim@db.example:5433/memory?sslmode=require"


def test_a_project_without_git_is_named_by_its_folder(tmp_path):
    assert project_of(tmp_path).checkout.remote == tmp_path.name


def test_what_is_ours_in_a_url_does_not_go_to_the_driver():
    address = parse(f"{URL}&workspace=team/a%20b&partitions=8", workspace="other")
    assert (address.workspace, address.partitions) == ("team/a b", 8)
    assert address.conninfo == URL
    assert parse(URL, workspace="other").workspace == "other"
    assert address.shown == "postgresql://me@db.example:5433/memory?workspace=team/a b"


@pytest.mark.parametrize(
    ("given", "conninfo"),
    [
        ("postgresql:///d?host=/run/pg", "postgresql:///d?host=/run/pg"),
        ("postgres://h", "postgresql://h"),
        ("postgresql://h1:1,[::1]:2/d", "postgresql://h1:1,[::1]:2/d"),
        ("postgresql://h/d?options=-c%20geqo%3Doff", "postgresql://h/d?options=-c%20geqo%3Doff"),
        ("postgresql://h/d?sslrootcert=/My%20Files/a+b.crt",
         "postgresql://h/d?sslrootcert=/My%20Files/a%2Bb.crt"),
        ("postgresql://h/d?workspace=w&application_name=a%26b", "postgresql://h/d?application_name=a%26b"),
    ],
)  # fmt: skip
def test_what_is_the_drivers_goes_there_unchanged(given, conninfo):
    assert parse(given, workspace="w").conninfo == conninfo


@pytest.mark.parametrize("name", ["c++", "c#", "a&b=c", "100%", "a b", "日本", "x?y", "a/b", "'\";$1"])
def test_a_workspace_of_a_database_has_one_url(name):
    for conninfo in ("postgresql://h/d", "postgresql://h/d?sslmode=require"):
        address = parse(conninfo, workspace=name)
        assert parse(address.url(name), workspace="other") == address
        assert parse(address.shown, workspace="other").workspace == name


def test_a_plus_sign_is_no_space():
    assert parse("postgresql://h/d?workspace=c++", workspace="w").workspace == "c++"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("postgresql:///?dbname=a", "postgresql:///?dbname=b"),
        ("postgresql:///d?host=/a&port=1", "postgresql:///d?host=/a&port=2"),
        ("postgresql://h/d?hostaddr=10.0.0.1", "postgresql://h/d?hostaddr=10.0.0.2"),
        ("postgresql:///d?user=a", "postgresql:///d?user=b"),
        ("postgresql:///?service=a", "postgresql:///?service=b"),
        ("postgresql://h:1,h:2/d", "postgresql://h:1,h:3/d"),
        ("postgresql://h/d?workspace=a%26b", "postgresql://h/d?workspace=a%2526b"),
    ],
)
def test_two_places_are_not_shown_alike(project, one, other):
    places = [location_of(url, project, "w") for url in (one, other)]
    assert places[0].shown != places[1].shown
    assert places[0].database != places[1].database


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://h/d?workspace=%ff", "postgresql://h/d?workspace=c#",
        "postgresql://h/d?application_name=\udc80", "postgresql:/h/d", "postgresql:host=h", "postgresql:",
        "postgresql://h:1:2/d", "postgresql://h1:1,h2:port/d", "postgresql://h/d?workspace=",
        f"postgresql://h/d?workspace={'x' * 201}", "postgresql://h/d?workspace=a%00b",
        "postgresql://h/d?workspace=a%0ab", "postgresql://h/d?partitions=-1",
        "postgresql://h/d?partitions=257", "postgresql://h/d?partitions=many", "postgresql://h:port/d",
        "postgresql://[/d",
    ],
)  # fmt: skip
def test_a_url_that_cannot_be(url):
    with pytest.raises(ConfigError) as caught:
        parse(url, workspace="w")
    assert "postgresql://USER@HOST" in caught.value.hint


@pytest.mark.parametrize("url", ["mysql://h/d", "postgresqlx://h/d", "nonsense", "sqlite://host/file"])
def test_urls_of_no_store(project, url):
    with pytest.raises(ConfigError):
        location_of(url, project, "a")


def test_a_projects_file_cannot_name_a_server_or_a_workspace(project):
    (project / "recortex.toml").write_text('url = "postgresql://evil/x"\nworkspace = "other"\n')
    with Cortex.open(project) as cx:
        assert [one.path for one in cx.status().stores] == []
        said = [finding.message for finding in cx.doctor().findings]
    assert sum("'url', 'workspace' ignored" in one for one in said) == 1


def test_a_server_that_is_not_there_says_so_without_the_password(project):
    with (
        Cortex.open(project, url="postgresql://me:geheim@127.0.0.1:1/none?workspace=w") as cx,
        pytest.raises(RecortexError) as caught,
    ):
        cx.recall("anything")
    assert caught.value.code == "store_unavailable"
    assert "geheim" not in f"{caught.value.message}{caught.value.hint}"


def test_a_store_on_a_server_is_not_recovered_like_a_file(project):
    with (
        Cortex.open(project, url="postgresql://me@127.0.0.1:1/none?workspace=w") as cx,
        pytest.raises(RecortexError) as caught,
    ):
        cx.recover()
    assert "on a server" in caught.value.message
    assert "migrate-store" in caught.value.hint
    assert not any(store_folder(project).glob("postgresql-*"))


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:geheim@127.0.0.1:1/none",
        "postgresql://me:geheim:geheim@127.0.0.1:1/none",
        "postgresql://127.0.0.1:1/none?password=geheim",
        "postgresql://127.0.0.1:1/none?sslmode=disable&sslpassword=geheim&port=1",
        "postgresql://127.0.0.1:1/none?p%61ssword=geheim",
    ],
)
def test_doctor_does_not_show_the_password_of_a_setting(project, monkeypatch, url):
    monkeypatch.setenv("RECORTEX_URL", url)
    with Cortex.open(project) as cx:
        shown = cx.doctor()
    assert "geheim" not in repr(shown)
    assert not shown.healthy


def test_a_worker_does_not_tell_a_password_that_cannot_be_read(project):
    words = [sys.executable, "-m", "recortex", "worker", "--once", "--url"]
    done = subprocess.run(
        [*words, "postgresql://me:geheim%zz@127.0.0.1:1/none"],
        cwd=project, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "cannot be read" in done.stderr
    assert "geheim" not in done.stdout + done.stderr


WITHOUT_DRIVER = """
import sys
class Gone:
    def find_spec(self, name, path=None, target=None):
        if name.split('.')[0] == 'psycopg':
            raise ModuleNotFoundError("No module named 'psycopg'", name='psycopg')
sys.meta_path.insert(0, Gone())
from recortex.__main__ import main
raise SystemExit(main())
"""


def test_without_the_driver_the_line_to_type_is_told(project):
    words = [
        sys.executable, "-c", WITHOUT_DRIVER, "recall", "anything", "--url", "postgresql://h/d?workspace=w",
    ]  # fmt: skip
    done = subprocess.run(words, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "pip install 'recortex[postgres]'" in done.stderr


# -- Where a store is: worktrees and subfolders share one; nobody else may read it.
def git(folder, *words):
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    names = {
        f"GIT_{who}_{what}": "t@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    subprocess.run(["git", *words], cwd=folder, env=os.environ | own | names, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    root = tmp_path / "main tree"
    (root / "src" / "deep").mkdir(parents=True)
    (root / "src" / "deep" / "a.py").write_text("a = 1\n")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "first")
    git(root, "worktree", "add", "-q", "-b", "second", "../second tree")
    git(root, "worktree", "add", "-q", "inner/third")
    return root


@pytest.mark.usefixtures("without_vectors")
def test_worktrees_and_subfolders_share_one_store(repository, clock):
    folders = [
        repository, repository / "src" / "deep", repository.parent / "second tree",
        repository.parent / "second tree" / "src" / "deep", repository / "inner" / "third" / "src",
    ]  # fmt: skip
    for number, folder in enumerate(folders):
        with Cortex.open(folder, clock=clock) as cortex:
            cortex.remember(f"Learned in folder {number}.")
            assert cortex.list().total == number + 1
    assert list(repository.parent.rglob("*.db")) == []
    assert {project_of(folder).folder for folder in folders} == {store_folder(repository)}
    status = subprocess.run(
        ["git", "status", "--porcelain"], cwd=repository, capture_output=True, text=True, check=True
    )
    assert status.stdout.split() == ["??", "inner/"]


def test_outside_git_a_projects_usual_file_marks_the_root(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert find_checkout(tmp_path / "a" / "b").root == tmp_path / "a" / "b"
    (tmp_path / "a" / "pyproject.toml").write_text("")
    assert find_checkout(tmp_path / "a" / "b").root == tmp_path / "a"


@pytest.mark.parametrize("text", ["", "gitdir: /nowhere", "nonsense", "gitdir: \0", "gitdir: " + "x" * 5000])
def test_a_strange_git_file_does_not_stop_anything(tmp_path, text):
    (tmp_path / ".git").write_text(text)
    assert find_checkout(tmp_path).root == tmp_path


@pytest.mark.usefixtures("without_vectors")
def test_nobody_else_can_read_a_store(project, clock, home):
    before = os.umask(0)
    try:
        with Cortex.open(project, clock=clock) as cortex:
            kept = cortex.remember("For my eyes only.")
            cortex.remember("For mine, everywhere.", scope="global")
            cortex.edit(kept.id, tags=["x"])
            cortex.backup()
            cortex.export(str(project / "export.jsonl"))
            modes(store_folder(project))
            modes(home)
            assert (project / "export.jsonl").stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)


def modes(folder):
    assert folder.stat().st_mode & 0o777 == 0o700
    for path in folder.rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


@pytest.mark.usefixtures("without_vectors")
def test_doctor_names_a_store_that_others_can_read(project, clock):
    with Cortex.open(project, clock=clock) as cortex:
        cortex.init()
        (store_folder(project) / "cortex.db").chmod(0o644)
        report = cortex.doctor()
    assert not report.healthy
    assert any("chmod 600" in finding.todo for finding in report.findings)
