"""Settings: one table, four layers, and a project's file that cannot say where data goes."""

import pytest

from recortex import Cortex, settings
from recortex.errors import ConfigError


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


@pytest.mark.parametrize("name", ["home", "url", "now"])
def test_a_project_cannot_say_where_data_goes(tmp_path, name):
    found = read(tmp_path, project=f'{name} = "/tmp/elsewhere"\n')
    assert found[name] != "/tmp/elsewhere"  # noqa: S108  a word, no file
    assert "cannot say where data goes" in found.problems[0]


def test_a_project_from_a_stranger_changes_no_place(project, clock, home, tmp_path):
    (project / "recortex.toml").write_text(
        f'url = "sqlite:///{tmp_path}/stolen.db"\nhome = "{tmp_path}/elsewhere"\nnow = "1990-01-01"\nembedder = "none"\n'
    )
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember("A project's memory is kept here.")
        cortex.remember("A person's memory is kept at home.", scope="global")
        report = cortex.doctor()
    assert (project / ".recortex" / "cortex.db").exists()
    assert (home / "global.db").exists()
    assert not (tmp_path / "stolen.db").exists()
    assert not (tmp_path / "elsewhere").exists()
    assert sum("cannot say where data goes" in finding.message for finding in report.findings) == 3


@pytest.mark.parametrize(
    "text",
    [
        "nonsense = 1",
        "recall.limit = 'many'",
        "recall.limit = true",
        "this is = = no toml",
        "\0",
        "[recall]\nlimit = 1.5",
        "a=" + "[" * 5000,
    ],
    ids=range(7),
)
def test_a_wrong_file_does_not_stop_the_program(tmp_path, text):
    found = read(tmp_path, user=text, project=text)
    assert found["recall.limit"] == 8
    assert len(found.problems) >= 2


@pytest.mark.parametrize(
    "text", ['embedder = "magic"', "threads = -4", "[recall]\nlimit = 0", "[backups]\nkeep = 0"]
)
def test_a_value_that_cannot_be_is_not_taken_from_a_file(tmp_path, text):
    found = read(tmp_path, project=text)
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


@pytest.mark.parametrize("url", ["mysql://x/y", "sqlite://host/file", "sqlite:///", "nonsense"])
def test_a_url_that_no_backend_takes_is_refused(tmp_path, url):
    with pytest.raises(ConfigError) as caught:
        Cortex.open(tmp_path, url=url)
    assert "sqlite:///FILE" in caught.value.hint


def test_the_clock_can_be_fixed(project, monkeypatch):
    monkeypatch.setenv("RECORTEX_NOW", "2030-05-06T07:08:09Z")
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    with Cortex.open(project) as cortex:
        assert f"{cortex.remember('It is later now.').recorded_at:%Y-%m-%d %H:%M:%S}" == "2030-05-06 07:08:09"
    monkeypatch.setenv("RECORTEX_NOW", "later")
    with pytest.raises(Exception) as caught:  # noqa: PT011  its code is what is tested
        Cortex.open(project)
    assert caught.value.code in {"invalid_input", "config_error"}
