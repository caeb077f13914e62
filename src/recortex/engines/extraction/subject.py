"""What a statement is about: its subject area, its files, its commands and its tags."""

from __future__ import annotations

import re

from recortex.domain.vocabulary import Domain
from recortex.engines.extraction.self_contained import identifiers

_AREAS = (
    (
        Domain.AUTH,
        (
            r"auth\w*|oauth\w*|log(?:in|out)|jwt|sessions? tokens?|passwords?|credentials?|permissions?|csrf|"
            r"sso|saml|rbac|bcrypt"
        ),
    ),
    (
        Domain.DB,
        (
            r"sql\w*|sqlite|postgres\w*|mysql|migrations?|databases?|ecto|orm|schemas?|quer(?:y|ies)|tables?|"
            r"redis|mongo\w*|prisma|alembic"
        ),
    ),
    (
        Domain.TEST,
        r"tests?|testing|specs?|pytest|jest|vitest|rspec|mocks?|fixtures?|assertions?|coverage|e2e|sandbox",
    ),
    (
        Domain.UI,
        (
            r"ui|css|html|components?|buttons?|templates?|react|vue|svelte|liveview|layouts?|modals?|"
            r"rendering|renders?|styles?|dom|tui"
        ),
    ),
    (
        Domain.API,
        (
            r"apis?|endpoints?|https?|rest|graphql|routes?|routers?|controllers?|requests?|responses?|grpc|"
            r"webhooks?|status codes?"
        ),
    ),
    (
        Domain.DEV,
        (
            r"ci|lint\w*|build|compil\w+|git|docker\w*|deploy\w*|packages?|dependenc\w+|makefile|tooling|"
            r"hooks?|install\w*|commands?|cli|branch\w*|commits?"
        ),
    ),
)
_DOMAINS = tuple((area, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)) for area, words in _AREAS)
_FILE = re.compile(r"(?:[\w@.-]+/)*[\w@-][\w@.-]*\.[A-Za-z]{1,5}\d?$|(?:[\w@.-]+/){2,}[\w@.-]*$")
_NOT_A_FILE = re.compile(
    r"^\d|^https?:|^\w+\.\w+\(|\.(?:com|org|net|io|new|get|set|mode|map|env|now|id|name|lan|local|home|corp|"
    r"dev|app)$|^(?:e\.g|i\.e)"
)
_PLACE = re.compile(r":\d+(?:[-–:,]\d+){0,3}$")
_PROGRAMS = re.compile(
    r"(?:sudo |env |\w+=\S+ )*(?:npm|npx|pnpm|yarn|bun|deno|node|pip|uv|poetry|python3?|pytest|tox|nox|ruff|"
    r"mypy|cargo|rustc|go|mix|elixir|iex|make|just|mise|docker|kubectl|helm|terraform|gradle|\./gradlew|mvn|"
    r"dotnet|bundle|rails|rake|composer|php|git|gh|cmake|ctest|bazel|swift|xcodebuild|flutter|dart|alembic|"
    r"prisma|psql|sqlite3|redis-cli|brew|apt|apt-get|systemctl|ssh|curl)(?: |$)"
)
_MAX_TAGS = 6
_MIN_TAG, _MAX_TAG = 3, 40
_MAX_FILES = 8


def domain_of(text: str) -> Domain:
    """The subject area whose words occur most; the earlier row of the table wins a tie."""
    counts = [(len(words.findall(text)), -rank, area) for rank, (area, words) in enumerate(_DOMAINS)]
    best = max(counts)
    return best[2] if best[0] else Domain.GENERAL


def files_in(text: str) -> tuple[str, ...]:
    """Paths that the text names, without repetition."""
    names = (_PLACE.sub("", name) for name in identifiers(text))
    found = (name for name in names if _FILE.match(name) and not _NOT_A_FILE.search(name))
    return tuple(dict.fromkeys(found))[:_MAX_FILES]


def short_path(path: str, cwd: str) -> str:
    """A path as the project knows it: relative to the working directory, else its last two parts."""
    path, cwd = path.replace("\\", "/"), cwd.replace("\\", "/").rstrip("/")
    if cwd and path.startswith(cwd + "/"):
        return path[len(cwd) + 1 :]
    return "/".join(part for part in path.split("/")[-2:] if part)


def commands_in(text: str) -> tuple[str, ...]:
    """Shell commands between code marks."""
    marked = re.findall(r"`([^`]{3,200})`", text)
    return tuple(dict.fromkeys(code for code in marked if _PROGRAMS.match(code)))


def tags_of(text: str, domain: Domain) -> tuple[str, ...]:
    """The subject area and the names in the text, lower case, at most six."""
    names = (re.sub(r"^\W+|\W+$", "", name.split("/")[-1]).lower() for name in identifiers(text))
    short = [name for name in names if _MIN_TAG <= len(name) <= _MAX_TAG and " " not in name]
    own = [domain.value.lower()] if domain is not Domain.GENERAL else []
    return tuple(dict.fromkeys(own + short))[:_MAX_TAGS]
