"""Answers: right, in time, explained, understood, in one envelope."""

import json
import re
import shlex
import subprocess
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import get_args

import pytest
from jsonschema import Draft202012Validator

from places import store_folder
from recortex import Cortex, codec
from recortex.app.jobs.reembedding import keep_vector_index
from recortex.cli import execution
from recortex.cli.rendering import render
from recortex.domain.kinds import KINDS
from recortex.domain.maintenance import Degradation
from recortex.domain.vocabulary import Status
from recortex.errors import InvalidInputError
from recortex.operations.registry import operations_of
from recortex.storage.sqlite import vector_index
from recortex.terminal import Terminal

# -- An answer is what holds now, in full, and says where it is not sure.
PORT = "The license server answers on port 9000"
QUESTION = "on which port does the license server answer?"


def test_a_budget_that_fits_nothing_is_told(cortex):
    kept = cortex.remember(PORT)
    none = cortex.recall(QUESTION, budget=3)
    assert none.hits == ()
    assert none.needed == kept.tokens
    assert cortex.recall(QUESTION, budget=none.needed).hits
    assert cortex.recall("how is bread baked?", budget=3).needed == 0


def test_no_hit_below_the_floor_stands_beside_one_above_it(cortex):
    kept = cortex.remember(PORT)
    for number in range(12):
        cortex.remember(f"The server in rack {number} is labelled {number * 7}")
    answer = cortex.recall(QUESTION)
    assert answer.hits[0].memory.id == kept.id
    assert answer.withheld == 8 - len(answer.hits) > 0
    assert all(hit.score >= answer.floor for hit in answer.hits)
    whole = cortex.recall(QUESTION, floor=False)
    assert len(whole.hits) == 8
    assert {hit.weak for hit in whole.hits} == {True, False}


def test_an_exception_ends_when_it_says(cortex, clock):
    ends = clock() + timedelta(days=3)
    said = {"reason": "The importer may skip validation", "constraint_name": "validate input"}
    kept = cortex.remember(kind="constraint_override", content={**said, "expires_at": ends.isoformat()})
    assert kept.valid_until == ends
    later = ends + timedelta(days=2)
    assert cortex.edit(kept.id, content={"expires_at": later.isoformat()}).valid_until == later
    clock.pass_(days=30)
    assert not cortex.recall("may the importer skip validation?", floor=False).hits
    past = cortex.remember(
        kind="constraint_override", content={"reason": "It was so", "expires_at": "2020-01-01"}
    )
    assert past.valid_from == past.valid_until == datetime(2020, 1, 1, tzinfo=UTC)
    with pytest.raises(InvalidInputError, match="not a date"):
        cortex.remember(kind="constraint_override", content={**said, "expires_at": "soon"})


def test_a_fallback_is_told_until_the_part_works_again(cortex, clock):
    app = cortex._app
    cortex.remember("One thing to know")
    for component in ("surface file", "job: backup", "embedding model"):
        app.degraded(Degradation(component, "it failed", "something else"))
    assert len(cortex.status().fallbacks) == 3
    clock.pass_(days=9)
    app.works_again("embedding model")
    cortex.gc()
    assert {one.component for one in cortex.status().fallbacks} == {"surface file"}


def test_confidence_is_what_is_left_of_it_now(cortex, clock):
    fades = cortex.remember("The build is red on Mondays", kind="insight", confidence=0.9)
    stays = cortex.remember("The build needs make", kind="insight", confidence=0.6, pinned=True)
    assert cortex.get(fades.id).confidence == 0.9
    clock.pass_(days=400)
    left = cortex.get(fades.id).confidence
    assert left < 0.3
    assert cortex.get(stays.id).confidence == 0.6
    listed = {one.id: one.confidence for one in cortex.list().memories}
    assert listed == {fades.id: left, stays.id: 0.6}
    assert [one.id for one in cortex.list(min_confidence=0.5).memories] == [stays.id]
    assert [one.id for one in cortex.list(max_confidence=0.5).memories] == [fades.id]
    assert [one.id for one in cortex.list(order="confidence").memories] == [stays.id, fades.id]
    assert cortex.get(fades.id, as_of=clock()).confidence == 0.9  # as it was recorded
    assert '"confidence":0.9' in cortex.export().text.replace(" ", "")


