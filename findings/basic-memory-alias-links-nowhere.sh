#!/usr/bin/env bash
# A relation of basic-memory whose link has a label, `[[Note|label]]`, leads to no note.
#
# Guessed before: a link is read as in Obsidian, whose vaults these notes are made for: what stands before the
# bar is the note, what stands behind it is what a reader is shown.
#
# Seen with basic-memory 0.24.1 on Python 3.12: the relation's target is the whole of `Store|where it lives`,
# with the bar. After a sync it has no id of a note, although `Store` is there and the same link without a
# label has one; in prose it is the same.
#
# An importer cuts the name at the bar, and then knows a relation that basic-memory itself does not.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=""
for one in python3 python3.14 python3.13 python3.12 "$HOME"/.pyenv/versions/3.1[2-9]*/bin/python; do
  if [ -z "$python" ] && "$one" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then
    python=$one
  fi
done
[ -n "$python" ] || { echo "it needs Python 3.12 or later"; exit 1; }
"$python" -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check basic-memory==0.24.1
export HOME="$work" BASIC_MEMORY_NO_PROMOS=1 BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED=false
unset BASIC_MEMORY_HOME BASIC_MEMORY_CONFIG_DIR XDG_CONFIG_HOME
mkdir -p "$work/basic-memory"
printf '# Store\n\n- [tech] It is Redis\n' >"$work/basic-memory/Store.md"
printf '# One\n\n- depends_on [[Store]]\n' >"$work/basic-memory/One.md"
printf '# Two\n\n- depends_on [[Store|where it lives]]\n' >"$work/basic-memory/Two.md"
"$work/venv/bin/basic-memory" project list >/dev/null 2>&1
"$work/venv/bin/basic-memory" reindex >/dev/null 2>&1
"$work/venv/bin/python" - "$work/.basic-memory/memory.db" <<'PYTHON'
import sqlite3
import sys

database = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
join = "relation r JOIN entity e ON e.id = r.from_id"
rows = database.execute(f"SELECT e.title, r.to_id, r.to_name FROM {join}")
seen = {title: (to_id is not None, name) for title, to_id, name in rows}
print(seen)
assert seen["One"][0], "a plain link leads nowhere"
assert seen["Two"] == (False, "Store|where it lives"), "a link with a label leads to its note now"
PYTHON
echo "as it was seen: a link with a label leads to no note"
