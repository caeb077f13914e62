"""What the import statements of each language bind."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from recortex.domain.code_facts import Import

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tree_sitter import Node

MOST_NAMES = 500
"""Of one statement."""
_RUST_ITEM = re.compile(r"\s*([^{},]*?)\s*(?:([{},])|$)")
_QUOTED = re.compile(r"""["'`]([^"'`\n]*)["'`]""")
_GO_VERSION = re.compile(r"/v\d+$")


def imports_of(node: Node, data: bytes, language: str) -> list[Import]:
    """The names that a statement takes from elsewhere.

    Args:
        node: the statement.
        data: the file.
        language: of its facts.
    """
    line = node.start_point[0] + 1
    names = islice(_READERS[language](node, data), MOST_NAMES)
    return [Import(module[:300], name[:200], alias[:200], line) for module, name, alias in names]


def _text(node: Node | None, data: bytes) -> str:
    # A node's own text goes back to the parser's reader: ten times slower.
    return "" if node is None else data[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _named(node: Node, *kinds: str) -> list[Node]:
    return [child for child in node.named_children if child.type in kinds]


def _last(path: str, separator: str) -> str:
    return path.rpartition(separator)[2]


def _python(node: Node, data: bytes) -> Iterator[tuple[str, str, str]]:
    source = node.child_by_field_name("module_name")
    module = "__future__" if node.type == "future_import_statement" else _text(source, data)
    if node.type == "import_statement":
        for one in node.children_by_field_name("name"):
            yield from _python_module(one, data)
        return
    if _named(node, "wildcard_import"):
        yield module, "*", ""
    for one in node.children_by_field_name("name"):
        if one.type == "aliased_import":
            yield (
                module,
                _text(one.child_by_field_name("name"), data),
                _text(one.child_by_field_name("alias"), data),
            )
        else:
            yield module, _text(one, data), _text(one, data)


def _python_module(one: Node, data: bytes) -> Iterator[tuple[str, str, str]]:
    if one.type == "aliased_import":
        yield _text(one.child_by_field_name("name"), data), "", _text(one.child_by_field_name("alias"), data)
    else:
        yield _text(one, data), "", _text(one, data).partition(".")[0]


def _ecma(node: Node, data: bytes) -> Iterator[tuple[str, str, str]]:
    if node.type == "variable_declarator":
        yield from _required(node, data)
        return
    module = _source(node, data)
    if module is None:
        return
    clauses = _named(node, "import_clause", "export_clause", "namespace_export", "import_require_clause")
    if not clauses:
        yield module, "*" if node.type == "export_statement" else "", ""
    for clause in clauses:
        yield from _clause(clause, module, data)


def _source(node: Node, data: bytes) -> str | None:
    found = node.child_by_field_name("source")
    if found is None:
        clauses = _named(node, "import_require_clause")
        found = clauses[0].child_by_field_name("source") if clauses else None
    return _text(found, data)[1:-1] if found is not None else None


def _clause(clause: Node, module: str, data: bytes) -> Iterator[tuple[str, str, str]]:
    if clause.type == "namespace_export":
        yield module, "", _text(clause.named_children[0], data) if clause.named_children else ""
        return
    parts = [clause] if clause.type == "export_clause" else clause.named_children
    for part in parts:
        if part.type == "identifier":
            whole = clause.type == "import_require_clause"
            yield module, "" if whole else "default", _text(part, data)
        elif part.type == "namespace_import":
            yield module, "", _text(part.named_children[0], data)
        elif part.type in {"named_imports", "export_clause"}:
            for one in _named(part, "import_specifier", "export_specifier"):
                name, alias = _text(one.child_by_field_name("name"), data), one.child_by_field_name("alias")
                yield module, name, _text(alias, data) or name


def _required(node: Node, data: bytes) -> Iterator[tuple[str, str, str]]:
    """`const x = require("m")`, `const { a, b: c } = await import("m")`."""
    quoted = _QUOTED.search(_text(node.child_by_field_name("value"), data))
    target = node.child_by_field_name("name")
    if quoted is None or target is None:
        return
    if target.type == "identifier":
        yield quoted[1], "", _text(target, data)
    for one in target.named_children:
        if one.type == "shorthand_property_identifier_pattern":
            yield quoted[1], _text(one, data), _text(one, data)
        elif one.type == "pair_pattern":
            yield (
                quoted[1],
                _text(one.child_by_field_name("key"), data),
                _text(one.child_by_field_name("value"), data),
            )


def _java(node: Node, data: bytes) -> Iterator[tuple[str, str, str]]:
    paths = _named(node, "scoped_identifier", "identifier")
    if not paths:
        return
    path = "".join(_text(paths[0], data).split())
    if _named(node, "asterisk"):
        yield path, "*", ""
    else:
        module, _, name = path.rpartition(".")
        yield module, name, name


def _csharp(node: Node, data: bytes) -> Iterator[tuple[str, str, str]]:
    alias = _text(node.child_by_field_name("name"), data)
    paths = [one for one in node.named_children if _text(one, data) != alias or not alias]
    if not paths:
        return
    path = "".join(_text(paths[-1], data).split())
    if alias:
        module, _, name = path.rpartition(".")
        yield module, name, alias
    else:
        yield path, "*", ""


def _php(node: Node, data: bytes) -> Iterator[tuple[str, str, str]]:
    if node.type != "namespace_use_declaration":
        quoted = _QUOTED.search(_text(node, data))
        if quoted:
            yield quoted[1], "*", ""
        return
    group = node.child_by_field_name("body")
    prefix = _text(_named(node, "namespace_name")[0], data) + "\\" if group is not None else ""
    for one in _named(group if group is not None else node, "namespace_use_clause"):
        names = [child for child in one.named_children if child.type in {"name", "qualified_name"}]
        if not names:
            continue
        alias = _text(one.child_by_field_name("alias"), data)
        module, _, name = (prefix + _text(names[0], data)).strip("\\").rpartition("\\")
        yield module.replace("\\", "."), name, alias or name


def _go(node: Node, data: bytes) -> Iterator[tuple[str, str, str]]:
    path = _text(node.child_by_field_name("path"), data)[1:-1]
    name = node.child_by_field_name("name")
    if name is None:
        yield path, "", _last(_GO_VERSION.sub("", path), "/").removeprefix("go-").partition(".")[0]
    elif name.type == "dot":
        yield path, "*", ""
    else:
        yield path, "", "" if name.type == "blank_identifier" else _text(name, data)


def _rust(node: Node, data: bytes) -> Iterator[tuple[str, str, str]]:
    if node.type == "mod_item":
        name = _text(node.child_by_field_name("name"), data)
        yield "self", name, name
        return
    if node.type == "extern_crate_declaration":
        name = _text(node.child_by_field_name("name"), data)
        yield name, "", _text(node.child_by_field_name("alias"), data) or name
        return
    yield from _rust_tree(_text(node.child_by_field_name("argument"), data))


def _rust_tree(text: str) -> Iterator[tuple[str, str, str]]:
    """`a::{b::{c, d as e}, self, f::*}`, read without recursion."""
    prefixes, prefix = [], ""
    for item, sign in _RUST_ITEM.findall(re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)):
        if sign == "{":
            prefixes.append(prefix)
            prefix += item
            continue
        if item:
            yield _rust_item(prefix, item)
        if sign == "}" and prefixes:
            prefix = prefixes.pop()


def _rust_item(prefix: str, item: str) -> tuple[str, str, str]:
    path, _, alias = (part.strip() for part in item.partition(" as "))
    whole = (prefix + path).removeprefix("::")
    if whole.endswith("::self"):
        whole = whole.removesuffix("::self")
        module, _, name = whole.rpartition("::")
        return module or whole, name if module else "", alias or name
    module, _, name = whole.rpartition("::")
    if name == "*":
        return module, "*", ""
    return (module, name, alias or name) if module else (name, "", alias or name)


def _c_family(node: Node, data: bytes) -> Iterator[tuple[str, str, str]]:
    if node.type == "preproc_include":
        path = _text(node.child_by_field_name("path"), data)
        yield path.strip('"') if path.startswith('"') else path, "*", ""
        return
    names = _named(node, "identifier", "qualified_identifier")
    if not names:
        return
    path = "".join(_text(names[0], data).split())
    if any(child.type == "namespace" for child in node.children):
        yield path, "*", ""
    else:
        module, _, name = path.rpartition("::")
        yield module, name, name


_READERS: dict[str, Callable[[Node, bytes], Iterator[tuple[str, str, str]]]] = {
    "python": _python,
    "javascript": _ecma,
    "typescript": _ecma,
    "java": _java,
    "csharp": _csharp,
    "php": _php,
    "go": _go,
    "rust": _rust,
    "c": _c_family,
    "cpp": _c_family,
}
