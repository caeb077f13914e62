"""Vectors are made beside other work: with the same result, the same errors, and after a fork too."""

import os
import threading

import pytest

from recortex.embeddings.building import EmbedderChain, HashedEmbedder, begun
from recortex.errors import EmbeddingError


class Failing(HashedEmbedder):
    name = "failing"

    def embed(self, texts, *, purpose="passage"):
        raise EmbeddingError(f"{len(texts)} {purpose}")


def test_what_is_begun_goes_on_while_nobody_waits():
    started, end = threading.Event(), threading.Event()

    def act():
        started.set()
        return end.wait(60)

    waited = begun(act)
    assert started.wait(60)
    end.set()
    assert waited() is True


def test_begun_vectors_are_those_that_are_waited_for_at_once():
    chain = EmbedderChain([HashedEmbedder()])
    made = chain.begin(["one text", "another"], purpose="query")()
    assert made.name == chain.active_name
    assert (made.vectors == chain.embed_named(["one text", "another"], purpose="query").vectors).all()


def test_a_failure_is_raised_to_who_waits():
    with pytest.raises(EmbeddingError, match="1 query"):
        EmbedderChain([Failing()]).begin(["text"], purpose="query")()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_makes_vectors_too():
    assert begun(lambda: 7)() == 7
    child = os.fork()
    if not child:
        os._exit(begun(lambda: 7)())
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert begun(lambda: 8)() == 8
