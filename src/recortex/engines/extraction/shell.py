"""Shell commands as evidence: what a command is for, its plain form, and whether it failed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recortex.engines.words import word_set

if TYPE_CHECKING:
    from recortex.domain.transcript import ToolCall

MAX_COMMAND = 120
_MAX_FORM = 60
_MIN_ERROR, _MAX_ERROR, _MAX_READ = 15, 160, 1_000

_PURPOSES = (
    ("test", "The test suite is run with", (
            r"(?:npm|pnpm|yarn|bun)(?: run)? test\S*|(?:\S*python3? -m |uv run |poetry run )?pytest|tox|nox|"
            r"go test|gotestsum|cargo (?:test|nextest run)|mix test|(?:mise|just|make|task|rake|deno|swift|"
            r"bazel|dotnet|flutter|dart|zig build|sbt|lein)(?: run)? (?:\w+[:_-])?test\S*|"
            r"\./gradlew \S*test\S*|gradle \S*test\S*|mvn (?:-\S+ )*(?:test|verify)|(?:bundle exec |"
            r"bin/)?rspec|(?:bin/)?rails test|(?:npx |bunx |pnpm exec |pnpm )?(?:vitest|jest|mocha|"
            r"playwright test|ava)|ctest|(?:vendor/bin/)?phpunit|composer test")),
    ("lint", "The linter is run with", (
            r"(?:npm|pnpm|yarn|bun)(?: run)? lint\S*|(?:uv run |poetry run )?ruff check|"
            r"(?:uv run )?(?:flake8|pylint)|golangci-lint run|go vet|cargo clippy|mix credo|"
     r"(?:mise|just|make|task|rake|deno)(?: run)? (?:\w+[:_-])?lint\S*|(?:npx )?eslint|"
     r"(?:npx )?biome (?:check|lint)|(?:bundle exec )?rubocop|swiftlint|shellcheck|hadolint")),
    ("typecheck", "Types are checked with", (
            r"(?:npm|pnpm|yarn|bun)(?: run)? (?:type-?check|tsc|check-types)\S*|(?:npx )?tsc|(?:uv run |"
            r"poetry run )?(?:mypy|pyright)|mix dialyzer|(?:npx )?svelte-check|(?:npx )?vue-tsc")),
    ("format", "Code is formatted with", (
            r"(?:npm|pnpm|yarn|bun)(?: run)? (?:format|fmt)\S*|(?:uv run )?(?:ruff format|black)|gofmt|"
            r"gofumpt|cargo fmt|mix format|(?:mise|just|make|deno)(?: run)? (?:fmt|format)\S*|"
            r"(?:npx )?prettier")),
    ("build", "The project is built with", (
            r"(?:npm|pnpm|yarn|bun)(?: run)? build\S*|go build|cargo build|mix compile|(?:mise|just|make|"
            r"task|bazel|dotnet|swift|flutter|zig)(?: run)? (?:\w+[:_-])?build\S*|"
     r"\./gradlew \S*(?:build|assemble)\S*|mvn (?:-\S+ )*(?:package|compile|install)|cmake --build")),
    ("migrate", "Database migrations are applied with", (
            r"mix ecto\.migrate|mix ash\.migrate|(?:bin/)?rails db:migrate|(?:uv run )?alembic upgrade|"
            r"\S*python3? manage\.py migrate|(?:npx )?prisma migrate \w+|"
     r"(?:npx )?(?:knex|drizzle-kit) migrate\S*|sqlx migrate run|diesel migration run|goose up|"
     r"flyway migrate|php artisan migrate")),
    ("generate", "Code is generated with", (
            r"mix ash\.codegen|go generate|(?:npm|pnpm|yarn|bun)(?: run)? (?:codegen|generate)\S*|"
            r"(?:npx )?prisma generate|(?:mise|just|make)(?: run)? (?:gen|generate|codegen)\S*|"
            r"sqlc generate|buf generate|protoc")),
)  # fmt: skip
_KNOWN = tuple((purpose, lead, re.compile(rf"(?:{pattern})(?=\s|$)")) for purpose, lead, pattern in _PURPOSES)
_PREFIX = re.compile(r"^(?:(?:time|sudo|nohup|command|timeout \d+\w?) +|cd [^&;|\n]{1,200}(?:&&|;) *)+")
_REDIRECT = re.compile(r"\s*(?:2>&1|[12]?>\s*/dev/null|&>\s*/dev/null|>\s*\S+)")
_PATHISH = re.compile(r"[\w@.-]*/[\w./@*:-]*[\w.*/]|[\w-]+\.[a-z]{1,4}(?::\d+)?$|.*(?:_test|_spec|test_)\w*")
_FILTERS = word_set("-run --only -k --grep -t --seed --filter -count --testNamePattern -g -p --package")
_FAILED = re.compile(
    r"\b[1-9]\d* (?:failed|failures?|errors?|failing)\b|^(?:E +)?[A-Za-z.]*(?:Error|Exception): |^(?:FAIL|"
    r"FAILED|error(?:\[\w+\])?:|ERROR[: ]|Error:|panic:|fatal:|\*\* \()|"
    r"Traceback \(most recent|\berror TS\d+|Exit code [1-9]|^make: \*\*\*|npm ERR!|command not found|"
    r"No such file or directory$|BUILD FAILED|== Compilation error",
    re.MULTILINE,
)


# What parts two commands; quoted text and escaped characters are matched first, and are none.
_JOINT = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|\|\||&&|[;|\n]", re.DOTALL)


def main_part(command: str) -> tuple[str, bool]:
    """The first command of a line without `cd … &&`, redirections and pagers, and whether it is the only one.

    Where commands are chained, a failure cannot be laid to the first of them.
    """
    whole = _PREFIX.sub("", command.strip()[:_MAX_READ])
    ends = [
        (found.start(), found.group()) for found in _JOINT.finditer(whole) if found.group()[0] not in "'\"\\"
    ]
    bare = _REDIRECT.sub("", whole[: ends[0][0]] if ends else whole).strip()
    return bare, all(joint == "|" for _, joint in ends)


_OUTPUT_OPTION = re.compile(r"(?<=\s)--?(?:format|reporter|output-format|color|tb)[= ]\S+")
_CUSTOMARY = re.compile(
    r"(?:go (?:build|vet|test|generate|fmt)(?: \./\.\.\.)?|gofmt(?: -[lw]+)?(?: \.)?|cargo (?:build|test|"
    r"fmt|clippy)|mix (?:compile|test|format|credo|ecto\.migrate)|(?:npm|pnpm|yarn|bun)(?: run)? (?:test|"
    r"build|lint)|(?:python3? -m )?pytest|rspec|bundle exec rspec|(?:bin/)?rails (?:test|db:migrate)|"
    r"make(?: build| test)?|dotnet (?:build|test)|mvn (?:test|package|compile|install)|\./gradlew (?:build|"
    r"test)|swift (?:build|test)|php artisan migrate|ruff (?:check|format)(?: \.)?|black(?: \.)?|"
    r"(?:npx )?(?:eslint|prettier|tsc|jest|vitest)(?: \.)?|flutter test|dart test|deno (?:test|lint|fmt)|"
    r"zig build)$"
)


def is_customary(form: str) -> bool:
    """Whether a command is the usual one for its purpose, and so teaches nothing about this project."""
    return _CUSTOMARY.match(form) is not None


def purpose_of(command: str) -> tuple[str, str] | None:
    """What a command is for (`test`, `lint`, …) with the words that say so; None for any other command."""
    for purpose, lead, pattern in _KNOWN:
        if pattern.match(command):
            return purpose, lead
    return None


def names_single_cases(command: str) -> bool:
    """Whether a command picks out single tests or cases."""
    words = command.split()
    return any(word.split("=")[0] in _FILTERS for word in words) or any(
        "::" in word or re.search(r"(?:_test|_spec|\.test|\.spec)\.|(?:^|/)test_", word) for word in words[1:]
    )


def whole_form(command: str) -> str | None:
    """The form of the command that works on the whole project: None where it names single files or cases."""
    words = command.split()
    if any(word.split("=")[0] in _FILTERS for word in words):
        return None
    kept = words[:1] + [
        word for word in words[1:] if word in {"./...", "-v", "--verbose"} or not _PATHISH.fullmatch(word)
    ]
    if len(kept) != len(words) or any(char in command for char in "\"'$<>{}`\\*"):
        return None
    words = _OUTPUT_OPTION.sub("", command).split()
    form = " ".join(word for word in words if word not in {"-v", "--verbose", "-q", "--no-color", "--trace"})
    return form if len(form) <= _MAX_FORM else None


def failed(call: ToolCall) -> bool:
    """Whether the command failed: by its result, or by its output where a pipe hid the exit status."""
    if call.ok is False:
        return True
    return _FAILED.search(call.output) is not None


_ERROR_LINES = (
    re.compile(
        r"^[^\n]*(?:\b[A-Z]\w*(?:Error|Exception)\b|\*\* \(|\bpanic: |\bfatal: )[^\n]*$", re.MULTILINE
    ),
    re.compile(
        r"^[^\n]*(?:\berror(?:\[\w+\])?: |\bError: |command not found|is not (?:defined|installed|a )|"
        r"no such |unknown (?:option|flag|command|argument)|unrecogni[sz]ed |missing script|invalid option|"
        r"no tasks? (?:named )?\w)[^\n]*$",
        re.MULTILINE | re.IGNORECASE,
    ),
)
_NOT_AN_ERROR = re.compile(
    r"^(?:Exit code|warning|at |//|#|\d+[).]|[-=+|>]|FAIL|ok |\W*test |expected|assert|import |from |def |"
    r"throw|raise|return)|[{}]$|\btest_\w+\b|AssertionError|\bTest[A-Z]\w+",
    re.IGNORECASE,
)
_ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def error_line(output: str) -> str:
    """The line that says most of a failed command's output, plain and short; empty when there is none."""
    plain = _ESCAPE.sub("", output)
    for pattern in _ERROR_LINES:
        for found in pattern.finditer(plain):
            # pytest marks the lines of an error with a leading "E".
            line = " ".join(found.group().split()).removeprefix("E ")
            if _MIN_ERROR <= len(line) <= _MAX_ERROR and not _NOT_AN_ERROR.search(line):
                return line
    return ""
