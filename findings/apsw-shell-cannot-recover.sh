#!/usr/bin/env bash
# The SQLite shell that APSW's wheel brings has no `.recover`, although it is built with what that needs.
#
# Guessed before: `apsw.sqlite_extra.path("sqlite3_shell")` is SQLite's own command line, so that its `.recover`
# could read a damaged file in place of code of one's own.
#
# Seen with APSW 3.54.1.0 on Linux: the shell names ENABLE_DBPAGE_VTAB among its compile options and knows
# `.intck` and `.dump`, but answers `.recover` with an error and writes no SQL, of a whole file too. The module
# itself has no table `sqlite_dbpage` either.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check apsw==3.54.1.0
"$work/venv/bin/python" - "$work/notes.db" <<'PYTHON'
import subprocess
import sys

import apsw
import apsw.sqlite_extra

path = sys.argv[1]
apsw.Connection(path).execute("CREATE TABLE notes (text); INSERT INTO notes VALUES ('kept')")
shell = apsw.sqlite_extra.path("sqlite3_shell")


def told(command):
    return subprocess.run([shell, path, command], capture_output=True, text=True, check=False)


options = told("PRAGMA compile_options").stdout.split()
dump, recovered = told(".dump"), told(".recover")
print("built with sqlite_dbpage:", "ENABLE_DBPAGE_VTAB" in options)
print(".dump:", "kept" in dump.stdout)
print(".recover:", recovered.stdout or recovered.stderr.strip())
assert "ENABLE_DBPAGE_VTAB" in options
assert "kept" in dump.stdout
assert "kept" not in recovered.stdout and "recover" in recovered.stderr, "the shell recovers now"
PYTHON
