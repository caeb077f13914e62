"""Definitions of files of C and C++ as libclang has them; headers that are not there are passed over.

Only what stands in the branches of `#if` that hold here is seen.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from clang.cindex import CursorKind, Index, TranslationUnit  # type: ignore[import-not-found]

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FUNCTIONS = frozenset(
    [
        CursorKind.FUNCTION_DECL,
        CursorKind.CXX_METHOD,
        CursorKind.CONSTRUCTOR,
        CursorKind.DESTRUCTOR,
        CursorKind.FUNCTION_TEMPLATE,
        CursorKind.CONVERSION_FUNCTION,
    ]
)
TYPES = frozenset(
    [
        CursorKind.STRUCT_DECL,
        CursorKind.UNION_DECL,
        CursorKind.ENUM_DECL,
        CursorKind.CLASS_DECL,
        CursorKind.CLASS_TEMPLATE,
        CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
    ]
)


def arguments(clone: Path, paths: Sequence[str], language: str) -> list[str]:
    """Where headers may be: every folder that has some, and what lies above it."""
    folders = {"."}
    for path in paths:
        for above in Path(path).parents:
            folders.add(str(above))
    found = [f"-I{clone / one}" for one in sorted(folders)][:200]
    return [
        *found,
        "-x",
        "c++" if language == "cpp" else "c",
        "-std=c++20" if language == "cpp" else "-std=gnu11",
    ]


def read(clone: Path, path: str, given: list[str]) -> set[tuple[str, int]]:
    """Definitions by plain name and line."""
    unit = Index.create().parse(
        str(clone / path),
        args=[*given, "-ferror-limit=0"],
        options=TranslationUnit.PARSE_INCOMPLETE | 0x200,  # keep going
    )
    return set(_in(unit.cursor, str(clone / path)))


def _in(cursor: object, path: str) -> Iterator[tuple[str, int]]:
    for one in cursor.get_children():  # type: ignore[attr-defined]
        if one.location.file is None or one.location.file.name != path:
            continue
        if one.kind in FUNCTIONS | TYPES and one.is_definition() and one.spelling and "(" not in one.spelling:
            name = one.spelling.partition("<")[0] if "operator" not in one.spelling else one.spelling
            yield name.replace(" ", ""), one.location.line
        yield from _in(one, path)
