#!/usr/bin/env bash
# `pi -p --session ID` from another folder sends nothing and ends with the exit code 0.
#
# Guessed before: the session goes on in its own file, whichever folder it is run in, as an id names one
# session.
#
# Seen with @earendil-works/pi-coding-agent 1.6.0 on Node 24.21: a session begun in the folder `one` is named
# by its id in the folder `two`. Pi finds it, asks on standard error whether to fork it into this folder, and
# where nobody answers (standard input is empty) it ends: the model was not asked, no file was written, and
# the exit code is 0, as if the prompt had been answered.
set -euo pipefail
work=$(mktemp -d)
trap 'kill "${model:-}" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund node@24.21.0 @earendil-works/pi-coding-agent@1.6.0
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
export HOME="$work/home" PATH="$work/node_modules/.bin:$PATH" PI_OFFLINE=1
mkdir -p "$HOME/.pi/agent" one two
cat > "$HOME/.pi/agent/models.json" <<JSON
{"providers": {"here": {"baseUrl": "http://127.0.0.1:$(cat port)/v1", "api": "openai-completions",
  "apiKey": "none", "models": [{"id": "m"}]}}}
JSON
here=(pi --provider here --model m --offline -p)
(cd one && "${here[@]}" "Said in one." < /dev/null)
file=$(ls "$HOME"/.pi/agent/sessions/*/*.jsonl)
id=$(head -1 "$file" | python3 -c 'import json, sys; print(json.load(sys.stdin)["id"])')
before=$(cksum "$file")
code=0
printed=$(cd two && "${here[@]}" --session "$id" "Said in two." < /dev/null 2> "$work/errors") || code=$?
echo "exit code $code, printed '$printed', on standard error: $(head -1 "$work/errors")"
[ "$code" = 0 ] || { echo "it says by its exit code now that nothing was done"; exit 1; }
[ -z "$printed" ] || { echo "the prompt is answered now"; exit 1; }
[ "$(ls "$HOME"/.pi/agent/sessions/*/*.jsonl | wc -l)" = 1 ] || { echo "it is forked unasked now"; exit 1; }
[ "$(cksum "$file")" = "$before" ] || { echo "the session goes on from another folder now"; exit 1; }
echo "as it was seen: nothing was sent, and the exit code is 0"
