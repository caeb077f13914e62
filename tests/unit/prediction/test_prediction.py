"""What is predicted, and what a cache holds of it."""

import json
import os
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_exchanges import exchange, keep
from recortex import Cortex
from recortex.app.predicted import LONGEST, NEXT, SHORTEST, Kept, PredictionCache, Predictions, time_to_live
from recortex.domain.session import Signal
from recortex.domain.vocabulary import Scope
from recortex.prediction.engine import (
    AGREEMENT,
    WEIGHTS,
    Candidate,
    Prospect,
    Signals,
    focused,
    names_of,
    predict,
)

# -- What is predicted does not depend on order or repetition; a cache holds only what still holds.
NAMES = st.frozensets(st.sampled_from(["a.py", "b.py", "c.ts", "d.md"]), max_size=3)
CANDIDATES = st.lists(
    st.builds(
        Candidate, id=st.text("abcdef", min_size=1, max_size=4),
        place=st.text("xyz", min_size=1, max_size=2), names=NAMES, words=NAMES, patterns=NAMES,
        session=st.sampled_from(["", "one", "two"]), at=st.integers(0, 10),
    ),
    unique_by=lambda one: one.id, max_size=12,
)  # fmt: skip
SIGNALS = st.builds(
    Signals,
    view=st.dictionaries(st.sampled_from(["a.py", "b.py"]), st.floats(0.1, 1.0)),
    lately=st.dictionaries(st.sampled_from(["b.py", "c.ts"]), st.floats(0.1, 5.0)),
    words=NAMES,
    patterns=NAMES,
)


@given(SIGNALS, CANDIDATES, st.randoms())
def test_the_same_is_predicted_in_any_order_and_each_place_once(signals, candidates, random):
    found = predict(signals, candidates, 5)
    shuffled = random.sample(candidates, len(candidates))
    assert predict(signals, shuffled, 5) == found == predict(signals, candidates, 5)
    places = {one.id: one.place for one in candidates}
    assert len({places[one.id] for one in found}) == len(found) <= 5
    assert all(0.0 < one.confidence <= 1.0 and one.because for one in found)
    assert [predict(signals, candidates, most) for most in range(5)] == [found[:most] for most in range(5)]


def test_of_several_about_one_file_the_others_come_after_what_is_about_another():
    words = frozenset({"retry", "hook"})
    best = Candidate("1", "1", frozenset({"a.py"}), words, at=3)
    same = Candidate("2", "2", frozenset({"a.py"}), words, at=2)
    other = Candidate("3", "3", frozenset({"b.py"}), frozenset(), at=1)
    signals = Signals({"a.py": 1.0, "b.py": 0.7}, {"a.py": 2.0, "b.py": 1.0}, words)
    assert [one.id for one in predict(signals, [other, same, best], 3)] == ["1", "3", "2"]


def test_of_a_file_that_is_asked_about_the_exchange_about_many_files_is_as_good():
    words = frozenset({"retry"})
    many = Candidate("1", "1", frozenset({"a.py", "b.py", "c.ts", "d.md"}), words)
    one = Candidate("2", "2", frozenset({"a.py"}), frozenset(), at=1)
    signals = Signals({}, {}, words)
    assert predict(focused(signals, ["a.py"]), [one, many], 1)[0].id == "1"


def test_the_file_that_is_asked_about_comes_before_what_else_is_in_view():
    view = dict.fromkeys(["a.py", "c.ts", "d.md"], 1.0)
    about = Candidate("1", "1", frozenset(view), frozenset())
    asked = Candidate("2", "2", frozenset({"b.py"}), frozenset())
    signals = Signals(view, {})
    assert predict(signals, [about, asked], 1)[0].id == "1"
    assert predict(focused(signals, ["b.py"]), [about, asked], 1)[0].id == "2"


def test_agreement_of_two_strategies_adds_a_little():
    one = Candidate("1", "1", frozenset({"a.py"}), frozenset())
    alone = predict(Signals({"a.py": 1.0}, {}), [one], 5)
    both = predict(Signals({"a.py": 1.0}, {"a.py": 1.0}), [one], 5)
    assert alone[0].confidence == WEIGHTS["files"]
    assert both[0].confidence == pytest.approx(WEIGHTS["files"] + AGREEMENT)
    assert both[0].because == ("files", "behaviour")


