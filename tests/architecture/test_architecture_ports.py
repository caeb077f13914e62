"""Ports are small interfaces.

Nothing but protocols, of at most twelve methods each, every one described by itself.
"""

import ast
from collections import Counter
from pathlib import Path

import recortex

PORTS = sorted((Path(recortex.__file__).parent / "ports").glob("*.py"))
MOST_METHODS = 12
PORT_CLASSES = [
    (path.stem, one)
    for path in PORTS
    for one in ast.parse(path.read_text(encoding="utf-8")).body
    if isinstance(one, ast.ClassDef)
]


def methods(one: ast.ClassDef) -> list[ast.FunctionDef]:
    """The methods and properties that a class declares itself."""
    return [part for part in one.body if isinstance(part, ast.FunctionDef)]


def test_a_port_has_at_most_twelve_methods_of_its_own():
    assert len(PORT_CLASSES) > 15
    large = {
        f"{module}.{one.name}": len(methods(one))
        for module, one in PORT_CLASSES
        if len(methods(one)) > MOST_METHODS
    }
    assert large == {}


def test_ports_declare_protocols_alone():
    others = [
        f"{module}.{one.name}"
        for module, one in PORT_CLASSES
        if not any(ast.unparse(base) == "Protocol" for base in one.bases)
    ]
    assert others == [], "values belong to domain"


def test_each_method_of_a_port_has_a_docstring_of_its_own():
    for module, one in PORT_CLASSES:
        texts = Counter(ast.get_docstring(method) for method in methods(one))
        assert None not in texts, f"{module}.{one.name}"
        assert [text for text, times in texts.items() if times > 1] == [], f"{module}.{one.name}"
