"""Word overlap, merging, cited files, and the lossless export."""

import tempfile
from dataclasses import replace
from datetime import timedelta
from operator import attrgetter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_memories import memory
from generated import contents, fractions, memories, said, texts
from recortex.codec import content_to_json
from recortex.domain.kinds import KINDS
from recortex.domain.memory import Source
from recortex.domain.vocabulary import TRUST_OF_ORIGIN, Domain, Origin, RelationType, Status, Trust
from recortex.engines.similarity import Verdict, classify, merged
from recortex.errors import InvalidInputError
from recortex.operations.base import file_link

paths = st.text(
    st.characters(codec="utf-8", exclude_characters="\0:/\\.", exclude_categories=["Z", "C"]), min_size=1
)


@pytest.mark.parametrize(
    ("score", "verdict"),
    [
        (0.0, Verdict.IGNORE),
        (0.0999, Verdict.IGNORE),
        (0.1, Verdict.RELATE),
        (0.3999, Verdict.RELATE),
        (0.4, Verdict.SUGGEST),
        (0.4999, Verdict.SUGGEST),
        (0.5, Verdict.CONSOLIDATE),
        (0.6, Verdict.CONSOLIDATE),
        (0.6001, Verdict.SIMILAR),
        (1.0, Verdict.SIMILAR),
    ],
)
def test_the_bands_of_the_specification(score, verdict):
    assert classify(score) is verdict


@pytest.mark.parametrize(
    ("origin", "session", "status"),
    [
        (Origin.USER, "s2", Status.PROPOSED),
        (Origin.EXTRACTION, "s2", Status.ACTIVE),
        (Origin.AGENT, "s2", Status.PROPOSED),
        (Origin.IMPORT, "s2", Status.PROPOSED),
        (Origin.EXTRACTION, "s1", Status.PROPOSED),
        (Origin.EXTRACTION, "", Status.PROPOSED),
    ],
)
def test_a_proposal_rises_when_commands_show_it_again_in_another_session(origin, session, status):
    proposed = {"status": Status.PROPOSED, "confidence": 0.5}
    known = memory(1, "Use uv", origin=Origin.USER, source=Source(session="s1"), **proposed)
    new = memory(2, "Use uv", origin=origin, source=Source(session=session), **proposed)
    assert merged(known, new, counts=True).status is Status.PROPOSED  # at the same moment: a copy
    new = replace(new, valid_from=new.valid_from + timedelta(days=1))
    assert merged(known, new, counts=True).status is status
    assert merged(known, new, counts=False).status is Status.PROPOSED


@pytest.mark.parametrize("ids", [("t1", "t1"), ("", "t1"), ("", "")])
def test_no_copy_lifts_a_proposal_however_sure_it_is(ids):
    proposed = {"origin": Origin.USER, "status": Status.PROPOSED, "confidence": 0.9}
    known, new = (
        memory(number, "Use uv", source=Source(session=f"s{number}", turn_id=turn), **proposed)
        for number, turn in enumerate(ids, 1)
    )
    assert merged(known, new, counts=not all(ids)).status is Status.PROPOSED


def test_turns_with_ids_tell_by_them_which_is_a_copy_whenever_they_were_said():
    proposed = {"status": Status.PROPOSED, "confidence": 0.5, "origin": Origin.EXTRACTION}
    known = memory(1, "Use uv", source=Source(session="s1", turn_id="t1", quote="use uv"), **proposed)
    new = memory(2, "Use uv", source=Source(session="s2", turn_id="t2", quote="and use uv"), **proposed)
    assert new.valid_from == known.valid_from
    assert merged(known, new, counts=True).status is Status.ACTIVE
    assert merged(known, new, counts=False).status is Status.PROPOSED


SURER = ("confidence", "priority", "pinned", "status", "trust")
"""What a memory has that only what would stand by itself may raise."""


def of_the_farm(number, origin, status, **values):
    """What one of two sessions says of the same matter, as sure and important as it can be."""
    source = Source(session=f"s{number}", turn_id=f"t{number}", quote=f"{number}: use uv")
    trust = TRUST_OF_ORIGIN[origin]
    return memory(number, "Use uv", origin=origin, status=status, trust=trust, source=source, **values)


@given(st.sampled_from(Origin), st.sampled_from(Status), st.booleans())
def test_what_would_not_stand_by_itself_makes_nothing_that_stands_surer(origin, status, counts):
    known = of_the_farm(1, Origin.USER, Status.ACTIVE, confidence=0.7, priority=5)
    new = of_the_farm(2, origin, status, confidence=1.0, priority=10, pinned=True)
    both = merged(known, new, counts=counts)
    stands = status is Status.ACTIVE and new.trust is not Trust.UNTRUSTED
    assert [getattr(both, name) == getattr(known, name) for name in SURER] == [
        not stands, not stands, not stands, True, True,
    ]  # fmt: skip
    assert both.evidence == known.evidence + counts


