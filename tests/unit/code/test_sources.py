"""Which files are tests, and which stand aside of the product."""

import pytest

from recortex.engines.code.project import is_test, product


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("tests/test_a.py", True),
        ("a/foo_test.go", True),
        ("src/a.spec.ts", True),
        ("src/__tests__/a.js", True),
        ("src/test/java/com/example/ATest.java", True),
        ("App.UnitTests/A.cs", True),
        ("spec/models/a.php", True),
        ("src/latest/a.py", False),
        ("src/contest.py", False),
        ("src/main/java/org/test/a/A.java", False),
        ("src/testing_tools_list.ts", False),
    ],
)
def test_tests_are_known_by_their_paths(path, test):
    assert is_test(path) == test


def test_examples_and_documentation_are_no_product_unless_there_is_nothing_else():
    assert product(["src/a.py", "examples/b.py", "docs/conf.py", ".github/c.py"]) == {"src/a.py"}
    assert product(["examples/b.py", "tests/test_b.py"]) == {"examples/b.py"}
    assert product(["server/src/main/java/com/example/polls/A.java"]) != set()
    both = ["server/src/main/java/com/example/polls/A.java", "src/b.js"]
    assert product(both) == set(both)
