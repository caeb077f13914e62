"""Validation and healing in all circumstances: bounded, done once, undoable, never of what is pinned."""

from dataclasses import replace
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from example_memories import AT, memory
from generated import drawn
from recortex.domain.kinds import KINDS
from recortex.domain.memory import CONSENSUS, Citation, FileLink, PatternLink, check
from recortex.domain.vocabulary import Status
from recortex.engines.validation import AGREED, Opposed, Pattern, Remedy, Subject, heal, verdict

STATES = {"fresh": 1.0, "moved": 1.0, "changed": 0.4, "gone": 0.0, "none": None}
links = st.builds(FileLink, st.sampled_from(["a.py", "b.py", "c.py"]), st.integers(1, 9), st.integers(9, 20))


def citation(link, state):
    path = "moved.py" if state == "moved" else link.path
    what = "" if state in {"fresh", "moved", "none"} else "it differs"
    return Citation(link, state, path, link.line_start, link.line_end, STATES[state], what)


@st.composite
def subjects(draw):
    cited = draw(st.dictionaries(links, st.sampled_from(sorted(STATES)), max_size=4))
    kind = draw(st.sampled_from(sorted(KINDS)))
    base = draw(st.floats(0, 1))
    one = memory(
        kind=kind, files=tuple(cited), patterns=(PatternLink("p"),), confidence=base,
        pinned=draw(st.booleans()), evidence=draw(st.integers(1, 6)),
        valid_until=draw(st.none() | st.just(AT + timedelta(days=5))),
        validated_at=draw(st.none() | st.just(AT)),
    )  # fmt: skip
    return Subject(
        memory=one,
        now=AT + timedelta(days=draw(st.integers(0, 2_000))),
        confidence=base * draw(st.floats(0, 1)),
        citations=[citation(*each) for each in cited.items()],
        commits=draw(st.dictionaries(st.just("a.py"), st.integers(1, 9))),
        opposed=draw(
            st.lists(st.builds(Opposed, st.just("x" * 36), st.booleans(), st.integers(0, 5)), max_size=2)
        ),
        supporters=draw(st.integers(0, 5)),
        patterns=draw(st.dictionaries(st.just("p"), st.builds(Pattern, st.booleans(), st.floats(0, 1)))),
    )


def remedy(subject, *, bold, hub=False):
    moved = [one for one in subject.citations if one.state == "moved"]
    return Remedy({one.link: replace(one.link, path=one.path) for one in moved}, bold, hub)


@given(subjects())
def test_a_verdict_is_bounded_and_valid_means_that_nothing_was_found(subject):
    found = verdict(subject)
    assert 0.0 <= found.score <= 1.0
    assert (found.state == "valid") == (not found.issues) == (found.score == 1.0)
    assert found.state == "flagged" or not any(one.severity == "severe" for one in found.issues)
    assert not any(subject.memory.text in one.what for one in found.issues)


@given(subjects(), st.booleans(), st.booleans())
def test_healing_gives_a_memory_that_can_be_kept_and_says_what_it_did(subject, bold, hub):
    healed = heal(subject, verdict(subject), remedy(subject, bold=bold, hub=hub))
    check(healed.memory)
    assert bool(healed.done) == (healed.memory != subject.memory)
    raised = AGREED if bold and subject.supporters >= CONSENSUS else 0.0
    assert healed.memory.confidence <= subject.memory.confidence + raised
    assert (healed.memory.text, healed.memory.content) == (subject.memory.text, subject.memory.content)


@given(subjects())
def test_without_a_word_of_a_person_nothing_is_lowered_or_put_away(subject):
    healed = heal(subject, verdict(subject), remedy(subject, bold=False)).memory
    assert (healed.confidence, healed.status) == (subject.memory.confidence, Status.ACTIVE)


@given(subjects())
def test_pinned_memories_and_hubs_stay(subject):
    pinned = replace(subject, memory=replace(subject.memory, pinned=True))
    healed = heal(pinned, verdict(pinned), remedy(pinned, bold=True)).memory
    assert (healed.confidence, healed.status) == (pinned.memory.confidence, Status.ACTIVE)
    hub = heal(subject, verdict(subject), remedy(subject, bold=True, hub=True)).memory
    assert hub.status is Status.ACTIVE


CODE = [f"value_{n} = {n}\n" for n in range(12)]
edits = st.lists(st.sampled_from(["delete", "insert", "change", "move", "remove"]), max_size=3)


@settings(max_examples=drawn(10))
@given(edits)
def test_what_healing_did_is_undone_to_the_state_before(fresh_cortex, changes):
    with fresh_cortex() as cortex:
        root = cortex._app.root
        place = root / "a.py"
        place.write_text("".join(CODE))
        kept = cortex.remember("The values count up from nought", kind="tribal", files=["a.py:3-8"])
        for change in changes:
            place = spoil(place, change)
        before = cortex.get(kept.id)
        done = cortex.validate(heal=True)
        if done.healed:
            undone = cortex.undo(kept.id)
            for name in ("files", "tags", "status", "metadata"):
                assert getattr(undone, name) == getattr(before, name)
            assert undone.confidence == kept.confidence


def spoil(place, change):
    if not place.exists():
        return place
    lines = place.read_text().splitlines(keepends=True)
    if change == "remove":
        place.unlink()
    elif change == "move":
        return place.rename(place.with_name("b.py"))
    else:
        lines[3:4] = {"delete": [], "insert": ["more\n", *lines[3:4]], "change": ["other\n"]}[change]
        place.write_text("".join(lines))
    return place
