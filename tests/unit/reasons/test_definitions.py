"""The definition around a line: compared with Python's own parser, and by example in other languages."""

import ast
from pathlib import Path

import pytest

import recortex
from recortex.domain.code import defined_at, enclosing, whole

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
        (GO, 5, ("Evict", 3, 8)),
        (GO, 1, None),
        (TYPESCRIPT, 6, ("evict", 4, 8)),
        (TYPESCRIPT, 2, ("Cache", 1, 9)),
        (TYPESCRIPT, 12, ("load", 11, 13)),
        (JAVA, 4, ("evict", 3, 5)),
        (RUST, 3, ("evict", 2, 4)),
    ],
)
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