def test_a_hub_fades_half_as_fast_in_every_answer(cortex, clock):
    hub, leaf = (cortex.remember(text, kind="insight") for text in (PORT, "The backup runs at night"))
    for number in range(3):
        other = cortex.remember(f"Client {number} reads its configuration from a file", kind="insight")
        cortex.link(other.id, hub.id)
    clock.pass_(days=400)
    left = cortex.get(hub.id).confidence
    assert left > cortex.get(leaf.id).confidence
    assert {one.id: one.confidence for one in cortex.list().memories}[hub.id] == left
    assert cortex.related(hub.id).memory.confidence == left
    (hit,) = cortex.recall(QUESTION, floor=False, limit=1).hits
    assert (hit.memory.id, hit.memory.confidence) == (hub.id, left)


# -- Recall as of a time, of what was true at a time, fresh or stale, and over a damaged index.
WHICH_CLUSTER = "which cluster is the deploy target?"


@pytest.fixture
def moved(cortex, clock):
    """A decision, its correction after ten days, its reversal after ten more."""
    first = cortex.remember("The deploy target is the Frankfurt cluster", kind="decision")
    start = clock()
    clock.pass_(days=10)
    cortex.edit(first.id, text="The deploy target is the Paris cluster", reason="moved")
    clock.pass_(days=10)
    last = cortex.remember("The deploy target is the Dublin cluster", kind="decision", supersedes=first.id)
    clock.pass_(days=10)
    return start, first, last


def said(found):
    return [hit.memory.text.split()[-2] for hit in found.hits]


@pytest.mark.parametrize(
    ("days", "city"), [(0, "Frankfurt"), (5, "Frankfurt"), (12, "Paris"), (25, "Dublin")]
)
def test_a_recall_as_of_a_time_answers_as_the_store_stood_then(cortex, moved, days, city):
    at = moved[0] + timedelta(days=days)
    found = cortex.recall(WHICH_CLUSTER, as_of=at)
    assert said(found) == [city]
    assert found.hits[0].memory.status is Status.ACTIVE
    assert said(cortex.recall(WHICH_CLUSTER, as_of=at, recipe="keyword")) == [city]


def test_undoing_a_replacement_brings_the_replaced_one_back(cortex, moved):
    _, first, last = moved
    cortex.undo(last.id)
    assert said(cortex.recall(WHICH_CLUSTER)) == ["Paris"]
    assert cortex.get(first.id).superseded_by is None


def test_a_recall_counts_an_access_and_a_look_into_the_past_does_not(cortex, moved, clock):
    _, first, last = moved
    cortex.recall(WHICH_CLUSTER)
    cortex.recall(WHICH_CLUSTER, as_of=moved[0])
    kept = cortex.get(last.id)
    assert (kept.access_count, kept.last_accessed_at) == (1, clock())
    assert cortex.get(first.id).access_count == 0


def test_a_cited_file_is_fresh_changed_or_gone(cortex):
    root = cortex._app.root
    source = root / "parser.py"
    source.write_text("first\nsecond\nthird\n")
    cortex.remember("The parser module reads one token ahead", files=["parser.py:2-3"])

    def state():
        return cortex.recall("how far does the parser module read ahead?").hits[0].freshness

    assert state() == "fresh"
    source.write_text("another\nsecond\nthird\n")
    assert state() == "fresh"
    source.write_text("another\nsecond, changed\nthird\n")
    assert state() == "changed"
    source.unlink()
    assert state() == "gone"


def test_a_damaged_index_is_made_anew_by_the_recall_that_meets_it(cortex):
    kept = cortex.remember("The deploy target is the Frankfurt cluster", kind="decision")
    pool = cortex._app.all_services()[0].store.pool
    pool.exclusive().execute("UPDATE memories_fts_data SET block = x'00ff' WHERE id > 10")
    cortex.close()
    assert [hit.memory.id for hit in cortex.recall(WHICH_CLUSTER).hits] == [kept.id]
    seen = cortex._app.all_services()[0].store.ledger.degradations()
    assert [(one.degradation.component, one.degradation.recovered) for one in seen] == [
        ("keyword index", True)
    ]
    assert cortex.status().fallbacks == ()


