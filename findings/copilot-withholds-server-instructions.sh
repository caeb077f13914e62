#!/usr/bin/env bash
# What a tool server says of itself in `instructions` reaches no model in Copilot CLI.
#
# Guessed before: the `instructions` that a server gives when it is initialised stand in the system prompt, as
# the protocol suggests.
#
# Seen with @github/copilot 1.0.102: the server's tools are offered, and its instructions are in no part of
# any request. (Claude Code 2.1.332, Codex 0.171.0 and Gemini CLI 0.61.0, with the same server, hand them to
# the model.) When to use a tool has to stand in the tool's own description.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --silent --no-audit --no-fund --prefix "$work" @github/copilot@1.0.102
mkdir -p "$work/home/.copilot" "$work/project"
cat > "$work/server.py" <<'PYTHON'
import json, sys

for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    answer = {"error": {"code": -32601, "message": "Method not found"}}
    if asked["method"] == "initialize":
        result = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}}}
        result |= {"serverInfo": {"name": "toy", "version": "1"}}
        answer = {"result": result | {"instructions": "Ask the weathercock before every release."}}
    elif asked["method"] == "tools/list":
        nothing = {"type": "object", "properties": {}}
        tool = {"name": "ask", "description": "Turns with the wind.", "inputSchema": nothing}
        answer = {"result": {"tools": [tool]}}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"]} | answer), flush=True)
PYTHON
cat > "$work/run.py" <<'PYTHON'
import json, os, subprocess, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

work = Path(sys.argv[1])
requests = []


class Model(BaseHTTPRequestHandler):
    """Answers every request with a word."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer("application/json", b'{"data": [{"id": "toy", "object": "model"}]}')

    def do_POST(self):
        requests.append(self.rfile.read(int(self.headers["content-length"])).decode())
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
server = {"type": "local", "command": sys.executable, "args": [str(work / "server.py")], "tools": ["*"]}
(work / "home/.copilot/mcp-config.json").write_text(json.dumps({"mcpServers": {"toy": server}}))
environment = {
    "PATH": os.environ["PATH"], "HOME": str(work / "home"), "COPILOT_OFFLINE": "true",
    "COPILOT_MODEL": "toy", "COPILOT_PROVIDER_API_KEY": "none",
    "COPILOT_PROVIDER_BASE_URL": f"http://127.0.0.1:{model.server_port}/v1",
}
subprocess.run(
    [str(work / "node_modules/.bin/copilot"), "--allow-all-tools", "-p", "Hello."],
    cwd=work / "project", env=environment, check=True, stdin=subprocess.DEVNULL, capture_output=True,
    timeout=300,
)
print("requests:", len(requests))
assert any("Turns with the wind" in one for one in requests), "the server's tool is not offered at all"
assert not any("weathercock" in one for one in requests), "the model is told the instructions now"
PYTHON
python3 "$work/run.py" "$work"
echo "as it was seen: a server's instructions reach no model"
