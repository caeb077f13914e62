"""What becomes of a statement that is written, and of what instruction files say."""

import random
import re
import subprocess
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claude_sessions import claude_session
from places import store_folder
from recortex import Cortex
from recortex.domain.text import END, START
from recortex.domain.vocabulary import Origin, RelationStatus, RelationType, Scope, Status
from recortex.engines.instructions import LONGEST, MOST_STATEMENTS, Written, parse
from recortex.engines.similarity import bare, content_hash, spellings
from recortex.engines.supersession import may_replace

# -- What becomes of a statement that is written.


# -- What `remember_many` writes is what as many calls with one memory each write, but for their ids.
WORDS = re.findall(
    r"\w+",
    "anchor basket candle dragon ember falcon garnet hammer island jacket kernel lantern marble needle "
    "orchid pepper quarry ribbon saddle timber umbra velvet walnut yonder zephyr",
)
SECRET = "ghp_" + "a1B2c3D4e5F6" * 3


def statements(count, source):
    """Statements of words of their own each, so that none is like another of the same call."""
    for number in range(count):
        own = [f"{word}{number}" for word in source.sample(WORDS, 6)]
        yield {"text": f"The {' '.join(own)} `x{number}_y{number}`.", "tags": [own[0], f"t{number}"]}


def again(told, source):
    """What says the same in other marks, repeats a part of it, holds a secret, or cites a file."""
    for number, one in enumerate(told):
        text, half = one["text"], " ".join(one["text"].split()[:4])
        same = source.choice([text, text.upper(), f'"{text[:-1]}".', f"{text[:-1]}!"])
        part = {"text": f"{half} elsewhere{number}", "kind": "decision"}
        yield source.choice([{"text": same, "tags": ["again"], "files": ["src/a.py:3"]}, part])
    yield {"text": f"The token is {SECRET} for the deployment", "metadata": {"a": 1}}


def written(cortex):
    """All that the store holds of memories, with numbers in place of ids."""
    store = cortex._app.all_services()[0].store
    numbers = {id_: number for number, (_, id_) in enumerate(store.memories.added_after(0, 10_000))}
    rows = []
    for memory in store.memories.get(list(numbers)):
        links = [
            (numbers[one.source_id], numbers[one.target_id], one.type, one.strength, one.evidence, one.status)
            for one in store.relations.find_touching([memory.id])
        ]
        audit = [(one.operation, one.actor, one.details) for one in store.ledger.entries(memory.id)]
        rows.append((replace(memory, id=str(numbers[memory.id])), sorted(links), audit))
    return rows, [store.memories.history(id_)[-1].memory.text for id_ in numbers]


def test_many_at_once_are_written_as_each_alone(fresh_cortex):
    def filled(size):
        source = random.Random(7)  # noqa: S311
        first = list(statements(120, source))
        calls = [first, list(again(first[:60], source)), list(statements(40, source))]
        with fresh_cortex() as cortex:
            for wishes in calls:
                for start in range(0, len(wishes), size):
                    cortex.remember_many(wishes[start : start + size], embed=False)
            return written(cortex)

    many, texts = filled(1_000)
    assert (many, texts) == filled(1)
    assert 120 < len(many) - 41 < 180
    assert any(links for _, links, _ in many)
    assert not any(SECRET in text for text in texts)


def test_the_same_statement_twice_in_one_call_is_one_memory(cortex):
    said = ["Deploys go out on Tuesdays.", "Deploys go out on Tuesdays", '"Deploys go out on Tuesdays"']
    kept = cortex.remember_many([{"text": text} for text in (*said, "Deploys need two reviews", *said)])
    assert (kept.added, kept.merged) == (2, 5)
    assert len(set(kept.ids)) == 2


# -- Marks around a statement do not make a second memory of it, whichever came first.
SAID = "Deploys of the billing service go out on Tuesdays"
MARKED = [
    f"{SAID}.", f"{SAID}!", f"{SAID}...", f"{SAID}…", f'"{SAID}"', f'"{SAID}."', f'"{SAID}".',
    f"  {SAID}.  ", SAID[0].lower() + SAID[1:], SAID.replace(" ", "\n"),
]  # fmt: skip