@pytest.mark.parametrize("origin", [one for one in Origin if TRUST_OF_ORIGIN[one] is Trust.UNTRUSTED])
@pytest.mark.parametrize("status", [Status.ACTIVE, Status.PROPOSED, Status.QUARANTINED])
def test_outside_words_never_activate_what_a_person_may_have_said(origin, status):
    known = of_the_farm(1, Origin.USER, Status.PROPOSED, confidence=0.84)
    both = merged(known, of_the_farm(2, origin, status, confidence=1.0, priority=10), counts=True)
    assert [getattr(both, name) for name in SURER] == [getattr(known, name) for name in SURER]
    assert both.evidence == known.evidence + 1


def test_what_a_person_says_again_activates_nothing_that_waits():
    known = of_the_farm(1, Origin.USER, Status.PROPOSED, confidence=0.84)
    new = of_the_farm(2, Origin.USER, Status.PROPOSED, confidence=0.84)
    assert merged(known, new, counts=True).status is Status.PROPOSED


PLACES = {"files": attrgetter("path", "line_start", "line_end"), "functions": attrgetter("name", "file")}
"""What tells that two links mean the same place: it is cited once."""


@given(memories(), memories(), st.booleans())
def test_a_merge_loses_nothing(known, new, counts):
    both = merged(known, new, counts=counts)
    assert both.confidence >= known.confidence - 1e-12
    assert both.evidence == known.evidence + counts
    assert both.priority in (known.priority, max(known.priority, new.priority))
    for name in ("tags", "patterns", "constraints"):
        assert set(getattr(both, name)) == set(getattr(known, name)) | set(getattr(new, name))
    for name, place in PLACES.items():
        links = getattr(both, name)
        assert {place(one) for one in links} == {
            place(one) for one in (*getattr(known, name), *getattr(new, name))
        }
        assert set(links) <= set(getattr(known, name)) | set(getattr(new, name))
        assert len({place(one) for one in links}) == len(links)
    assert set(both.metadata) == set(known.metadata) | set(new.metadata)
    assert (both.id, both.text, both.content, both.recorded_at) == (
        known.id,
        known.text,
        known.content,
        known.recorded_at,
    )


@given(texts)
def test_any_file_is_a_link_or_refused(text):
    try:
        link = file_link(text, Path("/nowhere"))
    except InvalidInputError:
        return
    assert link.path
    assert link.line_start is None or 1 <= link.line_start <= link.line_end


@given(paths, st.integers(1, 10**6), st.integers(0, 10**3))
def test_lines_of_a_file(path, first, more):
    for text, lines in (
        (path, (None, None)),
        (f"{path}:{first}", (first, first)),
        (f"{path}:{first}-{first + more}", (first, first + more)),
    ):
        link = file_link(f"src/{text}", Path("/nowhere"))
        assert (link.path.removeprefix("src/"), link.line_start, link.line_end) == (path, *lines)
    with pytest.raises(InvalidInputError):
        file_link(f"{path}:{first + more + 1}-{first}", Path("/nowhere"))


wishes = st.sampled_from(sorted(KINDS)).flatmap(
    lambda kind: st.fixed_dictionaries(
        {"kind": st.just(kind), "content": contents(kind).map(content_to_json)},
        optional={
            "tags": st.lists(said, max_size=2),
            "priority": st.integers(1, 10),
            "confidence": fractions,
            "domain": st.sampled_from(Domain),
            "files": st.lists(st.sampled_from(["a.py", "b.py:3", "c/d.py:1-9"]), max_size=2),
            "patterns": st.lists(st.sampled_from(["q", "a", "é"]), max_size=2),
            "source": st.fixed_dictionaries(
                {}, optional={"session": said, "turn": st.integers(0, 9), "quote": said}
            ),
            "status": st.sampled_from(Status),
            "metadata": st.dictionaries(said, said, max_size=2),
        },
    )
)


@given(st.lists(wishes, min_size=1, max_size=4), st.lists(st.tuples(st.integers(0, 3), said), max_size=4))
def test_an_export_taken_in_gives_the_same_export(fresh_cortex, new_clock, rows, edits):
    clock = new_clock()
    with fresh_cortex(clock) as cortex, tempfile.TemporaryDirectory() as folder:
        ids = list(dict.fromkeys(cortex.remember_many(rows).ids))
        for number, text in edits:
            clock.pass_(minutes=5)
            cortex.edit(ids[number % len(ids)], tags=[text])
        if len(ids) > 1:
            cortex.link(ids[0], ids[1], relation=RelationType.CAUSED, strength=0.5, evidence=["so it is"])
        file = str(Path(folder, "export.jsonl"))
        cortex.export(file)
        lines = Path(file).read_text(encoding="utf-8")
        with fresh_cortex(new_clock(clock.pass_(days=30))) as other:
            taken = other.import_("jsonl", file)
            assert (taken.added, taken.problems) == (len(ids), ())
            assert other.export().text == lines
            again = other.import_("jsonl", file)
            assert (again.added, again.unchanged, again.relations) == (0, len(ids), 0)
            assert other.export().text == lines
