"""Vectors are made beside other work: with the same result, the same errors, and after a fork too."""

import os

import pytest

from recortex.embeddings.building import begun


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_makes_vectors_too():
    assert begun(lambda: 7)() == 7
    child = os.fork()
    if not child:
        os._exit(begun(lambda: 7)())
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert begun(lambda: 8)() == 8
