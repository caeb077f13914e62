"""The embedding model changes during use: answers go on, the new one takes over, no work is done twice."""

import os
import random
import subprocess
import sys
import time
from contextlib import closing, contextmanager

import apsw
import numpy as np
import pytest

from example_exchanges import exchange, keep
from recortex import Cortex
from recortex.app.jobs import reembedding
from recortex.app.jobs.reembedding import outlook
from recortex.domain.vocabulary import Scope
from recortex.embeddings.building import EmbedderChain, HashedEmbedder, Shape, ShapedEmbedder
from recortex.engines.ingestion import BATCH
from recortex.errors import EmbeddingError, TextRefusedError

pytestmark = pytest.mark.full

HASHED, SHORT, SHIPPED = "hashed-tfidf", "hashed-tfidf@64", "all-minilm-l6-v2.int8"
COUNT = 130


def short():
    """Another model: shorter vectors, under a name of its own."""
    return ShapedEmbedder(HashedEmbedder(), Shape(dimensions=64))


class Watched:
    """An embedder that notes what it is asked, and fails while it is told to."""

    def __init__(self, inner):
        self.inner, self.asked, self.down, self.left = inner, [], False, None

    @property
    def name(self):
        return self.inner.name

    @property
    def dimensions(self):
        return self.inner.dimensions

    def embed(self, texts, *, purpose="passage"):
        if self.down or self.left == 0:
            raise EmbeddingError("The provider is away.")
        if self.left is not None:
            self.left -= 1
        if purpose == "passage":
            self.asked += texts
        return self.inner.embed(texts, purpose=purpose)


@contextmanager
def opened(path, *embedders, **more):
    """A store whose vectors these embedders make, the preferred one first."""
    with Cortex.open(url=f"sqlite:///{path}/cortex.db", **more) as cortex:
        use(cortex, *embedders)
        yield cortex


def use(cortex, *embedders):
    chain = EmbedderChain(embedders)
    services = services_of(cortex)
    services.embedding._embedder = services.retrieval._embedder = chain
    services.exchange_embedding._embedder = chain
    return services


def services_of(cortex):
    return cortex._app.services(Scope.PROJECT)


def wishes(count=COUNT):
    return [{"text": f"The service number{place} listens on port {8000 + place}"} for place in range(count)]


@pytest.fixture
def hashed_store(tmp_path):
    """130 statements with the vectors of a former model."""
    with opened(tmp_path, HashedEmbedder()) as cortex:
        cortex.remember_many(wishes())
    return tmp_path


def asked(path, question):
    """The rows of a store that others may have open: it waits while they recover its log or put it away."""
    with closing(apsw.Connection(f"{path}/cortex.db")) as connection:
        connection.set_busy_timeout(60_000)
        return connection.execute(question).fetchall()


def by_model(path):
    """How many memories have a vector of each model."""
    return dict(
        asked(
            path,
            "SELECT o.name, count(*) FROM memories m JOIN embeddings e ON e.key = m.embedding_key"
            " JOIN embedding_models o ON o.key = e.model GROUP BY o.name",
        )
    )


def kept_vectors(path):
    return asked(path, "SELECT count(*) FROM embeddings")[0][0]


def test_a_dry_run_afresh_counts_what_would_be_made_again(hashed_store):
    with opened(hashed_store, HashedEmbedder()) as cortex:
        for times in range(3):  # a former state's vector is no memory's
            cortex.edit(cortex.list(limit=1).memories[0].id, text=f"Deploys wait for {times} approvals")
            cortex.backfill()
        before = kept_vectors(hashed_store)
        assert before > COUNT
        seen = cortex.reembed(afresh=True, dry_run=True)
        assert (seen.done, seen.left) == (0, COUNT)
        assert kept_vectors(hashed_store) == before
        assert cortex.reembed(afresh=True).done == COUNT


def test_without_vectors_nothing_is_done(cortex):
    cortex.remember("The queue is emptied at night")
    done = cortex.reembed()
    assert (done.model, done.done, done.left, done.stopped) == ("", 0, 1, reembedding.NOTHING)


def test_what_is_new_has_the_new_model_s_vector_at_once(hashed_store):
    with opened(hashed_store, short()) as cortex:
        kept = cortex.remember("Deploys happen on Tuesdays")
        assert services_of(cortex).store.vectors.codes_of([kept.id], SHORT)
        cortex.edit(kept.id, text="Deploys happen on Wednesdays")
        cortex.recall(
            "When do deploys happen?"
        )  # makes up for what has no vector, not for what has a former one
        assert by_model(hashed_store) == {HASHED: COUNT, SHORT: 1}
        assert services_of(cortex).store.vectors.codes_of([kept.id], SHORT)


