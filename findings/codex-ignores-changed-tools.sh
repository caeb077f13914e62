#!/usr/bin/env bash
# Codex asks a tool server for its tools once, and does not ask again when the server says that they changed.
#
# Guessed before: a server that declares `listChanged` and sends `notifications/tools/list_changed` during a
# call is asked for its tools again, and the model is offered the new one in the next request of the same
# session.
#
# Seen with @openai/codex 0.171.0: the request after the call, and those of a second prompt of the session,
# have the tools of the start alone; the server is never asked again. (Claude Code 2.1.332, against the same
# server, asks again at once.) A server that shows more tools once it knows more has to begin with all.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --silent --no-audit --no-fund --prefix "$work" @openai/codex@0.171.0
mkdir -p "$work/home/.codex" "$work/project"
cat > "$work/server.py" <<'PYTHON'
import json, sys

seen, grown = open(sys.argv[1], "a"), False


def say(**message):
    print(json.dumps({"jsonrpc": "2.0"} | message), flush=True)


for line in sys.stdin:
    asked = json.loads(line)
    method = asked["method"]
    print(method, file=seen, flush=True)
    if method == "initialize":
        version = asked["params"]["protocolVersion"]
        about = {"name": "toy", "version": "1"}
        able = {"tools": {"listChanged": True}}
        result = {"protocolVersion": version, "serverInfo": about, "capabilities": able}
        say(id=asked["id"], result=result)
    elif method == "tools/list":
        names = ["grow"] + ["grown"] * grown
        tools = [{"name": one, "inputSchema": {"type": "object", "properties": {}}} for one in names]
        say(id=asked["id"], result={"tools": tools})
    elif method == "tools/call":
        grown = True
        say(method="notifications/tools/list_changed")
        say(id=asked["id"], result={"content": [{"type": "text", "text": "There is one more tool now."}]})
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
            item |= {"name": "grow", "arguments": "{}"}
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
server = {"command": sys.executable, "args": [str(work / "server.py"), str(work / "seen")], "required": True}
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
    [*codex, *always, "Grow."], cwd=work / "project", env=environment, check=True,
    stdin=subprocess.DEVNULL, capture_output=True, timeout=300,
)
offered = [
    sorted(tool["name"] for space in one["tools"] if space["type"] == "namespace" for tool in space["tools"]
           if space["name"] == "mcp__toy")
    for one in requests
]
seen = (work / "seen").read_text().split()
print("offered in each request:", offered)
print("the server was asked:", seen)
assert "tools/call" in seen and len(offered) == 2, "the tool was not called"
assert offered == [["grow"], ["grow"]], "the model is offered what the server has now"
assert seen.count("tools/list") == 1, "the server is asked for its tools again"
PYTHON
python3 "$work/run.py" "$work"
echo "as it was seen: a change of the tools goes unheard"
