"""Many files are read by several processes: with the same result, whatever happens to one of them."""

import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from recortex.codebase.syntax import fact_store, parallel
from recortex.codebase.syntax.fact_store import FactStore
from recortex.codebase.syntax.making import Made, at_once, made
from recortex.codebase.syntax.parallel import Readers

FILES = {f"m{number}.py": f"def f{number}():\n    return g({number})\n".encode() for number in range(60)}
WITH = "import os, sys, time\nfrom recortex.codebase.syntax import making\nusual = making.made\n{}\n{}"
SERVED = "making.made = told\nmaking.serve(sys.stdin.buffer, sys.stdout.buffer)"


@pytest.fixture(autouse=True)
def _at_any_size(monkeypatch):
    monkeypatch.setattr(fact_store, "SMALLEST", 0)
    monkeypatch.setattr(fact_store, "_cores", lambda: 2)
    monkeypatch.setattr(parallel, "FIRST", 0)


@pytest.fixture
def told(monkeypatch):
    """Lets the processes do something else with a file."""

    def patched(instead):
        source = WITH.format(f"def told(path, data):\n    {instead}\n    return usual(path, data)", SERVED)
        monkeypatch.setattr(parallel, "_COMMAND", (sys.executable, "-c", source))

    return patched


def read_all(readers):
    return {path: wait() for path, wait in [(path, readers.read(path, data)) for path, data in FILES.items()]}


def write(root):
    for number, (name, data) in enumerate(FILES.items()):
        path = root / f"part{number % 7}" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (root / "same.py").write_bytes(FILES["m0.py"])
    (root / "c.js").write_bytes(b"x => " * 3_000)
    (root / "deep.c").write_bytes(b"{\n" * 3_000)


def kept(root, path):
    with closing(FactStore(path)) as store:
        tree = store.refresh(root)
        return tree, sorted(store.facts(set(tree.files.values())), key=lambda one: one[0])


def test_several_processes_find_what_one_finds_also_from_a_thread(tmp_path, monkeypatch):
    write(tmp_path / "tree")
    with ThreadPoolExecutor(1) as thread:
        several = thread.submit(kept, tmp_path / "tree", tmp_path / "several.db").result()
    monkeypatch.setattr(fact_store, "_cores", lambda: 1)
    assert several == kept(tmp_path / "tree", tmp_path / "one.db")
    assert several[0].parsed == len(FILES)
    assert several[0].skipped["deep.c"] == "nested too deeply"


def test_what_a_killed_process_was_reading_is_read_by_another():
    with closing(Readers(2)) as readers:
        waiting = {path: readers.read(path, data) for path, data in list(FILES.items())[:20]}
        waiting["m0.py"]()
        for process in readers._processes:
            process.kill()
        assert {path: wait() for path, wait in waiting.items()} == {
            path: made(path, FILES[path]) for path in waiting
        }
        processes = list(readers._processes)
    assert all(process._process.returncode is not None for process in processes)


@pytest.mark.parametrize("end", ["os._exit(9)", "time.sleep(60)"])
def test_a_file_that_ends_or_stops_two_processes_is_left_out_and_no_other(told, monkeypatch, end):
    if "sleep" in end:
        monkeypatch.setattr(parallel, "STUCK", 4.0)  # no shorter: a busy machine needs seconds to start one
    told(f"path == 'm7.py' and {end}")
    with closing(Readers(2)) as readers:
        found = read_all(readers)
    assert found.pop("m7.py") == Made("it ended the process that read it")
    assert found == {path: made(path, data) for path, data in FILES.items() if path != "m7.py"}


@pytest.mark.parametrize("command", [(sys.executable, "-c", ""), ("/no/such/program",)])
def test_where_no_process_can_be_started_this_one_reads(monkeypatch, command):
    monkeypatch.setattr(parallel, "_COMMAND", command)
    with closing(Readers(2)) as readers:
        assert read_all(readers) == {path: made(path, data) for path, data in FILES.items()}


def test_little_code_and_one_core_take_no_process(monkeypatch):
    monkeypatch.setattr(fact_store, "_cores", lambda: 1)
    with fact_store.reading(10**9) as read:
        assert read is at_once
    monkeypatch.undo()
    with fact_store.reading(10_000) as read:
        assert read is at_once


def test_closing_ends_processes_that_are_busy_and_starts_no_other(told):
    told("path == 'm9.py' and time.sleep(60)")
    with closing(Readers(2)) as readers:
        readers.read("m9.py", FILES["m9.py"])
        readers.read("m1.py", FILES["m1.py"])()
    assert len(readers._processes) <= 2
    assert all(process._process.returncode is not None for process in readers._processes)
