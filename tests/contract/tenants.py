"""Many tenants in one database.

Random lives side by side, each with a SQLite store of its own that says what is right.

Ids, keys, hashes, paths and names are the same everywhere; what is written carries its tenant's mark. An
answer that differs from the lone store's, or has another's mark in it, is a leak.
"""

import re
import threading
from collections import Counter
from contextlib import ExitStack, contextmanager
from itertools import count
from random import Random
from unittest.mock import patch

import psycopg
from acts import WRITES, same
from lives import Life
from psycopg import sql
from psycopg.types.numeric import Int8
from servers import file_store, workspace

from recortex.storage import dialect, postgres
from recortex.storage.postgres import opening, words

MARK = re.compile(r"qz(\d{3})zq")
SCHEMA = "recortex"
_FILTER = re.compile(r"/\*(?:only )?own(?: (?!column\*|value\*)\w+)?\*/")
_CONDITION = re.compile(r"\b(?:\w+\.)?workspace = :workspace\b")


# -- taking a guard away on purpose


def without_filters(text):
    """A statement whose conditions name no workspace any more."""
    return _CONDITION.sub("true", _FILTER.sub("", text))


@contextmanager
def no_filters():
    """Queries that filter nothing, and lexemes that begin alike in every workspace.

    Row-level security is alone.
    """
    plain = dialect.postgres

    def prefix(own, word):
        return f"{'0' * len(str(own))}:{word}"

    with ExitStack() as stack:
        stack.enter_context(patch.object(postgres, "postgres", lambda text: plain(without_filters(text))))
        stack.enter_context(patch.object(words, "lexeme", prefix))
        yield


@contextmanager
def no_security():
    """Connections keep a superuser's rights, which see past row-level security.

    The queries' filters are alone.
    """
    with patch.object(opening, "ROLE", "nobody of that name"):
        yield


# -- tenants


class Tenant:
    """A life in a workspace, and the same life in a store of its own."""

    def __init__(self, number, store, lone, seed):
        self.mark, self.store, self.lone = f"qz{number:03d}zq", store, lone
        self.life = Life(Random(f"{seed} {number}"), self.mark)  # noqa: S311  seeded on purpose
        self.acts, self.leaks = Counter(), []

    def step(self):
        """Do one act in both places and compare."""
        act = self.life.act()
        expected, given = act.on(self.lone), act.on(self.store)
        self.acts["written" if act.name in WRITES else "read"] += 1
        foreign = set(MARK.findall(repr(given))) - {self.mark[2:5]}
        if foreign or not same(expected, given):
            self.leaks.append(
                f"{self.mark} {act.name}: {sorted(foreign) or 'another answer'}: {given!r:.300}"
            )


@contextmanager
def tenants(url, names, seed=0):
    """A tenant for each name of a workspace."""
    with ExitStack() as stack:
        yield [
            Tenant(
                number,
                stack.enter_context(workspace(url, name, connections=1)),
                stack.enter_context(file_store()),
                seed,
            )
            for number, name in enumerate(names)
        ]


def live(some, acts, *, threads=4):
    """So many acts, shared out among the tenants and interleaved by threads; returns the leaks."""
    turns, lock = count(), threading.Lock()
    failures = []

    def work(own):
        try:
            for tenant in _round(own):
                with lock:
                    if next(turns) >= acts:
                        return
                tenant.step()
        except BaseException as error:  # noqa: BLE001  whatever it is, the caller sees it
            failures.append(repr(error))

    workers = [threading.Thread(target=work, args=(some[first::threads],)) for first in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return failures + [leak for tenant in some for leak in tenant.leaks]


def _round(own):
    random = Random(len(own))  # noqa: S311  seeded on purpose
    while own:
        yield random.choice(own)


# -- what the superuser sees


def guarded_tables(connection):
    """Every table whose rows belong to a workspace."""
    found = connection.execute(f"""
        SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'workspace'
        WHERE c.relnamespace = '{SCHEMA}'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        ORDER BY 1""").fetchall()  # noqa: S608
    return [name for (name,) in found]


def misplaced(url, some):
    """Rows that carry another tenant's mark, or are in more or fewer than the lone store's."""
    wrong = []
    marks = {tenant.store.database.workspace: tenant for tenant in some}
    with psycopg.connect(url, autocommit=True) as connection:
        for table in guarded_tables(connection):
            rows = connection.execute(
                sql.SQL("SELECT t.workspace, t::text FROM {} t").format(sql.Identifier(SCHEMA, table))
            ).fetchall()
            wrong += [
                f"{table}: {text:.200}"
                for own, text in rows
                if own in marks and set(MARK.findall(text)) - {marks[own].mark[2:5]}
            ]
            kept = Counter(own for own, _ in rows)
            wrong += [
                f"{table}: {kept[own]} rows of {marks[own].mark}, not {number}"
                for own, number in _lone(marks, table)
                if kept[own] != number
            ]
    return wrong


def _lone(marks, table):
    for own, tenant in marks.items():
        if tenant.lone.pool.value("SELECT count(*) FROM sqlite_schema WHERE name = ?", (table,)):
            yield own, tenant.lone.pool.value(f"SELECT count(*) FROM {table}")  # noqa: S608


def state(url):
    """All rows of all tables, to compare."""
    with psycopg.connect(url, autocommit=True) as connection:
        return {
            table: sorted(
                connection.execute(
                    sql.SQL("SELECT t::text FROM {} t").format(sql.Identifier(SCHEMA, table))
                ).fetchall()
            )
            for table in guarded_tables(connection)
        }


@contextmanager
def writing_elsewhere(tenant, victim):
    """A store whose statements name another workspace, on connections that are the tenant's own."""
    with patch.object(tenant.store.database, "_own", Int8(victim.store.database.workspace)):
        yield
