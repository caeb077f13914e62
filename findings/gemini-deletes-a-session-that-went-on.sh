#!/usr/bin/env bash
# Gemini CLI deletes a session that was resumed, whole, when another one begins.
#
# Guessed before: sessions are deleted when they are older than `general.sessionRetention.maxAge`, 30 days;
# what was said a minute ago stays.
#
# Seen with @google/gemini-cli 0.61.0 on Node 24.21: who resumes a session in another minute than that in
# which it began leaves a second file beside it, named after that minute and the same first eight signs of its
# id, with no message in it. The next session's clean-up takes that file for a broken one and deletes every
# file with those eight signs. `gemini --resume` then says that there is no such session. What was said in it
# is only where hooks had taken it to meanwhile; an import afterwards finds nothing.
# `{"general": {"sessionRetention": {"enabled": false}}}` keeps it.
set -euo pipefail
work=$(mktemp -d)
trap 'kill "${model:-}" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund node@24.21.0 @google/gemini-cli@0.61.0
cat > model.py <<'PYTHON'
"""A model on this machine that says "noted"."""
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        one = {"content": {"role": "model", "parts": [{"text": "noted"}]}, "finishReason": "STOP"}
        whole = json.dumps({"candidates": [one], "totalTokens": 9})
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self.wfile.write((f"data: {whole}\n\n" if "stream" in self.path else whole).encode())


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
PYTHON
python3 model.py > port & model=$!
until [ -s port ]; do sleep 0.1; done
export HOME="$work/home" PATH="$work/node_modules/.bin:$PATH" GEMINI_API_KEY=none
export GOOGLE_GEMINI_BASE_URL="http://127.0.0.1:$(cat port)" GEMINI_CLI_TRUST_WORKSPACE=true
mkdir -p "$HOME/.gemini" project
echo '{"security": {"auth": {"selectedType": "gemini-api-key"}}}' > "$HOME/.gemini/settings.json"
cd project
first=11111111-aaaa-4aaa-8aaa-111111111111
said() { gemini -m gemini-2.5-flash "$@" < /dev/null > /dev/null 2>&1; }
kept() { grep -ls "From now on" "$HOME"/.gemini/tmp/*/chats/* | wc -l; }
said --session-id "$first" -p "From now on we log in UTC."
sleep "$((61 - 10#$(date +%S)))"  # into the next minute
said --resume "$first" -p "And in milliseconds."
before=$(kept)
said --session-id 22222222-bbbb-4bbb-8bbb-222222222222 -p "Hello."
echo "files with what was said: $before, after another session began: $(kept)"
[ "$before" = 1 ] && [ "$(kept)" = 0 ] || { echo "the session is kept now"; exit 1; }
echo "as it was seen: the session is gone"
