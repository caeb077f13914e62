#!/usr/bin/env bash
# What is piped into `pi -p "words"` stands before the words with nothing between them.
#
# Guessed before: it follows the words, on lines of its own, as other agents' command lines put it.
#
# Seen with @earendil-works/pi-coding-agent 1.6.0 on Node 24.21: `printf 'Never use tabs.\n' | pi -p "Say it"`
# sends, and writes to the session, one text: "Never use tabs.Say it". The newline at the end of what was
# piped is cut off and none is put in its place, so that nothing tells where the file ends and the person
# begins.
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
mkdir -p "$HOME/.pi/agent" project
cat > "$HOME/.pi/agent/models.json" <<JSON
{"providers": {"here": {"baseUrl": "http://127.0.0.1:$(cat port)/v1", "api": "openai-completions",
  "apiKey": "none", "models": [{"id": "m"}]}}}
JSON
cd project
printf 'Never use tabs.\n' | pi --provider here --model m --offline -p "Say it" > /dev/null
said=$(cat "$HOME"/.pi/agent/sessions/*/*.jsonl | python3 -c '
import json, sys
for line in map(json.loads, sys.stdin):
    if line.get("message", {}).get("role") == "user":
        print("|".join(block["text"] for block in line["message"]["content"]))
')
echo "the message: $said"
[ "$said" = "Never use tabs.Say it" ] || { echo "they are kept apart now, or in another order"; exit 1; }
echo "as it was seen: what is piped runs into what is typed"
