"""Instruction files: their rules, and what they say already."""

import pytest

from recortex.domain.session import END, START
from recortex.engines.instructions import LONGEST, MOST_STATEMENTS, Written, parse

# -- Reading an instruction file: statements with their lines, and nothing that is not said.
FILE = f"""# CLAUDE.md

This file provides guidance to Claude Code (claude.ai/code) when working with code in this repository.

## Commands

```bash
npm ci                 # install dependencies
# Run one test
npm test -- \\
  --watch=false
```

## Don'ts

- Use `any` in public types
- **Commit** to `main` directly

## Data

Never do the following:
- run migrations against production
  by hand
- drop a table

<!-- - This is commented out and must not be read -->
{START}
- This was put in by Recortex itself, earlier
{END}

| Command | Meaning |
|---|---|
| `make lint` | checks the style of all files |

The API lives in `src/api`. It is served by Fastify. See @docs/api.md, not `@types/node`.
"""


def read(text):
    return {one.text: (one.first, one.last) for one in parse(text).statements}


def test_each_statement_has_its_lines_and_what_decides_it():
    assert read(FILE) == {
        "install dependencies: `npm ci`": (8, 8),
        "Run one test: `npm test -- --watch=false`": (10, 11),
        "Don'ts: Use `any` in public types": (16, 16),
        "Don'ts: Commit to `main` directly": (17, 17),
        "Never do the following: run migrations against production by hand": (22, 23),
        "Never do the following: drop a table": (24, 24),
        "`make lint`: checks the style of all files": (33, 33),
        "The API lives in `src/api`. It is served by Fastify. See @docs/api.md, not `@types/node`.": (35, 35),
    }
    assert parse(FILE).imports == ("docs/api.md",)


def test_lines_are_counted_alike_whatever_ends_them():
    assert read(FILE.replace("\n", "\r\n")) == read(FILE)


def test_rules_for_some_files_say_so():
    text = '---\ndescription: x\nglobs: ["src/**/*.ts", "*.tsx"]\nalwaysApply: false\n---\n'
    text += "- Prefer named exports here\n"
    assert read(text) == {"For `src/**/*.ts`, `*.tsx`: Prefer named exports here": (6, 6)}
    assert read(text.replace('"src/**/*.ts", "*.tsx"', "**/*")) == {"Prefer named exports here": (6, 6)}


def test_a_hostile_file_is_bounded():
    many = parse(
        "\n".join(f"- statement number {n} of many\n\n" + "x" * 10_000 + "\n" for n in range(2_000))
    ).statements
    assert len(many) == MOST_STATEMENTS
    for text in (
        "`" * 100_000,
        "- " * 50_000,
        "<!--" * 30_000,
        "---\n" * 30_000,
        "```\n" * 30_001,
        "| a | b " * 9_000,
    ):
        assert all(len(one.text) <= 2 * LONGEST for one in parse(text).statements)
    assert parse("```sh\nrm -rf /tmp/x <<EOF\nmake all\nEOF\n```").statements == ()


# -- What says nothing that is not written already; a denial never stands for what it denies.
WRITTEN = Written(
    [
        ("a", "Use pnpm for all packages of the workspace, never npm or yarn.", ()),
        ("b", "Do not use npm workspaces in this repository", ()),
        ("c", "Run the tests with `mise run test` before committing; CI runs them too", ("mise run test",)),
        ("d", "Lint: `golangci-lint run ./...`", ("golangci-lint run ./...",)),
    ]
)


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        ("Use pnpm for all packages.", "a"),
        ("Always run the tests before committing", "c"),
        ("We do not use npm workspaces in this repository.", "b"),
        ("Use npm workspaces in this repository", ""),  # the contrary
        ("Use pnpm for all packages, since npm hoists", ""),  # a reason that is new
        ("Use pnpm", ""),  # too little to tell
        ("Committing runs the tests before", ""),  # another order
    ],
)
def test_saying(text, id_):
    assert WRITTEN.saying(text) == id_


def test_running():
    assert WRITTEN.running(["mise  run test"]) == "c"
    assert WRITTEN.running(["golangci-lint run"]) == "d"
    assert WRITTEN.running(["golangci-lint run", "make e2e"]) == ""
    assert WRITTEN.running([]) == ""
