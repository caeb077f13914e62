#!/usr/bin/env bash
# Copilot CLI cuts the file of a session off where the person goes back to with `/rewind`.
#
# Guessed before: the file of events only grows. Going back adds an event that names the first one that was
# taken back, as the types of events that its SDK publishes have one (`session.snapshot_rewind`), and what was
# said stays above it.
#
# Seen with @github/copilot 1.0.102 on Node 24.21: the events of the prompt and all that followed it are gone
# from events.jsonl, and a `session.info` of the type "rewind" stands in their place, which names nothing. Who
# has read the file up to its end and goes on from there begins behind its end or in the middle of a line, and
# finds nowhere what it was that the person took back.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --silent --no-audit --no-fund --prefix "$work" node@24.21.0 @github/copilot@1.0.102
mkdir -p "$work/home/.copilot" "$work/project"
cat > "$work/run.py" <<'PYTHON'
import fcntl, json, os, pty, select, struct, subprocess, sys, termios, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

work = Path(sys.argv[1])
asked = []


class Model(BaseHTTPRequestHandler):
    """Answers every request with a word."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer("application/json", b'{"data": [{"id": "toy", "object": "model"}]}')

    def do_POST(self):
        asked.append(self.rfile.read(int(self.headers["content-length"])))
        head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "toy"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        said, end = {"role": "assistant", "content": "Understood."}, {"finish_reason": "stop"}
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
    "PATH": f"{work}/node_modules/.bin:{os.environ['PATH']}", "HOME": str(work / "home"),
    "TERM": "xterm-256color", "COPILOT_OFFLINE": "true", "COPILOT_MODEL": "toy",
    "COPILOT_PROVIDER_API_KEY": "none",
    "COPILOT_PROVIDER_BASE_URL": f"http://127.0.0.1:{model.server_port}/v1",
}
terminal, other = pty.openpty()
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 110, 0, 0))
client = subprocess.Popen(
    [str(work / "node_modules/.bin/copilot"), "--allow-all-tools"],
    cwd=work / "project", env=environment, stdin=other, stdout=other, stderr=other, start_new_session=True,
)
shown = b""


def until(done, seconds=300):
    global shown
    end = time.monotonic() + seconds
    while not done() and time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            shown += os.read(terminal, 65536)
    assert seconds < 300 or done(), shown[-1500:]


def keys(text):
    for key in text:
        os.write(terminal, key.encode())
        until(lambda: False, 0.1)
    until(lambda: False, 3)


def press(key, what):
    before = len(shown)
    os.write(terminal, key)
    until(lambda: what in shown[before:])
    until(lambda: False, 3)


def say(text):
    before = len(asked)
    keys(text)
    os.write(terminal, b"\r")
    until(lambda: len(asked) > before)
    until(lambda: False, 5)


def events():
    (file,) = (work / "home/.copilot/session-state").glob("*/events.jsonl")
    return [json.loads(line) for line in file.read_text().splitlines()]


try:
    until(lambda: b"Do you trust" in shown)
    until(lambda: False, 3)
    os.write(terminal, b"\r")
    until(lambda: False, 5)
    say("Have a look at the parsers.")
    say("Use no tabs.")
    before = events()
    keys("/rewind")
    press(b"\r", b"Rewind to a previous")
    press(b"\r", b"Conversation only")
    press(b"\r", b"Rewound")
    after = events()
finally:
    client.kill()
prompt = next(n for n, one in enumerate(before) if one["data"].get("content") == "Use no tabs.")
kept, added = after[:prompt], after[prompt:]
print(len(before), "events before,", len(after), "after:", [one["type"] for one in added], added[0]["data"])
assert kept == before[:prompt], "what stood before the prompt is not the same any more"
assert "Use no tabs." not in json.dumps(after), "what was taken back is still there"
assert [one["type"] for one in added] == ["session.info"], "something else is written now"
assert not any(one["id"] in json.dumps(added) for one in before[prompt:]), "it names what was taken back now"
PYTHON
python3 "$work/run.py" "$work"
echo "as it was seen: what was taken back is cut off the file"
