"""counterfactual, intervention, traverse and related agree with each other, over a real store."""

import pytest

from recortex.errors import InvalidInputError, MemoryNotFoundError

FILES = {"worker": ["src/worker.py", "tests/test_worker.py"], "retry": ["src/retry.py"]}


@pytest.fixture
def made(cortex):
    """A queue led to a worker and retries; the worker and a rule led to logs; docs depend on the worker."""
    texts = {
        "queue": "We adopted a queue for mails", "worker": "One worker process sends what is queued",
        "retry": "Failed sends are tried five times", "rule": "Auditors ask for a log of mails",
        "logs": "Each send is written to the log", "docs": "The operations handbook describes the worker",
        "loss": "Mails are lost when the server restarts",
    }  # fmt: skip
    ids = {
        name: cortex.remember(text, kind="tribal", files=FILES.get(name, ())).id
        for name, text in texts.items()
    }
    for one, relation, other in (
        ("queue", "caused", "worker"),
        ("retry", "derived_from", "worker"),
        ("worker", "enabled", "logs"),
        ("rule", "caused", "logs"),
        ("docs", "depends_on", "worker"),
        ("queue", "prevented", "loss"),
    ):
        cortex.link(ids[one], ids[other], relation=relation)
    return ids


def names(made, memories):
    back = {id_: name for name, id_ in made.items()}
    return {back[one.id] for one in memories}


def test_what_would_be_missing_and_what_keeps_another_cause(cortex, made):
    found = cortex.counterfactual(made["queue"])
    losses = {names(made, [one.reached.memory]).pop(): (one.loss, one.others) for one in found.missing}
    assert losses == {
        "worker": ("falls", ()),
        "retry": ("falls", ()),
        "logs": ("weakened", (made["rule"],)),
        "loss": ("possible", ()),
    }
    assert not cortex.counterfactual(made["logs"]).missing


def test_what_to_update_has_files_and_tests(cortex, made):
    found = cortex.intervention(made["queue"])
    assert names(made, [one.memory for one in found.dependents]) == {
        "worker", "retry", "logs", "loss", "docs",
    }  # fmt: skip
    assert [one.name for one in found.files] == ["src/retry.py", "src/worker.py"]
    assert [(one.name, one.memories) for one in found.tests] == [("tests/test_worker.py", (made["worker"],))]


def test_limits_are_kept_and_told(cortex, made):
    assert cortex.counterfactual(made["queue"], limit=1).more
    assert len(cortex.intervention(made["queue"], limit=2).dependents) == 2
    assert {one.reached.depth for one in cortex.counterfactual(made["queue"], depth=1).missing} == {1}
    with pytest.raises(InvalidInputError, match="depth"):
        cortex.intervention(made["queue"], depth=11)


def test_a_time_shows_what_was_known_then(cortex, made, clock):
    then = clock.pass_(hours=1)
    clock.pass_(hours=1)
    cortex.unlink(made["queue"], made["worker"])
    late = cortex.remember("The worker was split in two", kind="tribal").id
    cortex.link(made["worker"], late, relation="caused")
    cortex.edit(made["worker"], text="Two workers send what is queued")
    now = cortex.traverse(made["queue"], depth=5, direction="effects")
    assert names(made, [one.memory for one in now.reached]) == {"loss"}
    before = cortex.traverse(made["queue"], depth=5, direction="effects", as_of=then)
    assert names(made, [one.memory for one in before.reached]) == {"worker", "retry", "logs", "loss"}
    (worker,) = [one.memory for one in before.reached if one.memory.id == made["worker"]]
    assert worker.text.startswith("One worker")
    assert len(cortex.counterfactual(made["queue"], as_of=then).missing) == 4
    with pytest.raises(MemoryNotFoundError, match="was not known"):
        cortex.traverse(late, as_of=then)


def test_an_import_leaves_out_what_closes_a_circle_and_says_so(cortex, made, tmp_path):
    cortex.export(str(tmp_path / "all.jsonl"))
    cortex.unlink(made["queue"], made["worker"])
    cortex.link(made["retry"], made["queue"], relation="caused")
    done = cortex.import_("jsonl", str(tmp_path / "all.jsonl"))
    assert [one for one in done.problems if "a cause of itself" in one]
