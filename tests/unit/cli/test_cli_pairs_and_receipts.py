"""What people see of duplicates, indexed code, receipts, the brief, a lifecycle pass and a walk."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from recortex.app.diagnosis import due
from recortex.cli.rendering import render
from recortex.code.operations import IndexedCode
from recortex.consolidation.operations import Consolidated, DuplicatePair
from recortex.domain.kinds import KINDS, Kind
from recortex.domain.memory import Memory
from recortex.domain.relation import Relation
from recortex.domain.search import Hit, Recall
from recortex.domain.session import Signal
from recortex.domain.vocabulary import RelationType, Scope, Status
from recortex.engines.sessions.usage import Efficiency
from recortex.operations.browsing import Reached, Traversal
from recortex.operations.context import Shown, Surface
from recortex.operations.indexing import Backfilled
from recortex.operations.inspecting import (
    BriefCache,
    Given,
    Inspection,
    ModelCosts,
    SessionFigures,
    SessionReceipts,
    StoreFigures,
)
from recortex.operations.maintenance import Lifecycle, StatusChange
from recortex.terminal import Terminal, clean

NOW = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


def memory(id_, text, kind="insight"):
    kind = Kind(kind)
    return Memory(
        id=id_, kind=kind, text=text, summary=text, content=KINDS[kind].from_text(text), recorded_at=NOW,
        updated_at=NOW, valid_from=NOW,
    )  # fmt: skip


A, B = memory("aaaaaaaa-1", "Squash the commits"), memory("bbbbbbbb-2", "Never squash the commits")
CODE = memory("cccccccc-3", "def f():\n\treturn 1\x1b[2J\n", "code")
PAIR = DuplicatePair(
    better=A, other=B, score=0.75, words=0.75, meaning=None, why="75% of the words are the same",
    contradiction="only one of them says «never»",
)  # fmt: skip
WORTH = Efficiency(memories=2, used=1, tokens_given=20, tokens_used=12, ratio=0.6, tokens_saved=8)
SESSION = SessionFigures(
    id="abcd-1", client="claude-code", branch="main", started_at=NOW, seen_at=NOW, ended_at=NOW,
    end_reason="", captured_at=None, efficiency=WORTH,
)  # fmt: skip
GIVEN = Given(
    memory=A.id, kind="insight", summary=A.text, channel="file", subject="a.py", context=0, at=NOW, score=0.5,
    tokens=12, used_as="quoted", used_at=NOW,
)  # fmt: skip
STORE = StoreFigures(
    scope="project", path="/p/cortex.db", memories=2, by_kind={"insight": 2}, by_status={"active": 2},
    relations=1, without_vector=1, consolidation=due(None, extractions=0, memories=2),
)  # fmt: skip
RECEIPTS = SessionReceipts(
    session=SESSION,
    given=(GIVEN, replace(GIVEN, kind="", summary="", used_as="", used_at=None)),
    signals=(Signal(session="abcd-1", at=NOW, name="written", subject="a.py"),),
    seen={"written": 1},
)

MEMORY = memory("0b5d3b1e-1111-4222-8333-444455556666", "Use bcrypt", "tribal")
OTHER = replace(MEMORY, id="77777777-1111-4222-8333-444455556666")
RELATION = Relation(MEMORY.id, OTHER.id, RelationType.SUPPORTS, NOW)
SHOWN = Shown(id=MEMORY.id, scope=Scope.PROJECT, rank=0.5, tokens=9)
CHANGE = StatusChange(
    id=MEMORY.id, scope=Scope.PROJECT, kind="tribal", status=Status.ARCHIVED, reason="confidence 0.10"
)
SAMPLES = [
    (Consolidated(action="list"), ["Nothing seems to be said twice."]),
    (
        Consolidated(action="list", pairs=(PAIR,), total=3, complete=False),
        ["0.75  75% of the words", "aaaaaaaa", "Never squash", "contradict", "«never»", "1 of 3 pairs",
         "too large"],
    ),
    (
        Consolidated(action="merge", merged=A, superseded=(replace(B, status=Status.SUPERSEDED),),
                     backup="/b.db"),
        ["Merged into:", "aaaaaaaa", "in place of:", "[superseded]", "/b.db"],
    ),
    (Consolidated(action="merge", merged=A, dry_run=True), ["Would become:"]),
    (IndexedCode(description=A, code=CODE, superseded=("x", "y"), redacted=1),
     ["2 memories superseded", "1 secret", "cccccccc"]),
    (IndexedCode(description=A, code=CODE, changed=False), ["Known already"]),
    (Backfilled(done=3, left=1, embedder="mini", seconds=0.51), ["3 vectors made by mini in 0.5 s; 1 left."]),
    (Backfilled(done=0, left=1, dry_run=True), ["1 memory without a vector."]),
    (Recall(query="q", recipe="hybrid", hits=(Hit(memory=A, score=0.5, code=(CODE,)),)),
     ["cccccccc  code", "      def f():\n          return 1"]),
    (
        Inspection(
            stores=(STORE,), briefs=BriefCache(files=2, stale=1, newest_at=NOW), sessions=(SESSION,),
            captures={"last": {"sessions": 1}}, model=ModelCosts(calls=2, tokens=900, usd=0.002, failed=1),
            notices=("Consolidation is due",),
        ),
        ["project  /p/cortex.db", "2 memories (2 active)", "1 without a vector", "2 kept, 1 out of date",
         "sessions 1",
         "2 calls, 900 tokens, $0.0020, 1 failed", "abcd-1",
         "1 of 2 memories used, 12 of 20 tokens (60%), 8 tokens not", "! Consolidation"],
    ),
    (Inspection(), ["not called today"]),
    (Inspection(receipts=RECEIPTS),
     ["09:30:00  file a.py  0.50  12 tokens  used: quoted", "not used", "(gone)", "seen: 1 written"]),
    (Surface(text="", tokens=0, generated_at=NOW), ["Nothing is known"]),
    (
        Surface(text="a\n- b\x1b[2J", tokens=9, memories=(SHOWN,), generated_at=NOW, cached=True),
        ["a\n- b\n\n1 memory, 9 tokens, from the cache"],
    ),
    (Traversal(memory=MEMORY), ["no relations"]),
    (
        Traversal(memory=MEMORY, reached=(Reached(memory=OTHER, depth=1, path=(RELATION,)),), more=True),
        ["  supports  77777777", "greater --limit"],
    ),
    (
        Traversal(memory=OTHER, reached=(Reached(memory=MEMORY, depth=2, path=(RELATION, RELATION)),)),
        ["    is supported by  0b5d3b1e"],
    ),
    (
        Lifecycle(now=NOW, considered=30, archived=25, changes=(CHANGE,) * 25),
        [
            "25 archived, 0 pruned, of 30 memories",
            "archived:\n  0b5d3b1e  tribal: confidence 0.10",
            "and 5 more",
        ],
    ),
    (Lifecycle(now=NOW, dry_run=True), ["0 would be archived, 0 would be pruned"]),
]  # fmt: skip


@pytest.mark.parametrize(("value", "said"), SAMPLES, ids=lambda value: type(value).__name__)
def test_an_answer_says(value, said):
    text = render(value, Terminal(140))
    for words in said:
        assert words in text
    assert "\x1b" not in text
    assert clean(render(value, Terminal(140, colour=True))) == text
