"""Settings: one table, four layers, and a project's file that may set a few harmless keys alone."""

import os

import pytest

from places import store_folder
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
