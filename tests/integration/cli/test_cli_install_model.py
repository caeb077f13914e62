"""`install` offers the agent's own command line as a language model: in one question, only to a person."""

import tomllib

import pytest

from person import at_a_terminal

INSTALL = ("install", "claude-code")


def provider(project):
    """What the person's own settings say."""
    file = project.home / "config.toml"
    return tomllib.loads(file.read_text())["llm"]["provider"] if file.exists() else ""


@pytest.mark.parametrize(("answer", "said"), [(b"y\n", "agent"), (b"\n", ""), (b"no\n", "")])
def test_a_person_is_asked_once_with_the_cap_of_a_day(project, answer, said):
    code, shown = at_a_terminal(project, *INSTALL, answer=answer)
    assert code == 0, shown
    asked = " ".join(shown.split())
    assert "`claude -p`" in asked
    assert "at most $0.10 and 200,000 tokens a day. [y/N]" in asked
    assert provider(project) == said
    _, again = at_a_terminal(project, *INSTALL, answer=b"\n")
    assert ("[y/N]" in again) is (said == "")  # what is on is not asked for again


def test_nobody_is_asked_but_a_person_and_a_script_has_a_flag(project):
    assert "[y/N]" not in project.run(*INSTALL).text
    assert provider(project) == ""
    shown = project.run(*INSTALL, "--language-model", "--dry-run")
    assert 'provider = "agent"' in shown.text
    assert provider(project) == ""
    settings = project.home / "config.toml"
    project.home.mkdir(exist_ok=True)
    settings.write_text("# mine\n[llm]\ndaily_usd = 0.5\n")
    assert project.run(*INSTALL, "--language-model").code == 0
    assert provider(project) == "agent"
    assert settings.read_text().startswith("# mine\n[llm]\ndaily_usd = 0.5\n")
    assert project.run("install", "codex", "--language-model").code == 2


def test_another_model_that_is_set_stays(project):
    project.home.mkdir(exist_ok=True)
    (project.home / "config.toml").write_text('[llm]\nprovider = "ollama"\n')
    assert "[y/N]" not in at_a_terminal(project, *INSTALL)[1]
    assert project.run(*INSTALL, "--language-model").code == 2
    assert provider(project) == "ollama"
