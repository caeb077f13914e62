"""What is about the person or the tools goes everywhere; what is about the project, or in doubt, stays."""

import pytest

from recortex.domain.reports import Candidate
from recortex.domain.vocabulary import Origin, Scope
from recortex.engines.supersession import is_about_person, is_about_tools, scope_of

PERSON = [
    "I prefer tabs.", "I prefer small functions over comments.", "I never want emojis.",
    "I hate long explanations.", "I use helix on macOS.", "My name is Ada.", "My editor is Neovim.",
    "My shell is fish.", "My timezone is Europe/Berlin.", "I'm on NixOS.", "I am colour-blind.",
    "My preferred language is TypeScript.", "Call me Ada.", "Always answer in German.",
    "Please reply in English.", "Keep your answers short.", "Never use emojis.",
    "In all my projects, commits are signed.", "Use conventional commits in all my projects.",
    "I like explicit errors.", "I don't like abbreviations.", "I speak German.",
    "My keyboard layout is Dvorak.", "Squash commits, no matter which project.", "I work on Linux.",
    "I'd rather read short answers.", "My GitHub handle is adal.", "Do not use emojis.",
]  # fmt: skip
TOOLS = [
    "git rebase --update-refs moves the stacked branches along.",
    "`git rebase --update-refs` moves stacked refs.", "uv pip compile needs --universal for all platforms.",
    "`docker build` ignores `--secret` without the new builder.",
    "ruff check does not sort imports without `--select I`.", "`jq -r` prints raw strings.",
    "`rg --pcre2` supports lookbehind.", "`curl -f` returns 22 for a 404.",
]  # fmt: skip
PROJECT = [
    "I always write tests first.",
    "We use uv, not pip.", "Our CI runs on Linux.", "I want all endpoints in this repo versioned.",
    "I prefer the parser in src/parse.py.", "Use pathlib, not os.path.",
    "The staging database is db-2.internal.", "Never push to main.", "Tests need docker running.",
    "The deploy script needs AWS_PROFILE=prod.", "I use the staging server for demos.",
    "Use PostgreSQL for the job queue.", "`make gen` must run before the tests.",
    "`npm run dev` needs the backend.", "pytest needs docker running.",
    "git hooks are installed by `make setup`.", "`mix test` requires a database.",
    "My branch is rebased every day.", "I never deploy on Fridays because our customers complain.",
    "The test suite is run with `mise run test`.", "docker compose needs 8 GB of memory.",
    "`load_config` ignores missing files.", "Always run ruff before committing.",
    "Commit messages are written in English.", "uv is used here to install the tools.",
    "I want our API to return 404.", "Do not commit unless asked to.", "Go with FastAPI for the gateway.",
    "Find the bug in the parser first.", "git is configured with hooks in .githooks/pre-commit.",
    "I use Redis for the queue.", "Write tests in English.", "Explain with examples in the README.md.",
    "In every project of ours we sign commits.", "My service account is in vault.",
]  # fmt: skip


def said(text, *, confidence=0.9, speaker="user", active=True, kind="preference"):
    return Candidate(
        text=text, kind=kind, confidence=confidence, rule="r", quote=text, turn_index=0, speaker=speaker,
        origin=Origin.USER, active=active,
    )  # fmt: skip


@pytest.mark.parametrize("text", PERSON)
def test_about_the_person(text):
    assert is_about_person(text)
    assert scope_of(said(text)) is Scope.GLOBAL


@pytest.mark.parametrize("text", TOOLS)
def test_about_tools(text):
    assert is_about_tools(text)
    assert scope_of(said(text, speaker="assistant", kind="tribal")) is Scope.GLOBAL


@pytest.mark.parametrize("text", PROJECT)
def test_about_the_project(text):
    assert scope_of(said(text)) is Scope.PROJECT
    assert scope_of(said(text, speaker="assistant", kind="tribal")) is Scope.PROJECT


def test_only_what_is_sure_and_stands_is_global():
    assert scope_of(said("I prefer tabs.", confidence=0.8)) is Scope.PROJECT
    assert scope_of(said("I prefer tabs.", active=False)) is Scope.PROJECT
    assert scope_of(said("I prefer tabs.", kind="decision")) is Scope.PROJECT
    assert scope_of(said("I prefer tabs.", speaker="assistant")) is Scope.PROJECT
