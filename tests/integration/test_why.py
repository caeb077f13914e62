"""why: from a line to its commits, to the session that made them, to what was decided there."""

import sys
from datetime import UTC, datetime, timedelta

import pytest

from example_exchanges import exchange, keep
from recortex import Cortex
from recortex.domain.vocabulary import Actor, Scope
from recortex.errors import InvalidInputError, MemoryNotFoundError
from repositories import git

CACHE = """class Cache:
    def get(self, key):
        return self.items.get(key)

    def evict(self):
        while self.size > self.most:
            self.items.popitem(last=False)


def unrelated():
    return 1
"""


def commit(root, message):
    git(root, "add", ".")
    git(root, "commit", "-q", "-F", "-", message=message)
    return git(root, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path):
    root = tmp_path / "kiln"
    (root / "src").mkdir(parents=True)
    git(tmp_path, "init", "-q", "-b", "main", str(root))
    (root / "src/cache.py").write_text(CACHE.replace("self.size > self.most", "len(self.items) > 100"))
    commit(root, "A cache for firing curves")
    (root / "src/cache.py").write_text(CACHE)
    reason = "A curve has between 2 and 900 kB.\n\nReviewed-by: Bo <b@x.org>"
    commit(root, f"Evict by size, not by count\n\n{reason}")
    return root