def test_a_damaged_index_is_made_anew_by_the_write_that_meets_it(cortex):
    cortex.remember("The deploy target is the Frankfurt cluster", kind="decision")
    cortex._app.all_services()[0].store.pool.exclusive().execute(
        "UPDATE memories_fts_data SET block = x'00ff' WHERE id > 10"
    )
    cortex.close()
    added = cortex.remember("Pangolins guard the build cache", kind="tribal")
    assert [hit.memory.id for hit in cortex.recall("who guards the build cache?").hits] == [added.id]


def test_a_review_of_several_decides_about_all_or_none(cortex):
    waits = cortex.remember("The queue is drained at midnight", status="proposed")
    settled = cortex.remember("The queue holds a thousand jobs")
    with pytest.raises(InvalidInputError):
        cortex.review("approve", [waits.id, settled.id])
    assert cortex.get(waits.id) == replace(cortex.get(waits.id), status=Status.PROPOSED)
    assert [one.status for one in cortex.review("approve", [waits.id]).memories] == [Status.ACTIVE]


# -- explain: why a question is answered as it is, and why a memory is found by it or is not.
NEAR = "The license server is restarted on Mondays, which takes a while"


@pytest.fixture
def port(cortex):
    """A memory that answers the question, beside others."""
    for number in range(12):
        cortex.remember(f"The server in rack {number} is labelled {number * 7}", tags=["rack"])
    return cortex.remember(PORT, tags=["license"])


def causes(cortex, memory, query=QUESTION, **asked):
    return [one.cause for one in cortex.explain(memory.id, query=query, **asked).reasons]


def test_a_hit_tells_which_words_it_has_how_rare_they_are_and_what_each_signal_adds(cortex, port):
    hit = cortex.recall(QUESTION, explain=True, limit=1).hits[0]
    assert hit.memory.id == port.id
    assert hit.why.has == {"port": 1, "license": 1, "answer": 1, "server": 13}
    assert hit.why.adds["keyword"] > hit.why.adds["confidence"] > 0
    assert hit.why.behind == 0.0
    assert "“license” (in 1 of 13 memories)" in hit.why.text
    assert cortex.recall(QUESTION, limit=1).hits[0].why is None


def test_explaining_changes_nothing(cortex, port):
    cortex.explain(QUESTION)
    cortex.explain(port.id, query=QUESTION)
    assert cortex.get(port.id).access_count == 0


def test_a_question_is_told_as_it_is_understood(cortex, port):
    found = cortex.explain("why does the license server answer in Paris on 9000?", floor=False)
    (store,) = found.understood
    assert store.words["license"] == 1
    assert store.unknown == ("paris",)
    assert store.names == ("paris",)
    assert store.asks_for == "reason"
    assert store.for_an_answer["unknown names"] < 0 < store.for_an_answer["coverage"]
    assert found.hits[0].memory.id == port.id


def test_a_memory_that_does_not_answer_has_the_reason_that_is_true(cortex, port, clock):
    rack = cortex.list(tags=["rack"]).memories[0]
    near = cortex.remember(NEAR)
    assert causes(cortex, near, limit=1) == ["limit"]
    assert causes(cortex, near, budget=port.tokens) == ["budget"]
    assert causes(cortex, rack) == ["far"]
    assert causes(cortex, port, tags=["rack"]) == ["filter"]
    assert causes(cortex, port, kinds=["decision"], files=["a.py"]) == ["filter", "filter"]
    assert causes(cortex, port, query="how is bread baked?") == ["candidates"]
    assert causes(cortex, rack, query="bread of the server room in Paris with Anna") == ["floor"]
    later = cortex.remember(f"{PORT} in Berlin", valid_from=clock() + timedelta(days=3))
    assert causes(cortex, later) == ["not yet true"]
    old = cortex.remember(f"{PORT} in Rome", valid_from=clock() - timedelta(9), valid_until=clock())
    assert causes(cortex, old) == ["no longer true"]
    assert causes(cortex, old, valid_at=clock() - timedelta(days=1)) == ["answers"]


