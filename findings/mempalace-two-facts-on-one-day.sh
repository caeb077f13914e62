#!/usr/bin/env bash
# In MemPalace's graph a fact that ended on a day and the one that began on that day hold both, all day long.
#
# Guessed before: a date is midnight at both ends of an interval, so that "ended on 1 June" and "from 1 June"
# meet without overlapping, as half-open intervals do.
#
# Seen with mempalace 3.11.0 on Python 3.11: a start without a time is 00:00 of its day, an end without a time
# is 23:59:59 of its day. Asked for 1 June, the graph answers both Frankfurt and Dublin; for 2 June, Dublin
# alone. An end with a time, 2026-06-01T00:00:00Z, gives one answer for the whole day.
#
# An importer adds a day to an end that is a date only, or facts end a day early.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check mempalace==3.11.0
HOME="$work" "$work/venv/bin/python" -W ignore - "$work" <<'PYTHON'
import sys

from mempalace.knowledge_graph import KnowledgeGraph


def answers(ended, name):
    graph = KnowledgeGraph(f"{sys.argv[1]}/{name}.sqlite3")
    graph.add_triple("API", "served_from", "Frankfurt", valid_from="2026-01-01")
    graph.invalidate("API", "served_from", "Frankfurt", ended=ended)
    graph.add_triple("API", "served_from", "Dublin", valid_from="2026-06-01")
    days = ("2026-05-31", "2026-06-01", "2026-06-01T18:00:00Z", "2026-06-02")
    return [sorted(one["object"] for one in graph.query_entity("API", as_of=day)) for day in days]


by_date, by_time = answers("2026-06-01", "date"), answers("2026-06-01T00:00:00Z", "time")
print("ended on a day:", by_date)
print("ended at a time:", by_time)
assert by_date == [["Frankfurt"], ["Dublin", "Frankfurt"], ["Dublin", "Frankfurt"], ["Dublin"]]
assert by_time == [["Frankfurt"], ["Dublin"], ["Dublin"], ["Dublin"]]
PYTHON
echo "as it was seen: an end that is a date takes in the whole day"