def test_a_moment_s_failure_starts_nothing(hashed_store):
    """A stand-in answers questions by words alone, gives new memories a vector, and replaces none."""
    with opened(hashed_store, Watched(short())) as cortex:
        cortex.reembed()
        model = Watched(short())
        model.down = True
        services = use(cortex, model, HashedEmbedder())
        new = cortex.remember("Deploys happen on Tuesdays")
        assert services.store.vectors.codes_of([new.id], HASHED)
        done = cortex.reembed()
        assert (done.done, done.left) == (0, 1)
        assert "only its fallback" in done.stopped
        assert cortex.backfill().done == 0
        assert by_model(hashed_store) == {SHORT: COUNT, HASHED: 1}
        assert cortex.recall("Which port does number7 listen on?").hits[0].memory.text.endswith("8007")
        model.down = False
        assert cortex.reembed().done == 1
        assert by_model(hashed_store) == {SHORT: COUNT + 1}
        assert len(model.asked) == 1


def test_a_failure_keeps_what_is_done_and_is_not_tried_for_ever(hashed_store):
    model = Watched(short())
    model.left = 2
    with opened(hashed_store, model) as cortex:
        done = cortex.reembed()
        assert (done.done, done.left) == (2 * BATCH, COUNT - 2 * BATCH)
        assert "away" in done.stopped
        model.left = None
        assert cortex.reembed().left == 0
    assert len(model.asked) == COUNT


def test_going_back_half_way_makes_nothing_again(hashed_store):
    with opened(hashed_store, short()) as cortex:
        cortex.reembed(limit=80)
        former = Watched(HashedEmbedder())
        use(cortex, former)
        done = cortex.reembed()
        assert (done.done, done.left, former.asked) == (80, 0, [])
        assert by_model(hashed_store) == {HASHED: COUNT}
        assert kept_vectors(hashed_store) == COUNT
        assert services_of(cortex).store.vectors.reembedding(SHORT) is None


def test_another_model_behind_the_same_name_is_refused_and_can_be_made_afresh(hashed_store):
    class Changed(HashedEmbedder):
        dimensions = 64

        def embed(self, texts, *, purpose="passage"):
            rows = super().embed(texts, purpose=purpose)[:, :64]
            return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

    with opened(hashed_store, Changed()) as cortex:
        new = cortex.remember("Deploys happen on Tuesdays")  # kept, and found by its words
        assert cortex.recall("When do deploys happen?").hits[0].memory.id == new.id
        done = cortex.reembed()
        assert (done.done, done.left) == (0, 1)
        assert "64 dimensions" in done.stopped
        assert "reembed --afresh" in done.stopped
        done = cortex.reembed(afresh=True)
        assert (done.done, done.left) == (COUNT + 1, 0)
        assert services_of(cortex).store.vectors.dimensions(HASHED) == 64
        assert (
            cortex.recall("When do deploys happen?", recipe="semantic", floor=False).hits[0].memory.id
            == new.id
        )


def said(cortex, count):
    """Exchanges, each with three texts of its own."""
    keep(services_of(cortex), *(exchange(number) for number in range(count)))


def exchange_models(path):
    """How many exchanges have a vector of each model for what was answered."""
    return dict(
        asked(
            path,
            "SELECT o.name, count(*) FROM exchanges x JOIN embeddings e ON e.key = x.answered_key"
            " JOIN embedding_models o ON o.key = e.model GROUP BY o.name",
        )
    )


def test_exchanges_follow_the_memories_to_the_new_model(hashed_store):
    with opened(hashed_store, HashedEmbedder()) as cortex:
        said(cortex, 70)
        (store,) = cortex.status().stores
        assert (store.exchanges, store.exchanges_without_vectors) == (70, 70)
        assert cortex.backfill(dry_run=True).exchanges_left == 70
        done = cortex.backfill(limit=40)
        assert (done.done, done.exchanges, done.exchanges_left) == (0, 40, 30)
        assert cortex.backfill().exchanges_left == 0
    with opened(hashed_store, short(), HashedEmbedder()) as cortex:
        assert cortex.status().stores[0].exchanges_without_vectors == 70
        assert cortex.reembed(dry_run=True).exchanges_left == 70
        done = cortex.reembed(limit=COUNT + 10)
        assert (done.done, done.left, done.exchanges, done.exchanges_left) == (COUNT, 0, 10, 60)
        assert exchange_models(hashed_store) == {SHORT: 10}
        done = cortex.reembed()
        assert (done.done, done.exchanges, done.exchanges_left) == (0, 60, 0)
        assert exchange_models(hashed_store) == {SHORT: 70}
        cortex.gc(all=True)
        assert asked(hashed_store, "SELECT count(*) FROM embeddings WHERE key < 0") == [(140,)]
        assert cortex.reembed(afresh=True, dry_run=True).exchanges_left == 70
        assert cortex.reembed(afresh=True).exchanges == 70


