#!/usr/bin/env bash
# `cn --resume` goes on with the newest session of any folder, and what is said there stands under that
# session's folder.
#
# Guessed before: it goes on with the newest session of the folder in which it is run, as the session keeps
# the name of its folder and `cn ls` lists sessions with it.
#
# Seen with @continuedev/cli 1.5.47 on Node 24.21: a prompt in the folder `one`, then `cn -p --resume` in the
# folder `two`, which never had a session. The second prompt is added to the session of `one`, whose
# `workspaceDirectory` stays `one`; nothing in the file says that anything was said in `two`. Who reads such
# sessions by their folder takes words of one project for another's.
set -euo pipefail
work=$(mktemp -d)
trap 'kill "${model:-}" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund node@24.21.0 @continuedev/cli@1.5.47
cat > model.py <<'PYTHON'
"""A model on this machine that says "noted"."""
import json
from http.server import BaseHTTPRequestHandler, HTTPServer


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        said = {"role": "assistant", "content": "noted"}
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
export HOME="$work/home" PATH="$work/node_modules/.bin:$PATH" CONTINUE_TELEMETRY_ENABLED=0
mkdir -p "$HOME/.continue" one two
cat > "$HOME/.continue/config.yaml" <<YAML
name: here
version: 1.0.0
schema: v1
models:
  - {name: m, provider: openai, model: m, apiKey: none, roles: [chat],
     apiBase: "http://127.0.0.1:$(cat port)/v1"}
YAML
(cd one && cn -p "Said in one." < /dev/null)
(cd two && cn -p --resume "Said in two." < /dev/null)
python3 - "$HOME" "$work" <<'PYTHON'
import json, pathlib, sys

home, work = map(pathlib.Path, sys.argv[1:])
found = [json.loads(file.read_text()) for file in (home / ".continue/sessions").glob("*-*.json")]
told = {
    pathlib.Path(one["workspaceDirectory"]).name: [
        item["message"]["content"] for item in one["history"] if item["message"]["role"] == "user"
    ]
    for one in found
}
print(told)
assert told == {"one": ["Said in one.", "Said in two."]}, "sessions are kept apart by their folder now"
PYTHON
echo "as it was seen: the session of one folder goes on in another"
