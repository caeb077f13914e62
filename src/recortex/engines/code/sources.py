"""A project as detection and analyses see it: which files are tests, or stand aside of the product."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.code.project import MANIFEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from recortex.domain.code_facts import FileFacts, Symbol
    from recortex.domain.code_patterns import Manifest

_TEST_FOLDER = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?|testing|testdata|test[-_]\w+|e2e|cypress|__mocks__|conftest"
    r"|[\w.]*\.?(?:Unit|Integration|Functional|Acceptance|End2End)?Tests?)/"
)
_TEST_FILE = re.compile(
    r"(?:^|/)(?:test_[^/]+\.(?:py|c|cc|cpp)|tests?\.(?:py|rs)|conftest\.py"
    r"|[^/]+_(?:test|tests|unittest|spec)\.\w+"
    r"|[^/]+[.-](?:test|spec|e2e-spec|cy)\.\w+|[^/]*(?:Test|Tests|IT|TestCase|Specs?)\.(?:java|cs|php|cpp))$"
)
_PACKAGES = re.compile(r"(?<=src/main/)|(?<=/)(?=(?:com|org|net|io)/[^/]+/)")
_ASIDE = re.compile(
    r"(?:^|/)(?:examples?|samples?|docs?|docs_src|documentation|website|benchmarks?|bench|fixtures?|stories|"
    r"templates?|"
    r"\.storybook|playground|demos?|third_party|vendor|external)/",
    re.IGNORECASE,
)


class Member(NamedTuple):
    """A symbol in its file.

    Attributes:
        path: of the file.
        facts: of the file.
        at: the index of the symbol in them.
    """

    path: str
    facts: FileFacts
    at: int

    @property
    def symbol(self) -> Symbol:
        """The symbol itself."""
        return self.facts.symbols[self.at]


class Sources(NamedTuple):
    """What is known of a project.

    Attributes:
        files: facts of its files by path; those of manifests are only looked at to find modules.
        manifests: those that were read.
        paths: of all its files, also those that are no code.
    """

    files: Mapping[str, FileFacts]
    manifests: Sequence[Manifest] = ()
    paths: Sequence[str] = ()

    @property
    def code(self) -> dict[str, FileFacts]:
        """The files of code that were read."""
        return {
            path: facts
            for path, facts in self.files.items()
            if not facts.skipped and facts.language != MANIFEST
        }


@lru_cache(maxsize=65_536)
def is_test(path: str) -> bool:
    """Whether a file is a test, or helps tests, by its path."""
    return _TEST_FILE.search(path) is not None or _TEST_FOLDER.search(_above_packages(path)) is not None


def product(paths: Iterable[str]) -> set[str]:
    """The files that are neither tests nor examples, documentation or other people's.

    A repository that is nothing but examples is a product itself: there only tests are left out.
    """
    plain = [path for path in paths if not is_test(path) and not path.startswith(".")]
    return {path for path in plain if not _ASIDE.search(_above_packages(path))} or set(plain)


def _above_packages(path: str) -> str:
    """A path without folders that are packages of Java: `com.example` is where many projects begin."""
    return _PACKAGES.split(path, maxsplit=1)[0] if path.endswith(".java") else path
