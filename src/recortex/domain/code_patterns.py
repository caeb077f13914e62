"""What a project is built with and how it is written: manifests, detected libraries, conventions, findings.

All are values that follow from facts (`domain/code_facts.py`) and from manifests; nothing here is stored.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Certainty = Literal["certain", "likely", "possible"]
"""`certain`: what is said stands in the text. `likely`: it follows by a rule that seldom fails. `possible`: a
reader should look."""


class Place(NamedTuple):
    """Where something stands.

    Attributes:
        path: of the file, from the project's root, with slashes.
        line: from 1; 0: the whole file.
        name: of the symbol or the text there; may be empty.
    """

    path: str
    line: int
    name: str = ""


class Dependency(NamedTuple):
    """A library that a manifest names.

    Attributes:
        name: as its registry has it: `@nestjs/core`, `org.hibernate:hibernate-core`.
        version: as written; empty: none is.
        line: of the manifest, from 1.
        indirect: whether it is only needed by another library.
    """

    name: str
    version: str
    line: int
    indirect: bool = False


class Manifest(NamedTuple):
    """A file that says which libraries a project uses.

    Attributes:
        path: from the project's root, with slashes.
        ecosystem: npm, pypi, go, cargo, maven, nuget, composer or cpp.
        dependencies: in the order of the file.
        problem: why it could not be read, or not whole; empty: it was.
    """

    path: str
    ecosystem: str
    dependencies: tuple[Dependency, ...] = ()
    problem: str = ""


class Route(NamedTuple):
    """An address that a project answers.

    Attributes:
        method: GET, POST …; ANY where none is said.
        address: as written, with what the class around it says before it.
        place: where it is declared; the name is the handler's, where facts have it.
    """

    method: str
    address: str
    place: Place


class Table(NamedTuple):
    """A table, collection or model of a database.

    Attributes:
        name: as written.
        place: where it is named; the name is the symbol's around it.
    """

    name: str
    place: Place


class Detected(NamedTuple):
    """A library or practice that a project uses: its manifest says so, and so does its code.

    Attributes:
        name: of the framework, ORM or practice.
        kind: framework, orm or practice.
        category: of a practice, one of fifteen (`api`, `auth` …); otherwise the kind.
        version: as the manifest has it; may be empty.
        manifest: the line that names it; None: it needs none, as of a standard library.
        imports: how many files outside of tests import it.
        uses: how many calls, marks, base classes or files of its own form there are.
        routes, tables: what those say.
    """

    name: str
    kind: str
    category: str
    version: str
    manifest: Place | None
    imports: int
    uses: int
    routes: tuple[Route, ...] = ()
    tables: tuple[Table, ...] = ()


class Convention(NamedTuple):
    """A property that nearly all members of a population share.

    Attributes:
        population: what was counted: `handlers in src/api`.
        trait: what was looked at: `return`, `mark`, `suffix` …
        value: what they share.
        statement: an English sentence with the numbers and the exceptions.
        support: how many have it, at least five.
        total: how many were counted.
        exceptions: those that do not.
        information: bits, above all how much more often it is found here than elsewhere; for ranking.
        certainty: `certain` where nothing had to be guessed about who belongs to the population.
        id: the same in every run, whatever the numbers are; memories are linked to it.
        name: the statement without numbers: `FastAPI handlers return `Result``.
        language: of the facts.
        values: what they share, one by one.
    """

    population: str
    trait: str
    value: str
    statement: str
    support: int
    total: int
    exceptions: tuple[Place, ...] = ()
    information: float = 0.0
    certainty: Certainty = "certain"
    id: str = ""
    name: str = ""
    language: str = ""
    values: tuple[str, ...] = ()

    @property
    def agreement(self) -> float:
        """The share that has it, 0 to 1."""
        return self.support / self.total


class Finding(NamedTuple):
    """What an analysis says of a place.

    Attributes:
        analysis: security, cycle or environment.
        text: an English sentence.
        place: what it is about.
        related: what else belongs to it.
        certainty: of the sentence.
    """

    analysis: str
    text: str
    place: Place
    related: tuple[Place, ...] = ()
    certainty: Certainty = "certain"
