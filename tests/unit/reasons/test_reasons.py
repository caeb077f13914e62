"""Reasons: the definition around a line, causes, and pictures of them."""

import ast
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

import recortex
from recortex.domain.code import defined_at, enclosing, whole
from recortex.domain.memory import Relation
from recortex.domain.vocabulary import RelationStatus, RelationType
from recortex.engines.graph import DRAWN, Arrow, Picture, picture_of
from recortex.engines.graph import DrawnNode as Node
from recortex.errors import RecortexError

# -- Reasons: the definition around a line, and pictures of causes.


# -- The definition around a line: compared with Python's own parser, and by example in other languages.
OWN = Path(recortex.__file__).parent


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.full)])
def test_it_agrees_with_pythons_parser_on_this_package(step):
    right = asked = 0
    for path in sorted(OWN.rglob("*.py"))[::step]:
        text = path.read_text()
        lines = text.split("\n")
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        known = [one for one in ast.walk(ast.parse(text)) if isinstance(one, kinds)]
        for number in range(3, len(lines), 17):
            around = [one for one in known if one.lineno <= number <= one.end_lineno]
            if not lines[number - 1].strip() or not around:
                continue
            inner = max(around, key=lambda one: one.lineno)
            asked += 1
            found = enclosing(lines, number)
            constant = bool(found and found.name.isupper())
            right += constant or found == (inner.name, inner.lineno, inner.end_lineno)
    assert asked > 1_500 / step
    assert right / asked > 0.98


GO = """package cache

func (c *Cache) Evict(n int) error {
	for c.size > n {
		c.pop()
	}
	return nil
}
"""
TYPESCRIPT = """export class Cache {
  private size = 0;

  async evict(most: number): Promise<void> {
    while (this.size > most) {
      this.pop();
    }
  }
}

export const load = async (path: string) => {
  return read(path);
};
"""
JAVA = """public class Cache<K> {
    @Override
    public void evict(final int most) throws Full {
        pop();
    }
}
"""
RUST = """impl Cache {
    pub(crate) fn evict(&mut self, most: usize) -> Result<(), Full> {
        self.pop();
    }
}
"""


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        (GO, 5, ("Evict", 3, 8)), (GO, 1, None), (TYPESCRIPT, 6, ("evict", 4, 8)),
        (TYPESCRIPT, 2, ("Cache", 1, 9)), (TYPESCRIPT, 12, ("load", 11, 13)), (JAVA, 4, ("evict", 3, 5)),
        (RUST, 3, ("evict", 2, 4)),
    ],
)  # fmt: skip
def test_other_languages(text, line, found):
    assert enclosing(text.split("\n"), line) == found


@pytest.mark.parametrize(
    "line", ["if (x) {", "return f(x) {", "while (a) {", "x = 1", "", "call(a, b);", "# def a"]
)
def test_what_defines_nothing(line):
    assert defined_at(line) == ""
    assert whole([line], 1) is None


@pytest.mark.parametrize("number", [-1, 0, 5])
def test_a_line_that_is_not_there_lies_in_nothing(number):
    assert enclosing(["def a():", "    pass"], number) is None


# -- Pictures: what a label says stays a label, causes stand above effects, and each format can be read
# back.
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


# -- The golden sets of causes: memories, what caused what, what would not be without one, and why.
GOLDEN = sorted((Path(__file__).parents[2] / "golden" / "causal").glob("*.json"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_sets_of_causes(cortex, path):
    given = json.loads(path.read_text(encoding="utf-8"))
    kept = [cortex.remember(one).id for one in given["memories"]]
    for cause, effect in given["caused"]:
        cortex.link(kept[cause], kept[effect], relation="caused")
    if "refused" in given:
        cause, effect = given["refused"]
        with pytest.raises(RecortexError):
            cortex.link(kept[cause], kept[effect], relation="caused")
        return
    missing = cortex.counterfactual(kept[given["without"]]).missing
    assert sorted(kept.index(one.reached.memory.id) for one in missing) == given["missing"], given["why"]