@pytest.mark.parametrize("status", [Status.ARCHIVED, Status.SUPERSEDED, Status.QUARANTINED])
def test_a_status_that_does_not_answer_is_told_with_the_signals(cortex, status):
    one = cortex.remember(PORT, status=status)
    found = cortex.explain(one.id, query=QUESTION)
    assert [reason.cause for reason in found.reasons] == ["status"]
    assert found.hit.signals["keyword"] > 0


def test_a_proposed_memory_stands_apart(cortex):
    one = cortex.remember(PORT, status=Status.PROPOSED)
    assert causes(cortex, one) == ["proposed"]


def test_raw_code_answers_only_where_its_kind_is_asked_for(cortex):
    one = cortex.remember("def license_server(port): return port", kind="code")
    assert causes(cortex, one) == ["kind"]
    assert causes(cortex, one, kinds=["code"]) == ["answers"]


# -- Questions are understood: times, versions, two in one, sets; each can be switched off.
CACHE = "The cache of the {} is warmed by the job {}"


@pytest.fixture
def spread(cortex, clock):
    """Two memories in the same words, three weeks apart."""
    old = cortex.remember(CACHE.format("shop", "alpha"), kind="decision")
    clock.pass_(days=21)
    new = cortex.remember(CACHE.format("shop", "omega"), kind="decision")
    clock.pass_(days=1)
    return old, new


def first(cortex, question, **more):
    return cortex.recall(question, **more).hits[0].memory.id


def switched(cortex, name, monkeypatch):
    monkeypatch.setenv(f"RECORTEX_RECALL_{name}", "false")
    return Cortex.open(cortex._app.root, clock=cortex._app.clock)


def test_a_time_that_is_said_decides_between_equals(cortex, spread, monkeypatch):
    old, new = spread
    assert first(cortex, "what did we decide yesterday about the cache of the shop?") == new.id
    assert first(cortex, "what did we decide three weeks ago about the cache of the shop?") == old.id
    hit = cortex.recall("what warms the cache of the shop since last week?", explain=True).hits[0]
    assert (hit.memory.id, hit.signals["date"]) == (new.id, 1.0)
    with switched(cortex, "TIMES", monkeypatch) as off:
        hits = off.recall("what did we decide three weeks ago about the cache of the shop?", floor=False).hits
        assert all("date" not in hit.signals for hit in hits)


