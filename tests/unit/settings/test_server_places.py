"""Stores on a server: how they are named, what is kept here of them, and what is never shown."""

import subprocess
import sys

import pytest

from places import location_of, project_of, store_folder
from recortex import Cortex
from recortex.domain.address import parse
from recortex.errors import ConfigError, RecortexError

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
