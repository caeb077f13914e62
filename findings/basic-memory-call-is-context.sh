#!/usr/bin/env bash
# basic-memory takes the arguments of a call at the end of an observation for its context, and cuts them off.
#
# Guessed before: the context of `- [category] text (context)` has to be set apart by a blank, so that
# `- [method] call f(x)` keeps its text. (It may be anything: a note says why in parentheses.)
#
# Seen with basic-memory 0.24.1 on Python 3.12: `call f(x)` becomes the text `call f` with the context `x`,
# the same as `call f (x)` does. Of two pairs of parentheses the last one is taken. The note itself keeps the
# line; search, and what an agent is given as the observation, have it without the argument.
#
# Who reads the notes has to put the context back behind the text, or to read the line itself.
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
HOME="$work" "$work/venv/bin/python" - <<'PYTHON'
from basic_memory.markdown.entity_parser import parse

calls = ("call f(x)", "call f (x)", "one (a) two (b)", "f(x) first")
lines = [f"- [method] {one}" for one in calls]
seen = [(one.content, one.context) for one in parse("# Note\n" + "\n".join(lines)).observations]
for line, (content, context) in zip(lines, seen, strict=True):
    print(f"{line!r}: text {content!r}, context {context!r}")
assert seen[0] == seen[1] == ("call f", "x"), "the arguments of a call are kept now"
assert seen[2] == ("one (a) two", "b")
assert seen[3] == ("f(x) first", None)
PYTHON
echo "as it was seen: the arguments at the end of a line are its context"
