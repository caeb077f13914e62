"""What `remember_many` writes is what as many calls with one memory each write, but for their ids."""

import random
import re
from dataclasses import replace

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
