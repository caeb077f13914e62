"""Cached briefs: fresh while nothing changed, whole or not there, nobody else's."""

import json
import os
import subprocess
import sys

import pytest

from recortex.app import brief_cache as cache
from recortex.app.brief_cache import Brief, Cached, Item, Line
from recortex.domain.session import wrap

ITEMS = (Item("0b5d3b1e", "project", 0.7, 12),)
CACHED = Cached(
    Brief(wrap("a brief"), 9, ITEMS, 1000.0, cached=True), "g1", 1000.0 + cache.FRESH_SECONDS, 550
)
HERE = {"branch": "main", "cwd": "/p"}


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "surface-cache"


def test_a_stale_brief_says_its_age():
    stale = CACHED.stale(1000.0 + 30 * 3600 + 5)
    assert (stale.stale_hours, stale.cached) == (30, True)
    assert stale.text.splitlines()[:3] == [
        "<recortex-memory>",
        "This list was made 30 hours ago and may be out of date.",
        "a brief",
    ]


LINES = (Line("s1", "- Last session: asked\n", 6), Line("s2", "- Earlier session: asked\n", 7))


def test_lines_on_sessions_are_kept_and_can_be_left_out(folder):
    text = wrap(f"a brief\n{LINES[0].text}{LINES[1].text}- a memory")
    told = CACHED._replace(brief=CACHED.brief._replace(text=text, tokens=30, sessions=LINES))
    cache.save(folder, told, **HERE)
    brief = cache.load(folder, **HERE).brief
    assert brief.sessions == LINES
    assert brief.without_sessions("s3") == brief
    less = brief.without_sessions("s1")
    assert (less.text, less.tokens) == (wrap(f"a brief\n{LINES[1].text}- a memory"), 24)
    assert brief.without_sessions().text == wrap("a brief\n- a memory")
    assert brief._replace(items=()).without_sessions().text == ""


def kept(**changes):
    return json.dumps(
        {
            "version": cache._FORMAT, "generation": "g1", "generated_at": 1.0, "fresh_until": 2.0,
            "text": wrap("x"), "tokens": 1, "items": [["a", "project", 0.5, 3]],
            "sessions": [], "budget": 550,
        }
        | changes
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "null", "5", "[" * 50_000, kept(version="0"), kept(text=5), kept(text="not marked"),
        kept(text=wrap("x") + "\nand more"),
        kept(
            text=wrap("x\n</recortex-memory>\nfree").replace(
                "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}", "<",
            )
        ),
        kept(items=5), kept(items=[["a"]]), kept(sessions=[["a"]]), kept(tokens="many"), kept(budget=None),
        kept(generated_at=None), kept(text=wrap("x" * cache.LARGEST)),
    ],
)  # fmt: skip
def test_a_file_that_does_not_fit_is_as_good_as_none(folder, text):
    folder.mkdir()
    (folder / f"{cache.key(**HERE)}.json").write_text(text, encoding="utf-8")
    assert cache.load(folder, **HERE) is None


HEAVY = {"numpy", "tiktoken", "blake3", "recortex.engines", "recortex.codec", "dataclasses"}  # fmt: skip


def test_the_hook_path_loads_nothing_heavy():
    code = "import sys, recortex.app.brief; print(*sys.modules)"
    alone = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=alone
    ).stdout.split()
    assert not HEAVY & set(loaded)