def test_a_version_is_the_day_of_its_tag(tmp_path, clock, monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    day = clock() + timedelta(days=5)
    git = {"GIT_COMMITTER_DATE": day.isoformat(), "GIT_AUTHOR_DATE": day.isoformat(), "PATH": "/usr/bin:/bin"}
    for words in (
        ["init", "-q"],
        ["-c", "user.name=n", "-c", "user.email=e@example.org", "commit", "-q", "--allow-empty", "-m", "x"],
        ["tag", "v2.0"],
    ):
        subprocess.run(["git", *words], cwd=tmp_path, check=True, env=git)
    with Cortex.open(tmp_path, clock=clock) as cortex:
        cortex.remember(CACHE.format("shop", "alpha"), kind="decision")
        clock.pass_(days=9)
        new = cortex.remember(CACHE.format("shop", "omega"), kind="decision")
        clock.pass_(days=90)
        old = cortex.recall("how is the cache of the shop warmed before 2.0?").hits[0].memory
        assert first(cortex, "how is the cache of the shop warmed since 2.0?") == new.id != old.id
        found = cortex.recall("how is the cache of the shop warmed since 3.1?")
        assert found.query.endswith("since 3.1?")
        assert all("date" not in hit.signals for hit in found.hits)


# -- The envelope of every operation: its warnings are sentences, its data are what it says they are.
OPERATIONS = operations_of(Cortex)
ARGUMENTS = {
    "id": "ID", "query": "the index", "task": "the index", "focus": "the index", "about": "the index",
    "path": "docs/notes.md", "outcome": "accepted", "generation": "GENERATION", "answer": "confirm",
    "host": "claude-code", "format": "adr", "to": "global",
    "memories": [{"text": "The cache is cold after a deployment.", "kind": "semantic"}],
}  # fmt: skip
MORE = {
    "warnings": {"focus": "the index"}, "suggest": {"focus": "the index"},
    "remember": {"text": "The index is rebuilt at night.", "kind": "semantic"},
    "learn": {"text": "Never rebuild the index by hand."},
    "edit": {"text": "Never rebuild the index by day, it takes five hours."},
    "link": {"target": "OTHER", "relation": "caused"}, "unlink": {"target": "OTHER", "relation": "caused"},
    "restore": {"BEFORE": "forget"}, "undo": {"BEFORE": "edit"},
    "extract": {"path": "PROJECT/session.jsonl"},
    "index": {"path": "src/index.py", "description": "It rebuilds the index of a name."},
    "ingest": {"paths": ["docs"]}, "purge": {"id": "ID"}, "install": {"dry_run": True},
    "uninstall": {"dry_run": True}, "erase": {"dry_run": True},
    "migrate_store": {"source": "STORE", "target": "COPY"}, "import": {"path": "PROJECT/docs"},
}  # fmt: skip
NEEDS_TARGET = {"infer", "intervention", "counterfactual"}
SAID = {
    "type": "user", "uuid": "u1", "sessionId": "s", "timestamp": "2026-03-01T12:00:00Z",
    "message": {"role": "user", "content": "please remember that we use uv and not pip in this repository"},
}  # fmt: skip
REPR = re.compile(
    r"\b[A-Z]\w+\([a-z_]+=|\bobject at 0x|<[A-Z]\w+\.\w+: |\bPosixPath\(|\bdatetime\.datetime\("
)


@cache
def schemas(name):
    """Of what an operation gives: one of them has to fit."""
    given = OPERATIONS[name].returns()
    return [Draft202012Validator(codec.schema(one)) for one in get_args(given) or (given,)]


@pytest.fixture
def known(project, monkeypatch):
    """A project in which there is something for each operation to work on."""
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    for path, text in {
        "docs/notes.md": "# The index\n\nIt is rebuilt at night, since it takes hours.\n",
        "docs/0001-index.md": "# 1. Keep one index\n\n## Status\n\nAccepted\n\n## Decision\n\nOne index.\n",
        "src/index.py": "def rebuild(name: str) -> int:\n    return len(name)\n",
        "session.jsonl": json.dumps(SAID) + "\n",
    }.items():
        (project / path).parent.mkdir(exist_ok=True, parents=True)
        (project / path).write_text(text)
    with Cortex.open(project) as cortex:
        yield project, cortex


def arguments(name, project, cortex):
    """What an operation is called with here, after what has to be done before it."""
    one = cortex.remember("Never rebuild the index by day, it takes four hours.", kind="tribal")
    other = cortex.remember(
        "The index broke when the disk was full.", kind="incident", files=["src/index.py"]
    )
    given = {part.name: ARGUMENTS.get(part.name, "the index") for part in OPERATIONS[name].parameters()
             if part.required} | MORE.get(name, {})  # fmt: skip
    before = given.pop("BEFORE", "")
    if before:
        getattr(cortex, before)(one.id, **MORE.get(before, {}))
    if name in NEEDS_TARGET | {"unlink"}:
        cortex.link(one.id, other.id, relation="caused")
    stands = {
        "ID": one.id, "OTHER": other.id, "GENERATION": cortex.generation_context("the index").generation,
        "STORE": f"sqlite:///{store_folder(project)}/cortex.db",
        "PROJECT/session.jsonl": str(project / "session.jsonl"), "PROJECT/docs": str(project / "docs"),
        "COPY": f"sqlite:///{project.parent}/copy.db",
    }  # fmt: skip
    return {
        key: stands.get(value, value) if isinstance(value, str) else value for key, value in given.items()
    }


@pytest.mark.parametrize("name", OPERATIONS)
def test_warnings_are_sentences_and_data_fit_their_schema(known, name):
    project, cortex = known
    operation = OPERATIONS[name]
    result = getattr(cortex, operation.method)(**arguments(name, project, cortex))
    answer = json.loads(execution.success(name, result, execution.warnings_of(result), 0.1))
    assert set(answer) == {"status", "command", "data", "warnings", "duration_ms"}
    assert all(isinstance(one, str) for one in answer["warnings"])
    assert not REPR.search(json.dumps(answer)), REPR.search(json.dumps(answer))
    wrong = [[error.message[:300] for error in one.iter_errors(answer["data"])] for one in schemas(name)]
    assert min(wrong, key=len) == []
    if name == "warnings":
        assert result.warnings
        assert answer["warnings"] == []


# -- Every kind shows its fields, and its example is taken as it stands, by `remember` and by the shell.
def test_every_kind_is_listed(cortex):
    assert {one.kind for one in cortex.kinds().kinds} == set(KINDS)
    assert all(one.about for one in cortex.kinds().kinds)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_example_of_a_kind_is_remembered_whole(cortex, kind):
    (shown,) = cortex.kinds(kind).kinds
    assert [field.name for field in shown.fields if field.main] == [KINDS[kind].main]
    kept = cortex.remember(**shown.example)
    assert kept.kind == kind
    example = shown.example["content"]
    assert {KINDS[kind].main} <= set(example) <= {field.name for field in shown.fields}
    for name, value in example.items():
        assert getattr(kept.content, name) not in ("", (), {}), name
        assert value != f"the {name.replace('_', ' ')}"  # what it says is about something
    *_, command = render(cortex.kinds(kind), Terminal()).splitlines()
    said = shlex.split(command)
    assert said[:4] == ["recortex", "remember", "--kind", kind]
    assert json.loads(said[-1]) == shown.example["content"]


def test_nested_fields_are_named(cortex):
    (shown,) = cortex.kinds("procedural").kinds
    takes = {field.name: field.takes for field in shown.fields}
    assert "action: text" in takes["steps"]
    with pytest.raises(InvalidInputError) as refused:
        cortex.remember(kind="procedural", content={"description": "Deploy", "steps": ["push"]})
    assert "recortex kinds procedural" in refused.value.hint


# -- The index of vectors, as a person meets it.
@pytest.fixture
def filled(tmp_path, monkeypatch):
    """A store with as many vectors as an index is made for."""
    monkeypatch.setattr(vector_index, "LEAST", 20)
    monkeypatch.setenv("RECORTEX_EMBEDDER", "hashed")
    with Cortex.open(url=f"sqlite:///{tmp_path}/m.db") as cortex:
        cortex.remember_many([{"text": f"The service {n} listens on port {9000 + n}"} for n in range(40)])
        yield cortex


def index_notices(cortex):
    notices = [one for one in cortex.doctor().findings if "index of" in one.message]
    return [(one.message, one.todo) for one in notices], [
        one for one in cortex.status().notices if "index of" in one
    ]


def test_an_index_that_was_not_made_yet_is_named_and_reembed_makes_it(filled):
    (found, shown) = index_notices(filled)
    assert "not made yet" in found[0][0]
    assert "recortex reembed" in found[0][1]
    assert len(shown) == 1
    filled.reembed()
    assert index_notices(filled) == ([], [])
    assert filled.recall("which port does service 7 listen on?").hits


def test_doctor_sees_a_damaged_index(filled):
    filled.reembed()
    (services,) = filled._app.all_services()
    (file,) = services.location.vectors.glob("*.usearch")
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(content)
    assert "damaged" in index_notices(filled)[0][0][0]
    assert keep_vector_index(services) == 40
    assert index_notices(filled) == ([], [])


def test_without_usearch_the_line_to_type_is_shown(filled, monkeypatch):
    monkeypatch.setattr("recortex.storage.sqlite.vector_index.find_spec", lambda _: None)
    assert index_notices(filled)[0][0][1] == "pip install 'recortex[scale]'"
