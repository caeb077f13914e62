"""Which file names what another file defines: names times references, where imports decide who is meant."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.code.naming import Names
from recortex.engines.code.project import TYPES, family_of
from recortex.engines.code.resolution import common_methods
from recortex.engines.code.scopes import parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.domain.code_facts import FileFacts
    from recortex.engines.code.project import Project

MOST_DEFINERS = 20
"""A name that more files define says nothing of any of them."""
_NAMED = TYPES | {"function", "method", "macro", "constant", "property"}


class Reference(NamedTuple):
    """A file names something that another defines.

    Attributes:
        times: how often.
        definers: how many files define the name.
    """

    source: str
    target: str
    name: str
    times: int
    definers: int


def references(project: Project) -> list[Reference]:
    """All references from one file of a project to another."""
    definers: dict[tuple[str, str], set[str]] = defaultdict(set)
    for path, facts in project.files.items():
        for one in facts.symbols:
            if one.kind in _NAMED:
                definers[family_of(facts), one.plain].add(path)
    names = Names(project)
    return [
        reference
        for path, facts in project.files.items()
        for reference in _of_file(path, facts, names, definers)
    ]


def _of_file(
    path: str, facts: FileFacts, names: Names, definers: dict[tuple[str, str], set[str]]
) -> Iterator[Reference]:
    family = family_of(facts)
    bound = _imports(path, facts, names)
    common = common_methods(family)
    for name, times in _named_in(facts).items():
        known = definers.get((family, name), set())
        if name in bound:
            for target in bound[name]:
                yield Reference(path, target, name, times, max(1, len(known)))
        elif path not in known and name not in common and len(known) <= MOST_DEFINERS:
            for target in known:
                yield Reference(path, target, name, times, len(known))


def _imports(path: str, facts: FileFacts, names: Names) -> dict[str, set[str]]:
    """The files that the names come from which a file imports; none for those of libraries."""
    bound: dict[str, set[str]] = defaultdict(set)
    for one in facts.imports:
        place = names.place(path, one.module)
        if not one.name or one.name == "*" or (place.outside and family_of(facts) == "c"):
            continue
        found = {
            address.path for file in place.paths for address in names.exported(file, one.name, one.module)
        }
        for name in {one.name, one.alias} - {""}:
            bound[name] |= found - {path}
    return bound


def _named_in(facts: FileFacts) -> Counter[str]:
    found = Counter(call.name.removesuffix("!") for call in facts.calls)
    found.update(one.name for one in facts.imports if one.name not in {"", "*"})
    found.update(parts_of(base)[-1] for one in facts.symbols for base in one.bases if parts_of(base))
    found.update(parts_of(one.type)[-1] for one in facts.bindings if parts_of(one.type))
    return found