@pytest.mark.parametrize("marked", MARKED)
def test_what_an_existing_store_holds_with_its_marks_is_found(cortex, marked):
    kept = cortex.remember(marked, kind="semantic")
    # Stored rows are hashed as ever: a store of an earlier build needs nothing.
    assert cortex.get(kept.id).content_hash == content_hash("semantic", kept.text)
    for again in (SAID, f"{SAID}.", marked):
        assert cortex.remember(again, kind="semantic").id == kept.id
    assert len(cortex.list().memories) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The suite runs with go test ./...", "The suite runs with go test ./"),
        ("Leave the folder with cd ..", "Leave the folder with cd"),
        ("Deploys go out on Tuesdays?", "Deploys go out on Tuesdays."),
        ('"fast" or "slow"', 'fast" or "slow'),
    ],
)
def test_marks_that_are_part_of_it_make_another_one(cortex, one, other):
    assert cortex.remember(one).id != cortex.remember(other).id


@given(st.text(max_size=60))
def test_taking_marks_away_ends(text):
    assert bare(bare(text)) == bare(text)
    assert spellings("semantic", text)[0] == content_hash("semantic", text)
    assert 1 <= len(spellings("semantic", text)) <= 13


# -- A secret is taken out before the first write: no file of the store ever holds it.
TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


def leaks(project):
    found = [
        path
        for path in store_folder(project).rglob("*")
        if path.is_file() and TOKEN.encode() in path.read_bytes()
    ]
    return [path.name for path in found]


WISHES = [
    {"text": f"The deploy key is {TOKEN} for now."},
    {"content": {"knowledge": "known", "warnings": [f"never print {TOKEN}"]}, "kind": "tribal"},
    {"text": "The deploy key is known.", "summary": f"It is {TOKEN}"},
    {"text": "The deploy key is known.", "tags": [TOKEN]},
    {"text": "The deploy key is known.", "metadata": {"env": {"GITHUB_TOKEN": TOKEN}}},
    {"text": "The deploy key is known.", "source": {"session": "s", "quote": f"use {TOKEN}"}},
    {"text": "The deploy key is known.", "source": {"url": f"https://{TOKEN}@github.com/a/b"}},
    {"text": "The deploy key is known.", "files": [f"keys/{TOKEN}.txt"]},
    {"text": "The deploy key is known.", "functions": [f"login({TOKEN})"]},
    {"text": "The deploy key is known.", "patterns": [TOKEN], "constraints": [TOKEN]},
]


@pytest.mark.parametrize("wish", WISHES, ids="-".join)
def test_remember(cortex, project, wish):
    kept = cortex.remember(**wish)
    cortex.remember_many([{**wish, "supersedes": kept.id}])
    assert leaks(project) == []
    assert TOKEN not in cortex.export().text


CHANGES = [
    {"text": f"The deploy key is {TOKEN} for now."}, {"content": {"warnings": [TOKEN]}},
    {"summary": f"It is {TOKEN}"}, {"tags": [TOKEN]}, {"metadata": {"password": TOKEN}},
    {"files": [f"keys/{TOKEN}.txt"]}, {"reason": f"{TOKEN} was leaked"},
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids="-".join)
def test_edit(cortex, project, change):
    kept = cortex.remember("The deploy key is known.", kind="tribal")
    cortex.edit(kept.id, **change)
    cortex.edit(kept.id, priority=9)
    cortex.undo(kept.id)
    assert leaks(project) == []


@pytest.mark.parametrize(
    "link",
    [
        {"evidence": [f"both use {TOKEN}"]},
        {"function": f"login({TOKEN})"},
        {"file": f"{TOKEN}.txt"},
        {"pattern": TOKEN},
    ],
    ids="-".join,
)
def test_link(cortex, project, link):
    one, other = cortex.remember("The deploy key is known."), cortex.remember("Nobody writes it down.")
    cortex.link(one.id, other.id, **link)
    assert leaks(project) == []


@pytest.mark.parametrize("action", ["forget", "restore"])
def test_a_reason_to_put_away(cortex, project, action):
    kept = cortex.remember("The deploy key is known.")
    cortex.forget(kept.id, reason=f"{TOKEN} leaked")
    getattr(cortex, action)(kept.id)
    assert leaks(project) == []


