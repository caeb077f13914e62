"""A copy of a turn is not a saying; the same words on another day are."""

import pytest

import transcripts
from recortex.domain.vocabulary import Status

RULE = "From now on run the tests with `make check`, never with pytest directly."
ORDER = "Look through the parsers. From now on answer in JSON only, and never use grep in this repository."
PARENT, CHILD, OTHER = (f"019fb000-0000-7000-8000-00000000000{digit}" for digit in "123")
SPAWNED = {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}}


def meta(session, cwd, at, **more):
    return next(transcripts.codex(session, transcripts.talk("", folder=cwd, at=at), **more))


def said(turn, cwd, at, prompt, answer):
    """A turn of a rollout: a prompt and its answer."""
    _, *lines = transcripts.codex("", transcripts.talk((cwd, prompt, cwd, answer), ids=turn + "{}", at=at))
    return lines


def again(lines, at):
    """Lines as a fork repeats them: stamped anew."""
    return [{**line, "timestamp": at} for line in lines]


@pytest.fixture
def rollout(tmp_path):
    def write(session, *lines, day="10"):
        path = tmp_path / f"rollout-2026-08-{day}T09-00-00-{session}.jsonl"
        return transcripts.write(path, lines)

    return write


@pytest.fixture
def parent(tmp_path):
    cwd, at = str(tmp_path), "2026-08-10T09:0{}:00.000Z"
    return [
        meta(PARENT, cwd, at.format(0)),
        *said("t1", cwd, at.format(1), RULE, "Understood."),
        *said("t2", cwd, at.format(2), "Why is the import slow on Mondays?", "It reads the whole archive."),
    ]


LATER = "2026-08-20T15:00:00.000Z"


def texts(cortex, status=Status.ACTIVE):
    return [one.text for one in cortex.list(statuses=(status,)).memories]


def test_a_fork_repeats_what_its_parent_said(cortex, rollout, parent, tmp_path):
    own = said(
        "t3", str(tmp_path), "2026-08-20T15:01:00.000Z", "In this repository we always log in UTC.", "Noted."
    )
    head = meta(CHILD, str(tmp_path), LATER, forked_from_id=PARENT)
    cortex.import_("codex", str(rollout(PARENT, *parent)))
    cortex.import_("codex", str(rollout(CHILD, head, *again(parent, LATER), *own, day="20")))
    (known,) = (one for one in cortex.list().memories if "make check" in one.text)
    assert known.evidence == 1
    assert any("log in UTC" in text for text in texts(cortex))
    told = [one.message for page in (PARENT, CHILD) for one in cortex.sessions(session=page).exchanges]
    assert sorted(told) == sorted(
        [RULE, "Why is the import slow on Mondays?", "In this repository we always log in UTC."]
    )


def test_a_fork_without_ids_of_turns_repeats_them_too(cortex, rollout, parent, tmp_path):
    bare = [line for line in parent if line["type"] in {"session_meta", "response_item"}]
    head = meta(CHILD, str(tmp_path), LATER, forked_from_id=PARENT)
    cortex.import_("codex", str(rollout(PARENT, *bare)))
    cortex.import_("codex", str(rollout(CHILD, head, *again(bare, LATER), day="20")))
    (known,) = (one for one in cortex.list().memories if "make check" in one.text)
    assert known.evidence == 1


@pytest.mark.parametrize("repeats", ["meta and history", "history", "another sub-agent's", "nothing"])
@pytest.mark.parametrize("first", [True, False], ids=["own first", "own last"])
def test_an_order_of_an_agent_is_not_the_persons(cortex, rollout, parent, tmp_path, repeats, first):
    cwd = str(tmp_path)
    head = meta(CHILD, cwd, LATER, source=SPAWNED, thread_source="subagent", parent_thread_id=PARENT)
    between = meta(PARENT, cwd, LATER, source=SPAWNED, thread_source="subagent", parent_thread_id=OTHER)
    copied = {
        "meta and history": again(parent, LATER),
        "history": again(parent[1:], LATER),
        "another sub-agent's": [between, *again(parent[1:], LATER)],
        "nothing": [],
    }[repeats]
    order = said("t4", cwd, "2026-08-20T15:02:00.000Z", ORDER, "{}")
    cortex.import_("codex", str(rollout(PARENT, *parent)))
    path = rollout(CHILD, *([head, *copied] if first else [*copied[:1], head, *copied[1:]]), *order, day="20")
    cortex.import_("codex", str(path))
    assert not any("grep" in text for status in Status for text in texts(cortex, status))
    assert [one.session for one in cortex.sessions().sessions] == [PARENT]
    assert not any("grep" in one.message for one in cortex.sessions(session=PARENT).exchanges)


@pytest.mark.parametrize("source", ["exec", "mcp"])
def test_a_program_that_runs_codex_is_not_the_person(cortex, rollout, tmp_path, source):
    cwd, at = str(tmp_path), "2026-08-10T09:01:00.000Z"
    lines = [meta(PARENT, cwd, at, source=source), *said("t1", cwd, at, ORDER, "{}")]
    cortex.import_("codex", str(rollout(PARENT, *lines)))
    assert not any("grep" in text for status in Status for text in texts(cortex, status))
    (exchange,) = cortex.sessions(session=PARENT).exchanges
    assert exchange.opener == "program"


@pytest.mark.parametrize(
    "prompt", ["Go on with the importer.", "Go on with the importer, where we stopped yesterday."]
)
def test_the_same_words_on_another_day_are_said_again(cortex, rollout, tmp_path, prompt):
    answers = ("Only the notes are open.", "The keys have expired: ask Ops to renew them.", "All is done.")
    for day, answer in zip(("11", "12", "13"), answers, strict=True):
        session, at = f"019fb0{day}-0000-7000-8000-000000000001", f"2026-08-{day}T09:00:00.000Z"
        lines = [meta(session, str(tmp_path), at), *said(f"t{day}", str(tmp_path), at, prompt, answer)]
        cortex.import_("codex", str(rollout(session, *lines, day=day)))
    assert len(cortex.sessions().sessions) == len(answers)


def test_the_parents_words_are_kept_where_only_the_fork_is_there(cortex, rollout, parent, tmp_path):
    head = meta(CHILD, str(tmp_path), LATER, forked_from_id=PARENT)
    cortex.import_("codex", str(rollout(CHILD, head, *again(parent, LATER), day="20")))
    assert any("make check" in text for text in texts(cortex))
    assert RULE in [one.message for one in cortex.sessions(session=CHILD).exchanges]
