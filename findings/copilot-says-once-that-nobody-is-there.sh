#!/usr/bin/env bash
# Copilot CLI's file of a session says only once, behind a prompt, that no person was there.
#
# Guessed before: each prompt, or each run of the client, is written down with how it was given: by a person
# at the terminal, or by a script with `-p`.
#
# Seen with @github/copilot 1.0.102: neither the prompt nor the start of the session says it. What tells is
# the text that the model is given as its system prompt, in an event of its own that follows the first prompt,
# and is not repeated: near the prompts of later runs with `-p` nothing tells whose they are. Who reads the
# file has to remember what was said last, and to look one event ahead.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --silent --no-audit --no-fund --prefix "$work" @github/copilot@1.0.102
mkdir -p "$work/home/.copilot" "$work/project"
cat > "$work/run.py" <<'PYTHON'
import json, os, subprocess, sys, threading, uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

work = Path(sys.argv[1])
session = str(uuid.uuid4())


class Model(BaseHTTPRequestHandler):
    """Answers every request with a word."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer("application/json", b'{"data": [{"id": "toy", "object": "model"}]}')

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "toy"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        said, end = {"role": "assistant", "content": "ok"}, {"finish_reason": "stop"}
        parts = [
            {"choices": [{"index": 0, "delta": said, "finish_reason": None}]},
            {"choices": [{"index": 0, "delta": {}} | end], "usage": usage},
        ]
        data = "".join(f"data: {json.dumps(head | part)}\n\n" for part in parts) + "data: [DONE]\n\n"
        self.answer("text/event-stream", data.encode())

    def answer(self, form, data):
        self.send_response(200)
        self.send_header("content-type", form)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


model = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=model.serve_forever, daemon=True).start()
environment = {
    "PATH": os.environ["PATH"], "HOME": str(work / "home"), "COPILOT_OFFLINE": "true",
    "COPILOT_MODEL": "toy", "COPILOT_PROVIDER_API_KEY": "none",
    "COPILOT_PROVIDER_BASE_URL": f"http://127.0.0.1:{model.server_port}/v1",
}
for words in (("--session-id", session), ("--resume", session)):
    subprocess.run(
        [str(work / "node_modules/.bin/copilot"), "--allow-all-tools", *words, "-p", "Hello."],
        cwd=work / "project", env=environment, check=True, stdin=subprocess.DEVNULL, capture_output=True,
        timeout=300,
    )
file = work / "home/.copilot/session-state" / session / "events.jsonl"
events = [json.loads(line) for line in file.read_text().splitlines()]
marked = [n for n, one in enumerate(events) if "non-interactive" in json.dumps(one)]
asked = [n for n, one in enumerate(events) if one["type"] == "user.message"]
print("prompts:", asked, "events that say that nobody is there:", marked)
assert len(asked) == 2, "there are two prompts"
assert len(marked) == 1, "it is said more than once now, or not at all"
assert events[marked[0]]["type"] == "system.message", "it stands in another event now"
assert asked[0] < marked[0] < asked[1], "it does not follow the first prompt any more"
PYTHON
python3 "$work/run.py" "$work"
echo "as it was seen: it is said once, behind the first prompt"
