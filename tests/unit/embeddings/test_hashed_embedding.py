import os
import subprocess
import sys

import numpy as np
import pytest

from recortex.embeddings.building import HashedEmbedder, features, stem


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("caching", "cached", "caches", "cache"), "cach"),
        (("running", "runs", "run"), "run"),
        (("migrations", "migration"), "migr"),
        (("retries",), "retr"),
        (("Priya's".lower(),), "priya"),
        (("go", "is", "as"), None),
    ],
)
def test_forms_of_a_word_share_a_stem(words, expected):
    assert {stem(word) for word in words} == ({expected} if expected else set(words))


def test_identifiers_give_themselves_and_their_parts():
    assert list(features("getUserName")) == ["getusernam", "get", "user", "nam"]
    assert list(features("parse_http_url2")) == ["parse_http_url2", "pars", "http", "url", "2"]
    assert list(features("数据库连接")) == ["数据", "据库", "库连", "连接"]
    assert list(features("Überprüfung")) == ["überprüfung"]


def test_related_texts_are_nearer_than_unrelated_ones():
    question, answer, other = HashedEmbedder().embed(
        [
            "how do we hash the user passwords?",
            "Hashing passwords: bcrypt, 12 rounds.",
            "The lake was lovely.",
        ]
    )
    assert question @ answer > 0.3 > abs(float(question @ other))


def test_vectors_are_the_same_in_every_process():
    program = (
        "from recortex.embeddings.building import HashedEmbedder as H; "
        "print(H().embed(['Retry the webhook after 429', 'x'])[0].tobytes().hex())"
    )
    here = HashedEmbedder().embed(["Retry the webhook after 429"])[0].tobytes().hex()
    environment = {**os.environ, "PYTHONHASHSEED": "12345"}
    there = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    )
    assert there.stdout.strip() == here


@pytest.mark.parametrize(
    "text", ["", "the and of", "!!!", "\ud800", "a" * 1_000_000, "a_" * 500_000, "'" * 1_000_000]
)
def test_hostile_texts_get_a_unit_vector(text):
    assert np.linalg.norm(HashedEmbedder().embed([text])[0]) == pytest.approx(1, abs=1e-5)