def test_imports(cortex, project, tmp_path):
    with Cortex.open(tmp_path, url=f"sqlite:///{tmp_path}/other.db") as other:
        kept = other.remember("The deploy key is known.")
        other.edit(kept.id, tags=["x"])
        exported = other.export().text
    poisoned = tmp_path / "export.jsonl"
    poisoned.write_text(exported.replace("is known", f"is {TOKEN}"))
    notes = tmp_path / "notes.md"
    notes.write_text(f"# Keys {TOKEN}\n\n- The deploy key is {TOKEN} for now.\n")
    assert cortex.import_("jsonl", str(poisoned)).added == 1
    assert cortex.import_("markdown", str(notes)).added == 1
    assert leaks(project) == []
    assert cortex.history(kept.id).versions


def test_a_transcript(cortex, project, tmp_path):
    said = f"Remember: always use the token {TOKEN} for the deploy script in CI."
    path = claude_session(tmp_path / "s1.jsonl", project, said, ("assistant", f"Noted: {TOKEN}."))
    cortex.extract(str(path))
    assert leaks(project) == []


def test_memory_from_before_a_rule_is_shown_without_the_secret(cortex, project):
    kept = cortex.remember("The deploy key is PLACE for now.")
    pool = cortex._app.all_services()[0].store.pool
    with pool.transaction():
        pool.rows("UPDATE memories SET text = replace(text, 'PLACE', ?), summary = NULL", (TOKEN,))
    assert leaks(project)
    for shown in (
        cortex.get(kept.id).text,
        cortex.export().text,
        str(cortex.list()),
        str(cortex.history(kept.id)),
    ):
        assert TOKEN not in shown
    assert TOKEN not in str(cortex.recall("deploy key", recipe="keyword", floor=False))


def test_nothing_of_it_is_in_the_folder_when_a_process_wrote_it(project, home):
    import os
    import sys

    command = [sys.executable, "-m", "recortex", "remember", f"The deploy key is {TOKEN} for now.", "--json"]
    done = subprocess.run(
        command, cwd=project, env=os.environ | {"RECORTEX_EMBEDDER": "none"}, capture_output=True, check=True
    )
    assert TOKEN.encode() not in done.stdout + done.stderr
    assert leaks(project) == []
    assert not [path for path in home.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()]


# -- What replaces what: a reversal ends the old memory, a guess does not, and the history has all of it.
OLD, NEW = "Use PostgreSQL for the job queue.", "Use Redis for the job queue instead of PostgreSQL."
OTHER = "Use Redis for the job queue."


def relations(cortex, id_):
    found = cortex._app.all_services()[0].store.relations.find_touching([id_])
    return {(one.type, one.source_id, one.target_id, one.status) for one in found}


@pytest.mark.parametrize("text", [NEW, "We no longer use PostgreSQL for the job queue."])
def test_what_the_person_says_replaces_what_was_said_before(reading, clock, text):
    cortex = reading
    old = cortex.remember(OLD, kind="decision")
    clock.pass_(days=1)
    new = cortex.remember(text, kind="decision")
    ended = cortex.get(old.id)
    assert (ended.status, ended.superseded_by, ended.valid_until) == (Status.SUPERSEDED, new.id, clock.now)
    assert (new.supersedes, new.status) == (old.id, Status.ACTIVE)
    assert (RelationType.SUPERSEDES, new.id, old.id, RelationStatus.ACTIVE) in relations(cortex, old.id)
    assert [
        hit.memory.id for hit in cortex.recall("what do we use for the job queue?", floor=False).hits
    ] == [new.id]
    history = cortex.history(old.id)
    assert [one.memory.status for one in history.versions] == [Status.SUPERSEDED, Status.ACTIVE]


def test_pinned_memories_wait_for_a_person(reading, clock):
    cortex = reading
    old = cortex.remember(OLD, pinned=True)
    clock.pass_(days=1)
    new = cortex.remember(NEW)
    assert cortex.get(old.id).status is Status.ACTIVE
    assert (RelationType.CONTRADICTS, new.id, old.id, RelationStatus.SUGGESTED) in relations(cortex, old.id)


@pytest.mark.parametrize(
    ("known", "new", "status"),
    [
        (Origin.USER, Origin.AGENT, Status.SUPERSEDED),
        (Origin.USER, Origin.EXTRACTION, Status.ACTIVE),
        (Origin.AGENT, Origin.EXTRACTION, Status.ACTIVE),
        (Origin.EXTRACTION, Origin.EXTRACTION, Status.SUPERSEDED),
        (Origin.USER, Origin.WEB, Status.ACTIVE),
    ],
)
def test_who_may_replace_whom(reading, clock, known, new, status):
    cortex = reading
    old = cortex.remember(OLD, origin=known)
    clock.pass_(days=1)
    added = cortex.remember(NEW, origin=new)
    assert cortex.get(old.id).status is status
    if status is Status.ACTIVE and new is not Origin.WEB:
        assert RelationType.CONTRADICTS in {kind for kind, *_ in relations(cortex, added.id)}


