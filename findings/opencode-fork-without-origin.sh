#!/usr/bin/env bash
# A fork of an opencode session names nowhere what it was forked from; its title says that it is one.
#
# Guessed before: the fork's row in the database has the first session as its `parent_id`, or links to it in
# another column, as a sub-agent's session does.
#
# Seen with opencode-ai 1.18.33: `opencode run --session ID --fork` makes a session with a copy of every
# message. Its `parent_id` is empty, neither its row nor its messages hold the first session's id or any id of
# its messages, and only the title ends with "(fork #1)". What a copy shares with its original is the time
# at which the message was created.
set -euo pipefail
work=$(mktemp -d)
trap 'kill "${model:-}" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund opencode-ai@1.18.33
cat > model.py <<'PYTHON'
"""A model on this machine that answers with the number of the request."""
import json
from http.server import BaseHTTPRequestHandler, HTTPServer

asked = 0


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        global asked
        asked += 1
        self.rfile.read(int(self.headers["content-length"]))
        head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        said = {"role": "assistant", "content": f"answer {asked}"}
        sent = [{"delta": said, "finish_reason": None}, {"delta": {}, "finish_reason": "stop"}]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for one in sent:
            self.wfile.write(f"data: {json.dumps({**head, 'choices': [{'index': 0, **one}]})}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")


server = HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
PYTHON
python3 model.py > port & model=$!
until [ -s port ]; do sleep 0.1; done
export HOME="$work/home" OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1
opencode="$work/node_modules/.bin/opencode"
mkdir -p "$HOME/.config/opencode" project
cat > "$HOME/.config/opencode/opencode.json" <<JSON
{"model": "here/m", "small_model": "here/m", "provider": {"here": {"npm": "@ai-sdk/openai-compatible",
  "name": "here", "options": {"baseURL": "http://127.0.0.1:$(cat port)/v1", "apiKey": "none"},
  "models": {"m": {"name": "m", "limit": {"context": 100000, "output": 4000}}}}}}
JSON
cd project
id=$("$opencode" run --format json "Said." < /dev/null | python3 -c \
  'import json, sys; print(json.loads(sys.stdin.readline())["sessionID"])')
"$opencode" run --format json --session "$id" --fork "Said in the fork." < /dev/null > /dev/null
python3 - "$HOME/.local/share/opencode/opencode.db" "$id" <<'PYTHON'
import json
import sqlite3
import sys

database, first = sqlite3.connect(sys.argv[1]), sys.argv[2]
database.row_factory = sqlite3.Row


def rows(query, *values):
    return [dict(row) for row in database.execute(query, values)]


(fork,) = rows("SELECT * FROM session WHERE id <> ?", first)
said = "SELECT * FROM message WHERE session_id = ? ORDER BY time_created"
of = {one: rows(said, one) for one in (first, fork["id"])}
print("title:", fork["title"], "| parent_id:", fork["parent_id"])
assert "fork" in fork["title"]
assert fork["parent_id"] is None, "a fork has a parent now"
parts = rows("SELECT * FROM part WHERE session_id = ?", fork["id"])
told = json.dumps([fork, of[fork["id"]], parts])
ids = [first, *(one["id"] for one in of[first])]
assert not any(one in told for one in ids), "a fork names what it was forked from now"
times = [[json.loads(one["data"])["time"]["created"] for one in found] for found in of.values()]
assert times[1][: len(times[0])] == times[0], "copies have times of their own now"
PYTHON
echo "as it was seen: a fork is known by its title, and by the times of its messages"