@pytest.fixture
def kiln(repository, clock, monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    with Cortex.open(repository, clock=clock) as opened:
        yield opened


@pytest.fixture(name="told")
def _told(kiln, repository):
    """An incident that led to a decision, made in the session that made the commit."""
    head = git(repository, "rev-parse", "HEAD")
    said = exchange(1, commit=head[:8], message="The worker ran out of memory, evict by size please.")
    keep(kiln._app.services(Scope.PROJECT), said)
    outage = kiln.remember("The firing worker ran out of memory on curve 88.", kind="incident")
    chosen = kiln.remember(
        "The curve cache evicts by size.", kind="decision", files=["src/cache.py:5-7"],
        content={"rationale": "Curves differ in size by a factor of 450."},
    )  # fmt: skip
    kiln.link(outage.id, chosen.id, relation="caused", evidence=["The heap dump held 40,000 curves."])
    return outage, chosen, said


def every_sentence_has_evidence(answer, kiln):
    """Each line of the text that tells something names evidence, and each piece of evidence exists."""
    lines = [line for line in answer.text.splitlines() if line.startswith("- ")]
    assert len(lines) == len(answer.claims)
    for line, claim in zip(lines, answer.claims, strict=True):
        assert claim.evidence
        assert claim.text in line
        assert line.endswith("]")
        for one in claim.evidence:
            if one.kind == "memory":
                assert kiln.get(one.id).id == one.id
            assert one.id[:7] in line


def test_a_line_is_led_back_to_commits_session_decision_and_incident(kiln, told, repository):
    outage, chosen, said = told
    answer = kiln.why("src/cache.py:6")
    assert (answer.subject.symbol, answer.subject.path) == ("evict", "src/cache.py")
    assert [one.id for one in answer.answers] == [chosen.id]
    assert answer.answers[0].because == "it cites these lines"
    by_kind = [(one.kind, one.id) for claim in answer.claims for one in claim.evidence]
    assert ("memory", outage.id) in by_kind
    assert ("exchange", said.id) in by_kind
    assert ("commit", git(repository, "rev-parse", "HEAD")) in by_kind
    assert "ran out of memory, evict by size please" in answer.text
    assert "Its reason: “A curve has between 2 and 900 kB.”" in answer.text
    assert "Reviewed-by" not in answer.text
    assert "was caused by an incident" in answer.text
    assert "heap dump" in answer.text
    every_sentence_has_evidence(answer, kiln)


@pytest.mark.usefixtures("told")
def test_a_line_that_was_moved_and_is_not_committed_is_still_followed(kiln, repository):
    path = repository / "src/cache.py"
    path.write_text('"""Caches."""\nimport collections\n\n' + CACHE)
    answer = kiln.why("src/cache.py:9")
    assert "Evict by size, not by count" in answer.text
    new = kiln.why("src/cache.py:2")
    assert new.claims == ()
    assert new.text.splitlines()[0] == "# Why: src/cache.py:2 (not committed yet)"


@pytest.mark.parametrize("asked", ["evict", "Cache.evict()", "src/cache.py", "src/cache.py:5-7"])
def test_a_symbol_a_file_and_a_range_lead_to_the_same_decision(kiln, told, asked):
    answer = kiln.why(asked)
    assert answer.answers[0].id == told[1].id
    every_sentence_has_evidence(answer, kiln)


def test_a_memory_a_pattern_and_a_question_lead_to_the_same_chain(kiln, told):
    outage, chosen, _ = told
    kiln.link(chosen.id, pattern="cache-eviction")
    for asked in (chosen.id[:8], "cache-eviction", "why does the curve cache evict by size?"):
        answer = kiln.why(asked)
        assert answer.answers[0].id == chosen.id, asked
        assert outage.id in {one.id for claim in answer.claims for one in claim.evidence}
        every_sentence_has_evidence(answer, kiln)


@pytest.mark.parametrize("budget", [60, 80, 120, 200, 400])
@pytest.mark.parametrize("verbosity", ["summary", "detailed", "comprehensive"])
@pytest.mark.usefixtures("told")
def test_the_budget_is_never_exceeded(kiln, budget, verbosity):
    answer = kiln.why("src/cache.py:6", budget=budget, verbosity=verbosity)
    assert answer.tokens == kiln._app.count_tokens(answer.text) <= budget
    assert answer.claims


def test_sections_are_left_out_on_request(kiln, told):
    _, chosen, _ = told
    assert "decisions" in {one.section for one in kiln.why(chosen.id).claims}
    assert "decisions" not in {one.section for one in kiln.why(chosen.id, decisions=False).claims}


@pytest.mark.parametrize(
    "options", [{"depth": 11}, {"limit": 0}, {"budget": 10}, {"about": " "}, {"about": "x" * 5_000}]
)
def test_what_cannot_be_asked_is_refused(kiln, options):
    with pytest.raises(InvalidInputError):
        kiln.why(**{"about": "src/cache.py", **options})


def test_secrets_of_commit_messages_are_not_told(kiln, repository):
    key = "AKIA" + "Q3EGRZ7XJ5LLMN2P"
    (repository / "src/key.py").write_text("KEY = 1\n")
    commit(repository, f"Use the key {key} for the bucket")
    answer = kiln.why("src/key.py:1")
    assert answer.claims
    assert key not in answer.text


def test_explain_tells_where_a_memory_comes_from_and_what_became_of_it(kiln, told, repository):
    outage, chosen, said = told
    learned = kiln.remember(
        "Curves are evicted by size.", kind="tribal", files=["src/cache.py:5-7"],
        source={"session": said.session, "turn": said.first_turn, "speaker": "user"},
    )  # fmt: skip
    kiln.edit(learned.id, text="Curves are evicted by their size in kB.", reason="the unit was missing")
    (repository / "src/cache.py").write_text(CACHE.replace("popitem(last=False)", "clear()"))
    account = kiln.explain(learned.id)
    evidence = {(one.kind, one.id) for claim in account.claims for one in claim.evidence}
    sentences = " ".join(one.text for one in account.claims)
    assert ("exchange", said.id) in evidence
    assert "from what the person said in session s1: “The worker ran out of memory" in sentences
    assert "changed once since" in sentences
    assert "the unit was missing" in sentences
    assert "1 of 3 lines differ" in sentences
    assert all(one.evidence for one in account.claims)
    assert "was caused by an incident" in " ".join(one.text for one in kiln.explain(chosen.id).claims)
    assert "caused a decision" in " ".join(one.text for one in kiln.explain(outage.id).claims)


def test_a_session_that_edited_the_file_just_before_has_probably_made_the_commit(kiln, repository):
    at = datetime.fromtimestamp(int(git(repository, "log", "-1", "--format=%ct")), UTC)
    edited = {"commit": "", "files": (f"{repository}/src/cache.py",), "message": "Make it evict by size."}
    near = exchange(1, ended_at=at - timedelta(minutes=9), **edited)
    old = exchange(2, ended_at=at - timedelta(days=2), **edited)
    other = exchange(3, ended_at=at - timedelta(minutes=1), **(edited | {"files": ("src/other_cache.py",)}))
    keep(kiln._app.services(Scope.PROJECT), near, old, other)
    answer = kiln.why("src/cache.py:6")
    evidence = {one.id for claim in answer.claims for one in claim.evidence if one.kind == "exchange"}
    assert evidence == {near.id}
    assert "was probably made in a session" in answer.text


def test_a_record_is_found_by_any_part_of_its_file_and_told_by_its_memory(kiln, repository):
    folder = repository / "docs/adr"
    folder.mkdir(parents=True)
    (folder / "0001-queue.md").write_text(
        "# 1. One queue for each kiln\n\nDate: 2025-01-05\n\n## Status\n\nAccepted\n\n"
        "## Context\n\nKilns wait.\n\n"
        "## Decision\n\nEach kiln has a queue of its own.\n\n## Consequences\n\n"
        "Operators who swap thermocouples must drain the queue before they do it.\n"
    )
    (folder / "0002-glaze.md").write_text(
        "# 2. Glazes are numbered\n\nDate: 2025-02-05\n\n## Status\n\nSuperseded by ADR 1\n\n"
        "## Decision\n\nGlazes have numbers instead of names.\n"
    )
    kiln.import_("adr")
    answer = kiln.why("what must operators do before they swap thermocouples?")
    (first, *_) = answer.answers
    assert first.because == "its record answers the question"
    assert kiln.get(first.id).files[0].path == "docs/adr/0001-queue.md"
    recalled = kiln.recall("what must operators do before they swap thermocouples?")
    assert not recalled.documents
    assert kiln.recall("do glazes have numbers?", among="documents").documents
    assert "numbers instead of names" not in kiln.context("number the glazes").text
    assert "numbers instead of names" not in kiln.frame("number the glazes").text


RECORD = (
    "# 1. Kilns are numbered\n\nDate: 2025-01-05\n\n## Status\n\n{}\n\n"
    "## Decision\n\nEvery kiln has a number.\n"
)


def test_a_record_that_waits_for_review_or_was_put_away_is_not_told(kiln, repository, clock):
    (repository / "docs/adr").mkdir(parents=True)
    (repository / "docs/adr/0001-kilns.md").write_text(RECORD.format("Accepted"))
    asked = "does every kiln have a number?"
    with Cortex.open(repository, clock=clock, actor=Actor.AGENT) as agent:
        agent.import_("adr")
        assert agent.why(asked).answers == ()
        assert agent.why(asked).near == ()
    kiln.import_("adr")
    (told,) = kiln.why(asked).answers
    kiln.forget(told.id)
    assert kiln.why(asked).answers == ()


def test_a_record_that_says_it_ended_is_told_as_past(kiln, repository):
    (repository / "docs/adr").mkdir(parents=True)
    (repository / "docs/adr/0001-kilns.md").write_text(RECORD.format("Deprecated"))
    kiln.import_("adr")
    assert "It was so once" in kiln.why("does every kiln have a number?").text


PROBES = (
    "Stoneware came out dull, since type K drifts in heat.\n\n"
    "Electricians can change a probe of type S while the kiln is cold."
)
DECISIONS = {
    "0001-thermocouples": ("Thermocouples of type S", PROBES),
    "0002-names": ("Glazes have numbers", "Names of glazes were mixed up in orders by telephone."),
    "0003-shelves": ("Shelves of cordierite", "Silicon carbide was too dear for a small workshop."),
}  # fmt: skip


@pytest.fixture(name="recorded")
def _recorded(repository, clock):
    (repository / "docs/adr").mkdir(parents=True)
    for name, (title, context) in DECISIONS.items():
        text = f"# {title}\n\n## Status\n\nAccepted\n\n## Context\n\n{context}\n\n## Decision\n\n{title}.\n"
        (repository / f"docs/adr/{name}.md").write_text(text)
    with Cortex.open(repository, clock=clock) as opened:
        opened.import_("adr")
        yield opened


def test_only_the_record_that_answers_is_told_as_decided_with_its_words_and_others_as_near(recorded):
    answer = recorded.why("which electricians may change the probe in the kiln, and must it be cold?")
    (told,) = answer.answers
    decided, _, near = answer.text.partition("## Near")
    assert recorded.get(told.id).source.path == "docs/adr/0001-thermocouples.md"
    assert "Electricians can change a probe of type S while the kiln is cold." in decided
    assert told.because == "its record answers the question"
    assert "Glazes have numbers" not in decided
    assert "Glazes have numbers" in near
    assert {recorded.get(one.id).source.path for one in answer.near} == {
        "docs/adr/0002-names.md", "docs/adr/0003-shelves.md"
    }  # fmt: skip
    assert answer.tokens == recorded._app.count_tokens(answer.text)


def test_what_no_record_answers_is_told_as_unknown(recorded):
    answer = recorded.why("which payment provider charges credit cards in the web shop?")
    assert answer.answers == ()
    assert "Nothing known says why." in answer.text


TEXT = '''class Letter:
    @property
    def text(self):
        head = f"""
Dear {self.name},
""".strip()
        return head
'''


@pytest.fixture(name="letter")
def _letter(kiln, repository):
    """A method that a text without indentation cuts in two, and a memory about it; not committed."""
    (repository / "src/letter.py").write_text(TEXT)
    return kiln.remember("Letters begin with a greeting.", kind="decision", functions=["text"])


def about(kiln, asked):
    subject = kiln.why(asked).subject
    return subject.kind, subject.symbol, subject.path, subject.first


@pytest.mark.parametrize("kept", [False, True])
def test_a_definition_is_exact_with_the_extra_and_with_facts_needs_no_parser(kiln, letter, monkeypatch, kept):
    if kept:
        kiln.code("status")
        monkeypatch.setitem(sys.modules, "tree_sitter", None)
    assert about(kiln, "src/letter.py:7") == ("place", "text", "src/letter.py", 7)
    assert kiln.why("src/letter.py:7").answers[0].id == letter.id


@pytest.mark.usefixtures("letter")
def test_without_facts_and_extra_indentation_decides(kiln, monkeypatch):
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    assert about(kiln, "src/cache.py:6") == ("place", "evict", "src/cache.py", 6)
    assert about(kiln, "src/letter.py:3") == ("place", "text", "src/letter.py", 3)
    assert about(kiln, "src/letter.py:7")[1] == ""


@pytest.mark.usefixtures("letter")
def test_facts_know_symbols_that_git_does_not_and_follow_the_file_as_it_is(kiln, repository):
    assert about(kiln, "Letter.text")[0] == "question"
    kiln.code("status")
    assert about(kiln, "Letter.text") == ("symbol", "Letter.text", "src/letter.py", 2)
    (repository / "src/letter.py").write_text("\n\n" + TEXT)
    assert about(kiln, "Letter.text") == ("symbol", "Letter.text", "src/letter.py", 4)
    (repository / "src/letter.py").write_text("")
    assert about(kiln, "Letter.text")[0] == "question"
    assert about(kiln, "Cache.evict") == ("symbol", "Cache.evict", "src/cache.py", 5)


def test_an_unknown_id_is_an_error_and_no_question(kiln):
    with pytest.raises(MemoryNotFoundError):
        kiln.why("ffff0000")


def test_what_was_only_proposed_is_told_as_such(kiln):
    kiln.remember("Sign firing logs with the kiln's own key.", kind="decision", status="proposed")
    answer = kiln.why("do we sign the firing logs with a key of the kiln?")
    assert "Proposed, not decided" in answer.text
    assert answer.answers[0].status == "proposed"


def test_a_linked_working_tree_is_asked_of_its_own_lines(kiln, repository, tmp_path, clock):
    (repository / "later.txt").write_text("later\n")
    git(repository, "worktree", "add", "-q", "-b", "topic", str(tmp_path / "topic"))
    (tmp_path / "topic/src/cache.py").write_text('"""Caches."""\n\n' + CACHE)
    commit(tmp_path / "topic", "Say what the module is for")
    with Cortex.open(tmp_path / "topic", clock=clock) as there:
        assert "Say what the module is for" in there.why("src/cache.py:1").text
    assert "Say what the module is for" not in kiln.why("src/cache.py:1").text