@pytest.mark.parametrize(
    ("known", "new", "may"),
    [
        (Origin.USER, Origin.AGENT, False), (Origin.AGENT, Origin.AGENT, True),
        (Origin.EXTRACTION, Origin.EXTRACTION, False), (Origin.EXTRACTION, Origin.USER, True),
        (Origin.USER, Origin.USER, True), (Origin.USER, Origin.WEB, False),
    ],
)  # fmt: skip
def test_who_may_replace_whom_without_a_word_of_a_change(cortex, clock, known, new, may):
    old = cortex.get(cortex.remember(OLD, origin=known).id)
    clock.pass_(days=1)
    later = cortex.get(cortex.remember(OTHER, origin=new).id)
    assert may_replace(later, old, explicit=False) is may


def test_an_old_session_read_late_does_not_undo_what_was_decided_since(reading, clock, settle):
    cortex = reading
    current = cortex.remember(NEW)
    clock.pass_(days=1)
    late = cortex.remember(OLD, valid_from=clock.now - timedelta(days=30))
    settle(cortex)
    assert cortex.get(current.id).status is Status.ACTIVE
    late = cortex.get(late.id)
    assert (late.status, late.superseded_by) == (Status.SUPERSEDED, current.id)


def test_incidents_stay_true(reading, clock, settle):
    cortex = reading
    old = cortex.remember("The build is run with make.", kind="incident")
    clock.pass_(days=1)
    cortex.remember("The build is no longer run with make.", kind="incident")
    settle(cortex)
    assert cortex.get(old.id).status is Status.ACTIVE


def test_other_matters_are_left_alone(reading, clock, settle):
    cortex = reading
    old = cortex.remember(OLD)
    clock.pass_(days=1)
    for text in (
        "Use Redis for the page cache instead of Memcached.",
        "We also use Redis for the job queue of the mailer.",
        "Should we use Redis for the job queue instead of PostgreSQL?",
        "Use PostgreSQL 17 for the job queue.",
    ):
        cortex.remember(text)
    settle(cortex)
    assert cortex.get(old.id).status is Status.ACTIVE


# -- A decision, its reversal in a later session, a question in a third: only the current one is told.
DECIDED = "we decided to use PostgreSQL for the job queue because Redis lost jobs"
REVERSED = "we changed our mind: use Redis for the job queue instead of PostgreSQL"


@pytest.fixture
def session(project, tmp_path):
    """Writes a session in Claude Code's format, turn by turn; gives its file."""

    def write(name, day, *said):
        path = tmp_path / f"{name}.jsonl"
        written = len(path.read_text().splitlines()) if path.exists() else 0
        at = f"2026-03-{day:02}T10:{{:02}}:00.000Z"
        return str(claude_session(path, project, *said, session=name, at=at, first=written))

    return write


def test_decision_reversal_question(reading, clock, session, settle):
    cortex = reading
    first = cortex.extract(session("one", 1, ("user", DECIDED), ("assistant", "Understood.")))
    (old,) = [cortex.get(one.id) for one in first.found]
    assert (old.kind, old.status) == ("decision", Status.ACTIVE)
    clock.pass_(days=3)
    second = cortex.extract(
        session(
            "two", 4, ("user", "How are the jobs stored?"), ("assistant", "Let me look."),
            ("user", REVERSED), ("assistant", "Fine."),
        )
    )  # fmt: skip
    settle(cortex)
    (new,) = [cortex.get(one.id) for one in second.found if one.status == "active"]
    clock.pass_(days=3)
    hits = cortex.recall("which database do we use for the job queue?").hits
    assert [hit.memory.id for hit in hits] == [new.id]
    ended = cortex.get(old.id)
    assert (ended.status, ended.superseded_by, new.supersedes) == (Status.SUPERSEDED, new.id, old.id)
    assert ended.valid_until == new.valid_from
    history = cortex.history(old.id)
    assert [one.memory.status for one in history.versions] == [Status.SUPERSEDED, Status.ACTIVE]
    relations = cortex._app.all_services()[0].store.relations.find_touching([old.id])
    assert RelationType.SUPERSEDES in {one.type for one in relations}


