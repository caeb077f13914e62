#!/usr/bin/env bash
# Of a tool's result that has both text and structured content, Codex shows the model the structure alone.
#
# Guessed before: `content` is what a model reads, and `structuredContent` is for programs, as the protocol
# says that the text should repeat the structure for clients that do not know it; a text that says more, such
# as a warning beside the values, is read.
#
# Seen with @openai/codex 0.171.0: the next request has the structure as JSON, and not a word of the text. A
# tool whose text says what the structure does not must leave the structure out.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --silent --no-audit --no-fund --prefix "$work" @openai/codex@0.171.0
mkdir -p "$work/home/.codex" "$work/project"
cat > "$work/server.py" <<'PYTHON'
import json, sys

for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    if asked["method"] == "initialize":
        version = asked["params"]["protocolVersion"]
        result = {"serverInfo": {"name": "toy", "version": "1"}, "capabilities": {"tools": {}}}
        result |= {"protocolVersion": version}
    elif asked["method"] == "tools/list":
        shape = {"type": "object", "properties": {"port": {"type": "integer"}}}
        nothing = {"type": "object", "properties": {}}
        result = {"tools": [{"name": "ask", "inputSchema": nothing, "outputSchema": shape}]}
    else:
        text = {"type": "text", "text": "The port is 5433; the staging machine listens on no other."}
        result = {"content": [text], "structuredContent": {"port": 5433}}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
PYTHON
cat > "$work/run.py" <<'PYTHON'
import json, os, subprocess, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

work = Path(sys.argv[1])
requests = []


class Model(BaseHTTPRequestHandler):
    """Calls the tool once, then answers."""

    def log_message(self, *_):
        pass

    def do_POST(self):
        requests.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        said = {"type": "output_text", "text": "ok"}
        item = {"type": "message", "id": "m", "role": "assistant", "content": [said]}
        if len(requests) == 1:
            item = {"type": "function_call", "id": "f", "call_id": "c", "namespace": "mcp__toy"}
            item |= {"name": "ask", "arguments": "{}"}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        done = {"type": "response.completed", "response": {"id": f"r{len(requests)}", "usage": usage}}
        events = [{"type": "response.output_item.done", "output_index": 0, "item": item}, done]
        data = "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


model = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=model.serve_forever, daemon=True).start()
server = {"command": sys.executable, "args": [str(work / "server.py")], "required": True}
settings = {
    "model": "m", "model_provider": "toy", "model_providers.toy.name": "toy",
    "model_providers.toy.wire_api": "responses", "model_providers.toy.env_key": "KEY",
    "model_providers.toy.base_url": f"http://127.0.0.1:{model.server_port}/v1",
} | {f"mcp_servers.toy.{key}": value for key, value in server.items()}
words = [word for key, value in settings.items() for word in ("-c", f"{key}={json.dumps(value)}")]
environment = {"PATH": os.environ["PATH"], "HOME": str(work / "home"), "KEY": "none"}
codex = [str(work / "node_modules/.bin/codex"), "exec"]
always = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", *words]
subprocess.run(
    [*codex, *always, "Ask."], cwd=work / "project", env=environment, check=True,
    stdin=subprocess.DEVNULL, capture_output=True, timeout=300,
)
assert len(requests) == 2, "the tool was not called"
given = json.dumps([one for one in requests[1]["input"] if one["type"] == "function_call_output"])
print("the model was given:", given)
assert "5433" in given, "the structure is not shown any more"
assert "staging" not in given, "the text is shown now"
PYTHON
python3 "$work/run.py" "$work"
echo "as it was seen: the text of a structured result reaches no model"
