"""Which statement replaces another, and what rests on it."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_memories import AT
from recortex.domain.kinds import KINDS, Kind
from recortex.domain.memory import Chances, Memory, Relation, Source
from recortex.domain.reports import Candidate
from recortex.domain.vocabulary import Actor, Origin, RelationStatus, RelationType, Scope, Status
from recortex.engines.indexing import search_text_in
from recortex.engines.similarity import content_hash
from recortex.engines.supersession import (
    ENDED,
    FACTOR,
    LEAST,
    gives_value,
    is_about_person,
    is_about_tools,
    losses,
    other_value,
    scope_of,
    supersede,
    supporters,
)
from recortex.engines.supersession.reading import (
    ALONE,
    ANNOUNCED,
    ENDS,
    LEAST_CHANCE,
    LIKE,
    NAMED,
    NOTHING,
    OTHER_VALUE,
    PLAIN,
    REWORDED,
    Outcome,
    Renaming,
    about_two_things,
    announced_changes,
    chance_of,
    is_unsure,
    may_end,
    names_old_alone,
    read_together,
    read_words,
    readable,
    renamings,
)
from recortex.storage.sqlite.store import SqliteStore

# -- Ending a memory: its successor, the end of its validity, and how it is still found.
ENDED_AT = datetime(2026, 6, 1, tzinfo=UTC)


def turn(number, speaker, text):
    kind = Kind("conversation")
    return Memory(
        id=str(UUID(int=number + (4 << 76) + (8 << 60))), kind=kind, text=text, summary=text,
        content=KINDS[kind].from_text(text), recorded_at=ENDED_AT, updated_at=ENDED_AT, valid_from=ENDED_AT,
        content_hash=content_hash(kind, text), source=Source(session="s", turn=number, speaker=speaker),
    )  # fmt: skip


@pytest.fixture
def store():
    opened = SqliteStore(Path(":memory:"), backups=Path(), clock=lambda: ENDED_AT)
    with opened.transaction():
        for one in (turn(1, "Ann", "Which marathon?"), turn(2, "Bob", "Berlin"), turn(3, "Bob", "No, Paris")):
            opened.memories.insert(one, search_text_in(opened, one), actor=Actor.USER)
    yield opened
    opened.close()


def test_an_ended_turn_is_still_found_by_the_turn_before_it(store):
    old, new = turn(2, "Bob", "Berlin"), turn(3, "Bob", "No, Paris")
    matched = store.search.match(["marathon"], 10, None)
    with store.transaction():
        supersede(store, old, by=new.id, since=ENDED_AT, at=ENDED_AT + timedelta(hours=1), actor=Actor.USER)
    assert len(store.search.match(["marathon"], 10, None)) == len(matched) == 2


def test_it_ends_when_its_successor_began_and_is_recorded_later(store):
    old, new = turn(2, "Bob", "Berlin"), turn(3, "Bob", "No, Paris")
    later = ENDED_AT + timedelta(days=2)
    with store.transaction():
        supersede(
            store, old, by=new.id, since=ENDED_AT + timedelta(days=1), at=later, actor=Actor.USER, why="said"
        )
    (ended,) = store.memories.get([old.id])
    assert (ended.status, ended.superseded_by) == (Status.SUPERSEDED, new.id)
    assert (ended.valid_until, ended.updated_at) == (ENDED_AT + timedelta(days=1), later)
    (relation,) = store.relations.find_touching([old.id])
    assert (relation.type, relation.evidence, relation.inferred) == (RelationType.SUPERSEDES, ("said",), True)


# -- The golden sets of contradiction: statements, whether they exclude each other, and why.
GOLDEN = sorted((Path(__file__).parents[2] / "golden" / "contradiction").glob("*.json"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_sets_of_contradiction(reading, clock, settle, path):
    given = json.loads(path.read_text(encoding="utf-8"))
    kept = []
    for text in given["memories"]:
        kept.append(reading.remember(text).id)
        clock.pass_(days=1)
    settle(reading)
    gone = [place for place, id_ in enumerate(kept) if reading.get(id_).status is Status.SUPERSEDED]
    relations = reading._app.all_services()[0].store.relations.find_touching(kept)
    contradicted = any(one.type is RelationType.CONTRADICTS for one in relations)
    assert bool(gone or contradicted) is given["conflict"], given["why"]
    assert gone == given.get("superseded", gone), given["why"]


# -- What a model reads in two statements, and what their words say, become one verdict.
ONE = "The cart is kept for 30 days."
SURE = Chances(0.0, 0.0, 1.0)
CHANCE = st.floats(0, 1)


@given(stays=CHANCE, part=CHANCE, likeness=st.none() | st.floats(-1, 1))
def test_nothing_that_is_not_likely_is_kept(stays, part, likeness):
    read = Chances(stays, part * (1 - stays), (1 - part) * (1 - stays))
    verdict = read_together(ONE, "The cart is kept for 60 days now.", read, likeness)
    assert verdict.outcome is not Outcome.CONTRADICTS or verdict.chance >= LEAST_CHANCE
    if stays > 1 - LEAST_CHANCE:
        assert verdict is NOTHING


@given(CHANCE, CHANCE, st.floats(-1, 1), st.floats(-1, 1), st.booleans())
def test_the_chance_rises_with_what_speaks_for_it(one, other, near, far, announced):
    low, high = sorted((one, other))
    far, near = sorted((near, far))
    assert chance_of(low, far, announced=False) <= chance_of(high, near, announced=announced)


@pytest.mark.parametrize(
    ("new", "likeness", "least"),
    [
        ("The cart is kept for 60 days.", 1.0, ENDS),
        ("We lowered the days of the cart to 60.", 0.45, ANNOUNCED),
        ("No more 30 days for the cart, guests of the shop get less.", 1.0, NAMED),
        ("No more 30 days, guests of the shop get less.", None, NAMED),
        ("No more carts, guests order at once.", None, ALONE),
        ("The cart is kept for 60 days now.", LIKE, REWORDED),
    ],
)
def test_the_surer_the_words_the_less_the_model_must_be(new, likeness, least):
    for ends, replaces in ((least, True), (least - 0.001, False)):
        found = read_together(ONE, new, Chances(0.0, 1 - ends, ends), likeness).outcome
        assert (found is Outcome.REPLACES) is replaces, ends


@pytest.mark.parametrize(
    ("known", "new", "outcome"),
    [
        ("We manage packages with pip.", "We switched from pip to uv.", Outcome.REPLACES),
        ("The site is bundled by webpack.", "Webpack was replaced by vite.", Outcome.REPLACES),
        ("Sessions are kept in Redis.", "We no longer use Redis.", Outcome.REPLACES),
        ("Sessions are kept in Redis.", "I've dropped redis, sessions are cookies.", Outcome.REPLACES),
        ("Use Redis for sessions and Postgres for orders.", "We no longer use Redis.", Outcome.CONTRADICTS),
        ("Sessions are kept in Redis.", "We moved the queue from Redis to Kafka.", None),
        ("Sessions are kept in Redis.", "The partner's shop no longer uses Redis.", None),
        ("Sessions are kept in Redis.", "We moved sessions from Redis to files and back again.", None),
        ("Sessions are kept in Redis.", "If we moved sessions from Redis to files, what breaks?", None),
        ("Sessions are kept in Redis.", "Maybe we drop Redis.", None),
        ("Sessions are kept in Redis.", "We use Redis for the queue.", None),
        # in careless words
        ("Install with yarn.", "we're done with yarn", Outcome.REPLACES),
        ("Hooks run through hookrunner.", "i no longer use hookrunner", Outcome.REPLACES),
        ("CI runs on Travis.", "CI moved from Travis to GitHub Actions", Outcome.REPLACES),
        (
            "The shop loads the payment snippet from their server.",
            "swapped the payment snippet for our own",
            Outcome.REPLACES,
        ),
        # reports, descriptions and tickets
        ("Write tests for each parser.", "Done with the tests.", None),
        ("Write tests for each parser.", "I removed the tests.", None),
        ("The tool keeps a list of parsers.", "The loader uses a `replace` tool for files that exist.", None),
        (
            "Pages go from the spool to the printer.",
            "Packing: a step that moves pages from the spool to a box.",
            None,
        ),
        (
            "The kit is published as @shop/kit.",
            "A ticket is open: “replace @shop/kit with @shop/parts”.",
            None,
        ),
        ("We need no new code.", "We are done with the code.", None),
    ],
)
def test_what_is_plainly_given_up_ends_by_its_words(known, new, outcome):
    found = read_words(known, new)
    assert (found.outcome if found else None) is outcome
    assert found is None or (found.explicit and found.chance == PLAIN)


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("Our CI is jenkins.", "From now on CI is github actions."),
        ("Tests run with npm test", "From now on tests run with pnpm test"),
    ],
)
def test_what_holds_from_now_on_ends_what_was_on_the_same_matter(known, new):
    for touched, outcome in ((REWORDED, Outcome.REPLACES), (REWORDED - 0.01, Outcome.NOTHING)):
        read = Chances(1 - touched, touched, 0.0)
        assert read_together(known, new, read, None).outcome is outcome


@pytest.mark.parametrize(
    ("known", "new"),
    [
        (
            "From now on every table has a comment that says what it holds.",
            "From now on every endpoint is described in `api.yaml`.",
        ),
        ("Commit messages are written in English.", "From now on, error messages are written in German."),
        ("From now on debug logs are written to stdout.", "From now on audit logs are written to the disk."),
    ],
)
def test_rules_in_parallel_wording_about_two_things_both_hold(known, new):
    clauses = other_value(known, new)
    assert not may_end(known, new) or read_together(known, new, SURE, 0.9, clauses and SURE) is NOTHING


@pytest.mark.parametrize(
    ("known", "new"),
    [
        (
            "From now on every endpoint is described in `api.yaml`.",
            "From now on every endpoint is described in `openapi.json`.",
        ),
        ("Every public function has a docstring.", "From now on no function needs a docstring."),
        ("From now on debug logs are written to stdout.", "From now on logs are written to the disk."),
    ],
)
def test_rules_in_parallel_wording_about_one_thing_replace_each_other(known, new):
    assert may_end(known, new)
    assert read_together(known, new, SURE, 0.6).outcome is Outcome.REPLACES


@pytest.mark.parametrize(
    "said", ["The cart may be kept for 60 days too, for members.", "Maybe we keep the cart for 60 days."]
)
def test_what_adds_or_only_plans_ends_nothing(said):
    assert read_together(ONE, said, SURE, 1.0) is NOTHING


@pytest.mark.parametrize(
    ("said", "old"),
    [
        ("Instead of threads use processes for the loader.", "threads"),
        ("scratch that tabs thing, it is spaces", "tabs"),
        ("We index by name; the no-index rule is history.", "the no-index"),
    ],
)
def test_what_is_given_up_is_named_without_what_comes_after(said, old):
    assert old in [one.old for one in announced_changes(said)]


@pytest.mark.parametrize(
    ("said", "unsure"),
    [
        ('From now on never ask me "would you like to go on?" again.', False),
        ("do the release on Tuesdays instead", False),
        ("do we release on Tuesdays instead", True),
        ("we could release on Tuesdays instead", True),
    ],
)
def test_what_is_quoted_makes_no_guess_of_an_order(said, unsure):
    assert is_unsure(said) is unsure


@pytest.mark.parametrize(
    ("known", "new", "two"),
    [
        ("Always use tabs in Go files", "Never use tabs in Python files", True),
        ("Always use tabs in Go files", "Never use tabs in Go files", False),
        ("Plan 16 is about painting.", "plan 15 is not about painting anymore", True),
        ("Issue #41 is open.", "Issue #41 is closed now.", False),
        ("mx1 still accepts TLS 1.1.", "mx2 no longer accepts TLS 1.1", True),
        ("The page size is 50.", "The page size is 25 now.", False),
    ],
)
def test_things_of_two_sorts_and_of_two_numbers_are_left_alone(known, new, two):
    assert about_two_things(known, new) is two
    assert (read_together(known, new, SURE, 1.0) is NOTHING) is two


def test_statements_without_a_word_in_common_are_left_alone():
    assert read_together("Deploy with make release.", "Logs are JSON now.", SURE, 0.4) is NOTHING


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ONE, True),
        ("Is the cart kept for 30 days?", False),
        ("should we keep the cart longer?", False),
        ("x " * 400, False),
    ],
)
def test_questions_and_long_texts_are_not_read(text, expected):
    assert readable(text) is expected


FRIDAYS = "We deploy on Fridays."


@pytest.mark.parametrize(
    ("new", "ends"),
    [
        ("We no longer deploy on Fridays.", True),
        ("We don't deploy on Fridays anymore.", True),
        ("Correction: we don't deploy on Fridays any more, we deploy on Mondays.", True),
        ("Never deploy on Fridays, because nobody is there at the weekend.", True),
        ("No, we don't deploy on Fridays. We deploy on Mondays.", True),
        ("We don't deploy on Fridays, except for a hotfix.", False),
        ("We don't deploy on Fridays when a test is red.", False),
        ("If a test is red, we don't deploy on Fridays.", False),
        ("We deploy on Fridays, because it is quiet then.", False),
    ],
)
def test_what_denies_a_statement_in_its_first_clause_ends_it(new, ends):
    stays = Chances(1.0, 0.0, 0.0)  # whatever the model reads
    assert (read_together(FRIDAYS, new, stays, 0.5).outcome is Outcome.REPLACES) is ends


# -- Changes of names: what tells one, and what names the old one alone.
@pytest.mark.parametrize(
    "text",
    [
        "Rename `notes/v1` to `notes/v2` everywhere.", "The metadata branch notes/v1 is now notes/v2.",
        "notes/v1 was replaced by notes/v2", "drafts live on `notes/v2` instead of `notes/v1`",
        "- `notes/v1` \u2192 `notes/v2` (renamed)", "The branch is `notes/v2` (formerly `notes/v1`)",
        'The default changed from "notes/v1" to "notes/v2"',
        "We migrated the drafts branch from notes/v1 to notes/v2",
    ],
)  # fmt: skip
def test_a_change_of_a_name_is_told_in_many_ways(text):
    assert set(renamings(text)) == {Renaming("notes/v1", "notes/v2")}


@pytest.mark.parametrize(
    "text",
    [
        "Do not rename `notes/v1` to `notes/v2`", "Should I rename `notes/v1` to `notes/v2`?",
        "You could rename `notes/v1` to `notes/v2`", "Replaced `strings.Split()` with `strings.Cut()`",
        "The timeout was changed from 3.5 to 4.5", "`notes/v1` and `notes/v2` changed",
        "Do not rename GrainStore to GrainLedger", "rename it to something better",
    ],
)  # fmt: skip
def test_what_is_not_done_and_what_is_replaced_in_code_changes_no_name(text):
    assert list(renamings(text)) == []


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("Drafts are on notes/v1.", True),
        ("Drafts moved from notes/v1 to notes/v2", False),
        ("Drafts are on notes/v10", False),
        ("Drafts are on old-notes/v1", False),
    ],
)
def test_the_old_name_counts_as_a_whole_and_alone(text, alone):
    assert names_old_alone(text, Renaming("notes/v1", "notes/v2")) is alone


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("Please rename GrainStore to GrainLedger, the reader needs it.", "GrainStore", "GrainLedger"),
        ("we renamed the class GrainStore to GrainLedger", "GrainStore", "GrainLedger"),
        ("renaming storeGrain() to keepGrain", "storeGrain", "keepGrain"),
        ("grain-store was renamed to grain-ledger", "grain-store", "grain-ledger"),
        ("rename grain_store to grain-store", "grain_store", "grain-store"),
    ],
)
def test_names_of_code_need_no_marks(text, old, new):
    assert set(renamings(text)) == {Renaming(old, new)}


def test_a_plain_word_counts_only_where_it_is_marked():
    renaming = Renaming("master", "main")
    assert list(renamings("rename the branch master to main")) == [renaming]
    assert names_old_alone("Push to `master`", renaming)
    assert not names_old_alone("The master of ceremonies", renaming)


@pytest.mark.parametrize(
    ("text", "name", "named"),
    [
        ("Results go through cli.resultCallback() alone", "resultCallback", True),
        ("GrainStore.openAll is called once", "GrainStore", True),
        ("sort --grain-size comes first", "grain-size", True),
        ("`Scale.tare` is set first", "tare", True),
        ("sort --no-grain-size comes first", "grain-size", False),
        ("see grain_store.py", "grain_store", False),
    ],
)
def test_a_name_of_code_is_named_as_a_member_an_owner_or_an_option(text, name, named):
    assert names_old_alone(text, Renaming(name, "something")) is named


# -- What rests on a memory that ends becomes less sure, the less the further; a consensus resists.
relations = st.lists(
    st.builds(
        Relation, st.sampled_from("abcdef"), st.sampled_from("abcdef"),
        st.sampled_from(tuple(RelationType)), st.just(AT), status=st.sampled_from(RelationStatus),
    ),
    max_size=12,
)  # fmt: skip


def reading(known):
    return lambda ids: [one for one in known if {one.source_id, one.target_id} & set(ids)]


@given(relations)
def test_losses_are_bounded_end_and_halve_with_each_step(known):
    lost = losses("a", reading(known))
    assert "a" not in lost
    steps = [ENDED * FACTOR**step for step in range(1, 5)]
    assert set(lost.values()) <= {one for one in steps if one >= LEAST}
    assert list(lost.values()) == sorted(lost.values(), reverse=True)


def test_what_rests_on_it_follows_the_direction_of_the_relation():
    known = [
        Relation("a", "b", RelationType.SUPPORTS, AT),
        Relation("c", "a", RelationType.DERIVED_FROM, AT),
        Relation("d", "c", RelationType.DEPENDS_ON, AT),
        Relation("e", "a", RelationType.SUPPORTS, AT),
        Relation("f", "a", RelationType.RELATED, AT),
        Relation("g", "a", RelationType.REQUIRES, AT, status=RelationStatus.SUGGESTED),
    ]
    assert losses("a", reading(known)) == {"b": 0.25, "c": 0.25, "d": 0.125}
    assert supporters("a", known) == {"e"}


@pytest.fixture
def notes(cortex):
    def keep(text):
        return cortex.remember(text, kind="decision").id

    return keep


def test_a_decision_that_ended_makes_what_rests_on_it_less_sure(cortex, notes):
    redis = notes("Sessions are stored in Redis")
    expiry, more, pinned = (
        notes("Logins expire by TTL"),
        notes("No cron job cleans up logins"),
        notes("Keep keys short"),
    )
    cortex.link(expiry, redis, relation="depends_on")
    cortex.link(more, expiry, relation="depends_on")
    cortex.link(pinned, redis, relation="depends_on")
    cortex.edit(pinned, pinned=True)
    new = cortex.remember(
        "Sessions are stored in Postgres instead of Redis", kind="decision", supersedes=redis
    )
    left = [round(cortex.get(id_).confidence, 3) for id_ in (expiry, more, pinned, new.id)]
    assert left == [0.75, 0.875, 1.0, 1.0]
    assert cortex.undo(expiry).confidence == 1.0
    cortex.undo(redis)  # it stands again, and so does what rests on it
    assert [cortex.get(id_).confidence for id_ in (expiry, more, pinned)] == [1.0, 1.0, 1.0]


def test_what_three_others_support_is_not_ended_by_one(reading):
    cortex = reading

    def notes(text):
        return cortex.remember(text, kind="decision").id

    known = notes("CI runs on Jenkins")
    for text in ("Agents are in the cellar", "Backups keep the job folder", "The plugin list is frozen"):
        cortex.link(notes(text), known, relation="supports")
    new = cortex.remember("We moved CI from Jenkins to Buildkite", kind="decision")
    assert cortex.get(known).status == "active"
    assert [(one.done, one.id) for one in new.known] == [("contradicts", known)]
    (pair,) = cortex.review().contradictions
    assert {pair.newer.id, pair.older.id} == {new.id, known}


# -- What is about the person or the tools goes everywhere; what is about the project, or in doubt, stays.
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


# -- Whether two statements give the same thing different values, and by which clauses.
@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("The session timeout is 30 minutes.", "session timeout must be 15 min"),
        ("Page size 50.", "page size 100 pls, 50 is too small for them"),
        ("We're on node 18.", "node 22 now"),
        ("We use Redis as the queue.", "moved to rabbitmq last week"),
        ("We use bootstrap 5 for styling.", "the new tab in tailwind pls, bootstrap is gone"),
        ("Prod lives in us-east-1.", "prod lives in eu-central-1 since the migration"),
        ("Uploads have a limit of 10MB.", "bump the upload limit to 25MB"),
        ("We deploy on Fridays.", "we now deploy on wednesdays"),
    ],
)
def test_another_value_of_the_same_thing(known, new):
    assert other_value(known, new)
    assert may_end(known, new)


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("The session timeout is 30 minutes.", "set the session timeout to 1 minute so i can see it happen"),
        ("The upload limit is 10MB.", "in the tests use an upload limit of 1MB"),
        ("Packages are installed with bun.", "delete node_modules, then npm install"),
        ("Unit tests run with Vitest.", "jest is out, vitest runs the tests"),
        ("Finding 1 is fixed by failing loud.", "finding 2: leave it alone"),
        ("Screens are listed in screen-17.", "screens are listed in screen-18"),
        ("The api uses postgres.", "the logs are kept for 90 days"),
        ("The cart is empty.", "the cart is full"),
        ("Backups run every Sunday.", "logs are rotated every saturday"),
    ],
)
def test_no_other_value_of_the_same_thing(known, new):
    assert other_value(known, new) is None


STRANGERS = Chances(stays=0.9, part=0.02, ends=0.08)
"""What the model reads in many a short pair that excludes each other."""


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("The API listens on port 8080", "The API listens on port 9090."),
        ("Passwords are hashed with bcrypt", "Passwords are hashed with argon2"),
        ("The frontend is built with webpack", "the frontend is built with vite"),
        ("Passwords are hashed by bcrypt with 12 rounds", "Passwords are not hashed by bcrypt"),
        ("Request bodies are never logged", "Request bodies are logged by the gateway"),
        ("Passwords are hashed by bcrypt with 12 rounds", "Passwords are hashed by argon2"),
    ],
)
def test_the_same_but_for_a_value_or_denied_is_marked_whatever_the_model_reads(known, new):
    for pair in ((known, new), (new, known)):
        assert read_together(*pair, STRANGERS, 0.8).outcome is Outcome.CONTRADICTS


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("The API listens on port 8080", "The admin page listens on port 9090"),
        ("Finding 1 is fixed by failing loud", "Finding 2 is fixed by failing loud"),
        ("The fix is part of issue 41", "The fix is part of issue 42"),
        ("The API listens on port 8080", "In tests the API listens on port 9090"),
        ("Unit tests run with pytest", "Integration tests run with pytest"),
        ("Passwords are hashed by bcrypt", "Tokens are not hashed by bcrypt"),
        ("We log request bodies", "We don't log response bodies"),
        ("Use npm to publish", "Do not use npm for anything but to publish"),
    ],
)
def test_the_same_of_another_thing_is_not(known, new):
    for pair in ((known, new), (new, known)):
        assert read_together(*pair, STRANGERS, 0.5).outcome is Outcome.NOTHING


def test_the_clauses_are_read_that_say_the_values():
    known = "The db is mysql 8, write the migration for the invoices."
    new = "write one for refunds, we have moved the db to postgres so no backticks"
    assert other_value(known, new) == ("The db is mysql 8", "we have moved the db to postgres")


def test_what_gives_a_value():
    assert gives_value("page size 100 pls")
    assert not gives_value("fix issue 41")


@pytest.mark.parametrize(
    ("ends", "outcome"), [(OTHER_VALUE, Outcome.REPLACES), (OTHER_VALUE - 0.1, Outcome.CONTRADICTS)]
)
def test_less_is_asked_of_the_model_where_both_give_one_thing_a_value(ends, outcome):
    known, new = "The session timeout is 30 minutes.", "The session timeout must be 15 minutes."
    read = Chances(1 - ends, 0.0, ends)
    assert read_together(known, new, read, 0.8).outcome is Outcome.NOTHING
    assert read_together(known, new, read, 0.8, valued=read).outcome is outcome
    unsure = "Maybe the session timeout should be 15 minutes."
    assert read_together(known, unsure, read, 0.8, valued=read).outcome is Outcome.NOTHING