def test_what_the_next_turn_takes_back_waits_for_a_person(cortex, clock, session):
    path = session("one", 1, ("user", "We decided to use Redis for the cache"), ("assistant", "Fine."))
    (found,) = cortex.extract(path, final=False).found
    assert found.status == "active"
    clock.pass_(hours=1)
    session("one", 1, ("user", "Actually, scratch that."), ("assistant", "Okay."))
    cortex.extract(path)
    assert cortex.get(found.id).status is Status.PROPOSED
    assert [one.memory.status for one in cortex.history(found.id).versions] == [
        Status.PROPOSED,
        Status.ACTIVE,
    ]


def test_what_is_about_the_person_goes_everywhere(cortex, session):
    found = cortex.extract(
        session("one", 1, ("user", "I prefer tabs. We use uv, not pip."), ("assistant", "Noted."))
    ).found
    kept = {cortex.get(one.id).text: cortex.get(one.id).scope for one in found}
    assert kept == {"I prefer tabs.": Scope.GLOBAL, "We use uv, not pip.": Scope.PROJECT}
    assert len(cortex._app.all_services()) == 2


# -- A decision typed in one session, its reversal typed in a later one: only the current one stands.
REVERSALS = [
    ("We deploy with `make ship`. Can you write that in the readme?",
     "We deploy with `just release` instead of `make ship`. Fix the readme please.", "just release"),
    ("we deploy with make ship, ok?", "we switched from make ship to just release, pls update the docs",
     "just release"),
    ("Our convention is that file names of components are PascalCase. Please rename the new one.",
     "Our convention is that file names of components are kebab-case now.", "kebab-case"),
    ("hey, we send mails with sendgrid. can you make a template?",
     "quick one: we send mails via postmark now. can you change the mailer?", "postmark"),
    ("The dev server listens on port 8080. Write the proxy config accordingly.",
     "The dev server listens on port 9090 now.", "9090"),
    ("We typecheck with `mypy --strict`. Make the new module pass.",
     "We typecheck with `pyright`, no longer with `mypy --strict`.", "pyright"),
]  # fmt: skip
NOT_REVERSED = [
    ("We use zustand for state.", "We decided not to move from zustand to redux. Please close the ticket."),
    ("We use yarn in this project.", "The wiki says we switched from yarn to npm, which is wrong."),
    ("The bundle is built with webpack. We use webpack.", "We might move from webpack to vite next year."),
    ("We use tabs for indentation in python.", "We use spaces for indentation in the yaml files."),
    ("Failed webhooks are retried 3 times.", "Failed mails are retried 5 times now."),
]


@pytest.fixture
def learn(reading, project, tmp_path, settle):
    """Learns a session in which one prompt was typed."""

    def learned(day, said):
        path, at = tmp_path / f"{day}.jsonl", f"2026-02-{day:02}T10:00:00.000Z"
        claude_session(path, project, said, session=f"s{day}", at=at)
        found = reading.extract(str(path)).found
        settle(reading)
        return [reading.get(one.id) for one in found if one.id]

    return learned


@pytest.mark.parametrize(("first", "second", "now"), REVERSALS)
def test_the_old_decision_ends_and_the_new_one_stands(reading, learn, first, second, now):
    (old,) = [one for one in learn(1, first) if one.status is Status.ACTIVE]
    new = [one for one in learn(4, second) if one.status is Status.ACTIVE and now in one.text]
    assert new
    ended = reading.get(old.id)
    assert ended.status is Status.SUPERSEDED
    assert reading.history(old.id).versions[0].memory.status is Status.SUPERSEDED
    given = {hit.memory.id for hit in reading.recall(first, floor=False).hits}
    assert old.id not in given


@pytest.mark.parametrize(("first", "second"), NOT_REVERSED)
def test_what_does_not_take_it_back_leaves_it_standing(reading, learn, first, second):
    old = [one for one in learn(1, first) if one.status is Status.ACTIVE]
    assert old
    learn(4, second)
    assert all(reading.get(one.id).status is Status.ACTIVE for one in old)


# -- Instruction files: their rules, and what they say already.


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
