"""Pictures: what a label says stays a label, causes stand above effects, and each format can be read back."""

import json
import re
from datetime import UTC, datetime
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.domain.memory import Relation
from recortex.domain.vocabulary import RelationStatus, RelationType
from recortex.engines.graph import DRAWN, Arrow, Picture, picture_of
from recortex.engines.graph import DrawnNode as Node

AT = datetime(2026, 3, 1, tzinfo=UTC)
HOSTILE = [
    '"]; click n1 "javascript:alert(1)"', "</text><script>alert(1)</script>", 'a" -> "b', "]]> & < > `x`",
    "%%{init: {}}%%", "\x00\x1b[31m\ud7ff", "n1 --> n2", "\\", "end\nsubgraph x", "\ufffe",
]  # fmt: skip
SVG = "{http://www.w3.org/2000/svg}"


def picture(labels):
    nodes = tuple(Node(str(place), "decision", label, place == 0) for place, label in enumerate(labels))
    arrows = tuple(Arrow(str(place), str(place + 1), label) for place, label in enumerate(labels[1:]))
    return Picture(nodes, arrows)


labels = st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=30)), min_size=1, max_size=8)


@given(labels)
def test_svg_is_read_back_by_a_parser(texts):
    made = picture(texts)
    tree = ET.fromstring(DRAWN["svg"](made))  # noqa: S314  of our own
    assert len(tree.findall(f"{SVG}g")) == len(made.nodes)
    assert {one.tag.removeprefix(SVG) for one in tree.iter()} <= {
        "svg", "title", "style", "defs", "marker", "path", "rect", "text", "g",
    }  # fmt: skip


@given(labels)
def test_mermaid_and_dot_keep_a_label_within_its_quotes(texts):
    made = picture(texts)
    node, arrow = r'    n\d+\["[^"\[\]<>{}|`]*"\]', r'    n\d+ -->\|"[^"\[\]<>{}|`]*"\| n\d+'
    for line in DRAWN["mermaid"](made).split("\n")[1:]:
        assert re.fullmatch(rf"{node}|{arrow}|    classDef asked stroke-width:3px;|    class n1 asked;", line)
    quoted = r'"(?:[^"\\]|\\.)*"'
    for line in DRAWN["dot"](made).split("\n")[3:-1]:
        assert re.fullmatch(rf"  {quoted}( -> {quoted})? \[label={quoted}(, penwidth=3)?\];", line)


def test_arrows_run_from_cause_to_effect(cortex):
    one, other = cortex.remember("A fell.", kind="incident"), cortex.remember("B was built.", kind="decision")
    relation = Relation(other.id, one.id, RelationType.TRIGGERED_BY, AT, status=RelationStatus.SUGGESTED)
    made = picture_of({one.id: one, other.id: other}, [relation, relation], [other.id])
    assert made.arrows == (Arrow(one.id, other.id, "triggered", unsure=True),)
    assert [node.main for node in made.nodes] == [False, True]
    assert "-.->" in DRAWN["mermaid"](made)
    assert "dashed" in DRAWN["dot"](made)


@pytest.mark.parametrize("form", ["mermaid", "dot", "svg"])
def test_nothing_can_be_drawn_too(form):
    assert DRAWN[form](Picture((), ()))
    json.dumps(DRAWN[form](Picture((), ())))
