"""Reading an instruction file: statements with their lines, and nothing that is not said."""

from recortex.domain.session import END, START
from recortex.engines.instructions import LONGEST, MOST_STATEMENTS, parse

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