def test_names_of_files_are_found_in_texts_and_paths():
    said = "See src/app/Main.py, C:\\work\\x.ts is another; version 1.2.3 and e.g. are none of code"
    assert {"main.py"} <= names_of(said)
    assert not names_of("version 1.2.3")
    assert names_of("", ["/a/b/Makefile", "C:\\work\\X.ts"]) == {"makefile", "x.ts"}


@pytest.fixture
def cortex(project, clock):
    with Cortex.open(project, clock=clock) as opened:
        yield opened


@pytest.fixture
def services(cortex):
    return cortex._app.services(Scope.PROJECT)


def test_a_changed_file_and_time_end_a_prediction(cortex, services, project, clock):
    (file := project / "a.py").write_text("x = 1\n")
    os.utime(file, (0, 0))
    cortex.remember("Never import a.py at the top", files=["a.py"])
    keep(services, exchange(1, message="Look at a.py", session="old"))
    assert cortex.preload().files
    assert cortex.predict(files=["a.py"]).cached
    assert cortex.predict(files=["a.py"]) == cortex.predict(files=["a.py"])
    later = clock().timestamp() + 1
    os.utime(file, (later, later))
    assert not cortex.predict(files=["a.py"]).cached
    os.utime(file, (0, 0))
    clock.pass_(days=2)
    assert not cortex.predict(files=["a.py"]).cached
    counts = cortex.preload()
    assert (counts.hits, counts.misses) == (3, 2)


def test_predictions_for_a_session_are_not_those_of_another(services, clock):
    cache = PredictionCache(services.location)
    now = clock().timestamp()
    own = (Kept(id="1", memory=True, confidence=0.6, because=("files",)),)
    cache.keep([Predictions("one", now, 60.0, {NEXT: own}), Predictions(NEXT, now, 60.0, {NEXT: ()})])
    again = PredictionCache(services.location)
    assert again.find("one", NEXT, now) == own
    assert again.find("two", NEXT, now) == ()
    assert again.find("one", NEXT, now + 61) is None
    assert again.find("one", "a.py", now) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 1}', "null"])
def test_a_damaged_cache_counts_as_missing(cortex, services, text):
    cortex.remember("a.py is made by a script", files=["a.py"])
    services.location.place("predicted.json").write_text(text)
    assert [one.kind for one in cortex.predict(files=["a.py"]).predicted]
    assert cortex.preload().misses == 1


def test_predictions_hold_the_shorter_the_more_is_changed():
    assert time_to_live(0) == LONGEST > time_to_live(10) > time_to_live(10_000) == SHORTEST


def test_files_that_hooks_saw_belong_to_the_exchange_of_that_time(services, clock):
    keep(services, said := exchange(1, message="Mend it", session="old", files=()))
    inside = said.started_at + (said.ended_at - said.started_at) / 2
    after = said.ended_at + timedelta(hours=1)
    services.store.sessions.note(
        [
            Signal(session="old", at=inside, name="read", subject="src/seen.py"),
            Signal(session="old", at=after, name="read", subject="src/later.py"),
        ]
    )
    prospect = Prospect(services, None, clock())
    assert [one.names for one in prospect.candidates("")] == [frozenset({"seen.py"})]


# -- The golden sets of prediction: memories and a moment, what is predicted, and why.
GOLDEN = sorted((Path(__file__).parents[2] / "golden" / "prediction").glob("*.json"))


def git(project, *words):
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=project, check=True)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_sets_of_prediction(project, clock, path):
    given = json.loads(path.read_text(encoding="utf-8"))
    git(project, "init", "-q", "-b", given.get("branch", "main"))
    if changed := given.get("change"):
        (project / changed).parent.mkdir(parents=True, exist_ok=True)
        (project / changed).write_text("changed = False\n")
        git(project, "add", changed)
    git(project, "commit", "-q", "--allow-empty", "-m", "Start")
    if changed:
        (project / changed).write_text("changed = True\n")
    with Cortex.open(project, clock=clock) as cortex:
        kept = [cortex.remember(**one).id for one in given["memories"]]
        found = cortex.predict(**given["ask"]).predicted
        expected = given["expect"]
        assert {one.id for one in found} == {kept[place] for place in expected["needed"]}, given["why"]
        assert "top" not in expected or found[0].id == kept[expected["top"]], given["why"]
        by_id = {one.id: one for one in found}
        for place, reason in expected.get("because", {}).items():
            assert reason in by_id[kept[int(place)]].because, given["why"]
        for place in expected.get("agreeing", ()):
            assert len(by_id[kept[place]].because) > 1
            assert by_id[kept[place]].confidence > max(WEIGHTS.values()), given["why"]
