"""The project's code as it is, and what became of the symbols that memories hang on.

Without the extra `code`, or before the code was read once, there are no facts and nothing happens here.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from recortex.app.naming import holds_secret

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from recortex.app.store_services import StoreServices
    from recortex.codebase.syntax.current_code import CurrentCode
    from recortex.domain.citation import Citation, Reach
    from recortex.domain.memory import Memory, SymbolLink
    from recortex.engines.code.freshness import Found

GRAMMARS = "tree_sitter"


def can_parse() -> bool:
    """Whether the extra `code` is installed."""
    from importlib.util import find_spec

    return find_spec(GRAMMARS) is not None


def open_code(
    facts: Path | None, tree: Path, *, parse: bool = True, make: bool = False
) -> CurrentCode | None:
    """The code of a working tree; None where it was never read, or its facts cannot be opened.

    Args:
        facts: the file of the project's facts.
        tree: the top folder.
        parse: whether what changed is read; otherwise it is not known.
        make: also where the code was never read.
    """
    import apsw

    from recortex.codebase.syntax.current_code import CurrentCode
    from recortex.errors import UntrustedFileError

    if facts is None or not (make or facts.is_file()):
        return None
    try:
        return CurrentCode(tree, facts, parse=parse, hidden=holds_secret)
    except (OSError, UntrustedFileError, apsw.Error):
        return None


class Judged(NamedTuple):
    """What became of a symbol, the symbol as it is, and the key of its file; None where nothing changed."""

    citation: Citation
    found: Found | None = None
    key: bytes = b""


def judge(
    services: StoreServices,
    links: Mapping[str, Sequence[SymbolLink]],
    tree: Path,
    reach: Reach = "file",
    *,
    parse: bool = True,
) -> dict[str, list[Citation]]:
    """What became of the symbols that memories hang on; of what cannot be compared there is nothing.

    Args:
        services: of the store that they are in.
        links: of each memory, by its id.
        tree: the working tree that is asked about.
        reach: `file`: in its file alone; else also in other files, `tree`: after what changed was read.
        parse: as for `open_code`.
    """
    code = open_code(services.facts, tree, parse=parse) if any(links.values()) else None
    if code is None:
        return {}
    with closing(code):
        judged = _Judge(code, reach)
        found = {id_: [judged.of(one) for one in own] for id_, own in links.items()}
    return {id_: [one.citation for one in own if one] for id_, own in found.items()}


def heal(services: StoreServices, memories: Sequence[Memory], *, renew: bool = False) -> int:
    """Keep where the symbols of memories are now; returns how many memories' links followed their code.

    Args:
        services: of the store that they are in.
        memories: whose symbols are looked for.
        renew: keep what was edited as it reads now, and let go what is gone: a person read it and agreed.
    """
    links = services.store.symbols.of([one.id for one in memories])
    code = open_code(services.facts, services.root) if links else None
    if code is None:
        return 0
    followed: list[tuple[Memory, list[SymbolLink]]] = []
    with closing(code):
        judged = _Judge(code, "tree")
        for memory in memories:
            own = [one for one in links.get(memory.id, ()) if one.role == "about"]
            now = [link for one in own if (link := _as_now(one, judged.of(one), renew=renew))]
            if now != own:
                followed.append((memory, now))
    with services.store.transaction():
        for memory, now in followed:
            services.store.symbols.put(memory, now)
    return len(followed)


def _as_now(link: SymbolLink, judged: Judged | None, *, renew: bool) -> SymbolLink | None:
    """A link as it is to be kept; None: not any more."""
    if judged is None or judged.found is None:
        return None if renew and judged and judged.citation.state == "gone" else link
    from recortex.engines.code.freshness import followed

    return followed(link, judged.found, judged.key, renew=renew)


class _Judge:
    """Judges links, each once."""

    def __init__(self, code: CurrentCode, reach: Reach) -> None:
        self._code, self._reach, self._refreshed = code, reach, False
        self._known: dict[SymbolLink, Judged | None] = {}

    def of(self, link: SymbolLink) -> Judged | None:
        if link not in self._known:
            self._known[link] = self._judged(link)
        return self._known[link]

    def _judged(self, link: SymbolLink) -> Judged | None:
        from recortex.engines.code.freshness import judged, unchanged

        if link.key and self._code.key(link.path) == link.key:
            return Judged(unchanged(link))
        now = self._code.of(link.path)
        if now is not None and now.facts is None:
            return None
        facts = now.facts if now else None
        citation, found = judged(link, facts, self._elsewhere, self._code.before(link.key))
        if found is None:
            return None if self._reach == "file" else Judged(citation)
        there = self._code.of(found.path)
        return Judged(citation, found, there.key if there else b"")

    def _elsewhere(self, link: SymbolLink) -> Iterator[Found]:
        from recortex.engines.code.freshness import Found

        if self._reach == "file":
            return
        if self._reach == "tree" and not self._refreshed:
            self._code.refresh()
            self._refreshed = True
        for one in (*self._code.alike(link.hash), *self._code.defining(link.plain)):
            yield Found(*one)
