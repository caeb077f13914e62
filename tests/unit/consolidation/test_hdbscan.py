"""HDBSCAN as it is published, and as scikit-learn does it."""

import json
import subprocess
import sys
import venv
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.consolidation.clustering import NOISE, hdbscan

ORACLE = """
import json, sys
import numpy as np
from sklearn.cluster import HDBSCAN
from sklearn.metrics import adjusted_rand_score
matrix, ours = np.load(sys.argv[1]), json.loads(sys.argv[2])
theirs = HDBSCAN(min_cluster_size=2, metric="precomputed", copy=True).fit(matrix.astype(np.float64)).labels_
print(adjusted_rand_score(theirs, ours), (theirs == -1).sum(), ours.count(-1))
"""


def matrix_of(points):
    found = 1.0 - points @ points.T
    found = np.clip((found + found.T) / 2, 0.0, None).astype(np.float32)
    np.fill_diagonal(found, 0.0)
    return found


def drawn(size):
    """Four fifths of the points lie around one of some centres, the others anywhere."""
    random = np.random.default_rng(size)
    centres, near = random.normal(size=(size // 8, 64)), size * 4 // 5
    points = np.concatenate(
        [
            centres[random.integers(len(centres), size=near)] + 0.25 * random.normal(size=(near, 64)),
            random.normal(size=(size - near, 64)),
        ]
    ).astype(np.float32)
    return points / np.linalg.norm(points, axis=1, keepdims=True)


@given(st.randoms(use_true_random=False))
def test_the_order_of_the_points_does_not_matter(random):
    matrix, order = matrix_of(drawn(40)), list(range(40))
    random.shuffle(order)
    plain, mixed = hdbscan(matrix), hdbscan(matrix[np.ix_(order, order)])
    back = dict(zip(order, mixed, strict=True))
    for a, b in combinations(range(40), 2):
        assert (plain[a] == plain[b] != NOISE) == (back[a] == back[b] != NOISE)


@pytest.mark.full
def test_clusters_are_those_of_scikit_learn(tmp_path):
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "scikit-learn==1.9.1"], check=True)
    for size in (500, 2_000, 5_000):
        matrix = matrix_of(drawn(size))
        np.save(tmp_path / "matrix.npy", matrix)
        ours = json.dumps(hdbscan(matrix))
        told = subprocess.check_output(
            [python, "-c", ORACLE, tmp_path / "matrix.npy", ours], text=True
        ).split()
        assert told[0] == "1.0"
        assert told[1] == told[2]