def test_an_exchange_whose_text_is_refused_holds_up_no_other(hashed_store):
    class Squeamish(Watched):
        def embed(self, texts, *, purpose="passage"):
            if any("please 3" in text for text in texts):
                raise TextRefusedError("The provider refuses a text.")
            return super().embed(texts, purpose=purpose)

    with opened(hashed_store, HashedEmbedder()) as cortex:
        use(cortex, Squeamish(HashedEmbedder()))
        said(cortex, 60)
        done = cortex.reembed()
        refused = 11  # 3 and 30 to 39
        assert (done.exchanges, done.exchanges_left, done.stopped) == (60 - refused, refused, "")


class Seconds:
    """Time that goes by in pauses alone, in the place of the module `time`."""

    passed = 0.0

    def monotonic(self):
        return self.passed

    def sleep(self, seconds):
        self.passed += seconds


def test_one_run_behind_a_session_is_bounded_and_pauses(hashed_store, clock, monkeypatch):
    monkeypatch.setattr(reembedding, "time", seconds := Seconds())
    with opened(hashed_store, short()) as cortex:
        services = services_of(cortex)
        run = reembedding.reembed(services, now=clock, seconds=0.05, pause=0.06)
        assert (run.done, seconds.passed) == (2 * BATCH, 0.06)  # the first pause is over when the time is
        assert outlook(services).left == COUNT - run.done
        assert reembedding.reembed(services, now=clock, seconds=60, pause=0.001).done == COUNT - run.done


# The command line, whose model stands still after so many texts: no job ends before the test has killed it.
STANDING_STILL = """
import sys, threading
from recortex.__main__ import main
from recortex.embeddings.building import HashedEmbedder

left, embed = int(sys.argv.pop(1)), HashedEmbedder.embed

def embed_or_stand_still(self, texts, **purpose):
    global left
    if left < len(texts):
        threading.Event().wait()
    left -= len(texts)
    return embed(self, texts, **purpose)

HashedEmbedder.embed = embed_or_stand_still
main()
"""


def killed_reembedding(path, moment, texts):
    """Embed in a process of its own, kill it once `moment()`, and return whether it was still at work."""
    words = [str(texts), "reembed", "--url", f"sqlite:///{path}/cortex.db", "--json"]
    with subprocess.Popen(
        [sys.executable, "-c", STANDING_STILL, *words],
        env=os.environ | {"RECORTEX_EMBEDDER": "hashed"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as job:
        try:
            while job.poll() is None and not moment():
                time.sleep(0.002)
            return job.poll() is None
        finally:
            job.kill()


def test_a_kill_at_any_moment_resumes_where_it_stopped(tmp_path, monkeypatch):
    """No vector is made twice but those of one batch for each kill, and none is lost."""
    count, kills = 1_000, 6
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    url = f"sqlite:///{tmp_path}/cortex.db"
    with Cortex.open(url=url) as cortex:
        cortex.remember_many(wishes(count), link=False)
        use(cortex, short())
        cortex.reembed()
    chosen, before = random.Random(4), 0  # noqa: S311
    for _ in range(kills):
        until = before + chosen.randrange(20, 150)

        def reached(until=until):
            return by_model(tmp_path).get(HASHED, 0) >= until

        assert killed_reembedding(tmp_path, reached, 150)
        done = by_model(tmp_path).get(HASHED, 0)
        assert done >= before
        assert by_model(tmp_path) == {HASHED: done, SHORT: count - done}
        before = done
    assert 0 < before < count
    with Cortex.open(url=url) as cortex:
        model = Watched(HashedEmbedder())
        services = use(cortex, model)
        assert (
            services.store.vectors.reembedding(HASHED).done == before
        )  # counted in the transaction that kept them
        assert cortex.reembed().left == 0
        assert len(model.asked) == count - before
        assert services.store.vectors.agrees()
    assert by_model(tmp_path) == {HASHED: count}
    assert kept_vectors(tmp_path) == count
