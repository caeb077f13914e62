"""Two versions of the program on one store, and the way up from every schema that was ever released."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from faultlib.acts import WRITES
from faultlib.model import Fault, FaultClass, Record
from faultlib.verdict import verdict
from faultlib.workbench import Site, Workbench, wait_for
from recortex.storage.sqlite.connection import connect
from recortex.storage.sqlite.migrations import RECORDS, known

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    import apsw

TOGETHER, UPGRADE = "two versions at once", "upgrade from an older schema"
_BLANK = {"INTEGER": 0, "REAL": 0.0, "TEXT": "", "BLOB": b""}


def downgraded(today: Site, site: Site, schema: int) -> None:
    """A store of an older schema with what it could hold of today's."""
    for name in ("told.jsonl", "roles.json", "import.jsonl"):
        (site.root / name).write_bytes((today.root / name).read_bytes())
    connection = connect(site.database)
    connection.execute(RECORDS)
    for step in known()[:schema]:
        connection.execute(step.sql)
        connection.execute("INSERT INTO schema_migrations VALUES (?, ?, 0, '0.0')", (step.version, step.name))
    connection.execute("ATTACH ? AS today", (str(today.database),))
    connection.execute("PRAGMA foreign_keys = OFF")
    for (table,) in list(connection.execute(_PLAIN_TABLES)):
        _copy(connection, table)
    connection.execute("DETACH today")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    site.database.chmod(0o600)


_PLAIN_TABLES = """
SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
AND name NOT LIKE 'sqlite_%' AND name <> 'schema_migrations'
AND name IN (SELECT name FROM today.sqlite_schema)
"""


def _copy(connection: apsw.Connection, table: str) -> None:
    columns = list(
        connection.execute(
            "SELECT name, type, \"notnull\", dflt_value FROM pragma_table_info(?, 'main')", (table,)
        )
    )
    today = {row[0] for row in connection.execute("SELECT name FROM pragma_table_info(?, 'today')", (table,))}
    chosen = [(name, name) for name, *_ in columns if name in today]
    chosen += [
        (name, repr(_BLANK.get(type_, "")))
        for name, type_, needed, default in columns
        if name not in today and needed and default is None
    ]
    into, values = (", ".join(part) for part in zip(*chosen, strict=True))
    copy = f"INSERT OR IGNORE INTO main.{table} ({into}) SELECT {values} FROM today.{table}"  # noqa: S608
    connection.execute(copy)


def _upgrades(bench: Workbench) -> Iterator[Fault]:
    for step in known()[:-1]:
        for act in ("open", *WRITES):
            yield Fault(UPGRADE, f"{step.version:04} {act}", partial(_upgraded, bench, step.version, act))


def _upgraded(bench: Workbench, schema: int, act: str) -> Record:
    """Open a store of an older schema, with all that it holds.

    Found by its words, written to, backed up before.

    A purge removes a backup of so old a schema that it cannot be rewritten, since it would keep the text.
    """
    with bench.site(f"schema-{schema}") as site:
        child = bench.run(site, act, when="open")
        record = verdict(site, UPGRADE, f"{schema:04} {act}", child)
        record.problems += [f"{one[0]} fails: {one[2]}" for one in child.out.get("errors", ())]
        if act != "purge" and not list((site.side(".backups")).glob("*before-migration*")):
            record.problems.append("no backup was made before the migration")
        with site.open() as cortex:
            if not cortex.recall("webhook service", recipe="keyword", floor=False).hits:
                record.problems.append("what the older store held is not found by its words")
        return record


def _together(bench: Workbench, chance: Random) -> Iterator[Fault]:
    ways = {
        "older on newer": _older_on_newer,
        "older holds it open": _older_holds,
        "both migrate": _both_migrate,
    }
    while True:
        way, act = chance.choice(list(ways)), chance.choice(WRITES)
        yield Fault(TOGETHER, f"{way}: {act}", partial(ways[way], bench, act))


def _older_on_newer(bench: Workbench, act: str) -> Record:
    """An older program on a store that a newer one has changed: it says so, and changes no byte."""
    newer = known()[-1].version + 1
    with bench.site() as site:
        bench.run(site, "open", schema=newer, when="open")
        before = _bytes(site)
        child = bench.run(site, act, when="open")
        record = _judged_by_newer(site, f"older on newer: {act}", child, newer)
        codes = [error[1] for error in child.out.get("errors", ())]
        if codes != ["schema_newer"]:
            record.problems.append(f"the older program ended with {codes}")
        if before != record.__dict__.pop("bytes"):
            record.problems.append("the older program changed the store")
        return record


def _older_holds(bench: Workbench, act: str) -> Record:
    """A newer program migrates while an older one has the store open.

    The older one writes on, or says why it cannot.
    """
    newer = known()[-1].version + 1
    with bench.site() as site:
        older = bench.start(site, act, "remember", when="act", after="go")
        wait_for(site.root / "ready")
        first = bench.run(site, "remember_many", schema=newer, when="open", out="newer.json")
        (site.root / "go").touch()
        last = bench.ended(site, older)
        record = _judged_by_newer(site, f"older holds it open: {act}", last, newer)
        record.problems += [
            f"newer: {error[0]}: {error[1]} {error[2]}" for error in first.out.get("errors", ())
        ]
        if not last.out.get("errors"):
            record.problems.append("the older program wrote to a schema that it does not know")
        return record


def _both_migrate(bench: Workbench, act: str) -> Record:
    """Several programs open a store of an older schema at the same moment."""
    with bench.site(f"schema-{known()[-2].version}") as site:
        children = [
            bench.start(
                site, act if not number else "remember", when="open", after="go", out=f"{number}.json"
            )
            for number in range(3)
        ]
        wait_for(site.root / "ready")
        (site.root / "go").touch()
        ended = [bench.ended(site, child, f"{number}.json") for number, child in enumerate(children)]
        record = verdict(site, TOGETHER, f"both migrate: {act}", *ended)
        record.problems += [f"{error[0]}: {error[2]}" for one in ended for error in one.out.get("errors", ())]
        return record


def _bytes(site: Site) -> list[bytes]:
    backups = sorted((site.side(".backups")).glob("*"))
    return [site.database.read_bytes(), *(path.read_bytes() for path in backups)]


def _judged_by_newer(site: Site, name: str, child: Any, newer: int) -> Record:
    """Take the newer schema away again, so that today's program can look."""
    bytes_then = _bytes(site)
    connection = connect(site.database)
    connection.execute(
        f"""DROP TABLE IF EXISTS of_schema_{newer};
            DELETE FROM schema_migrations WHERE version = {newer}"""  # noqa: S608
    )
    connection.close()
    record = verdict(site, TOGETHER, name, child)
    record.__dict__["bytes"] = bytes_then
    return record


CLASSES = (
    FaultClass(UPGRADE, complete=_upgrades),
    FaultClass(TOGETHER, some=_together, share=2, least=10),
)
