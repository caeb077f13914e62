#!/usr/bin/env bash
# Two quoted words behind `pi -p` are two prompts with an answer each, and only the last answer is printed.
#
# Guessed before: the words are joined to one prompt, as other agents' command lines join theirs.
#
# Seen with @earendil-works/pi-coding-agent 1.6.0 on Node 24.21: `pi -p "first words" "second words"` asks the
# model twice. The session holds two messages of the user and two answers; standard output holds the second
# answer alone. A script that passes its prompt unquoted therefore asks once for each word of it.
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
printed=$(pi --provider here --model m --offline -p "first words" "second words" < /dev/null)
cd ..
said=$(cat "$HOME"/.pi/agent/sessions/*/*.jsonl | grep -c '"role":"user"')
echo "messages of the user: $said; printed: $printed"
[ "$said" = 2 ] || { echo "the words are one prompt now"; exit 1; }
[ "$printed" = "answer 2" ] || { echo "both answers are printed now"; exit 1; }
echo "as it was seen: each word is a prompt, and only the last answer is printed"
