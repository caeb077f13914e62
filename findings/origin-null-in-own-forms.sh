#!/usr/bin/env bash
# A page that asks the browser for no referrer is told "Origin: null" by its own forms.
#
# Guessed before: `Referrer-Policy: no-referrer` concerns the header Referer alone; a form that posts to the
# page's own origin says `Origin: http://…`, so a server may compare that with its own name against requests
# from other sites.
#
# Seen with Chromium 153 (npm @sparticuz/chromium 153.0.0, driven by playwright 1.65.2 of PyPI): with
# `no-referrer` the form's request has `Origin: null` and `Sec-Fetch-Site: same-origin`, as a sandboxed frame
# of a stranger would have the first; with `same-origin` it has the page's origin. `fetch` of the same page
# says its origin with both policies.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check playwright==1.65.2
npm install --silent --no-audit --no-fund @sparticuz/chromium@153.0.0
export BROWSER_PATH
BROWSER_PATH=$(TMPDIR=$work node --input-type=module -e '
  import chromium from "@sparticuz/chromium"; console.log(await chromium.executablePath());')
venv/bin/python - <<'PYTHON'
import http.server
import os
import threading

from playwright.sync_api import sync_playwright

seen = {}
PAGE = b"<form method=post action=/form><button>Send</button></form>"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Referrer-Policy", self.path.strip("/") or "no-referrer")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def do_POST(self):
        seen[self.path] = self.headers["Origin"], self.headers["Sec-Fetch-Site"]
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
own = f"http://127.0.0.1:{server.server_port}"
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(
        executable_path=os.environ["BROWSER_PATH"],
        args=["--no-sandbox", "--headless=shell", "--single-process", "--no-zygote", "--disable-gpu"],
    )
    print("Chromium", browser.version)
    page = browser.new_page()
    for policy in ("no-referrer", "same-origin"):
        page.goto(f"{own}/{policy}")
        with page.expect_response("**/form"):
            page.click("button")
        page.evaluate("fetch('/fetch', {method: 'POST'})")
        print(policy, "form:", seen["/form"], "fetch:", seen["/fetch"])
        wanted = "null" if policy == "no-referrer" else own
        assert seen["/form"] == (wanted, "same-origin"), "forms say another origin now"
        assert seen["/fetch"] == (own, "same-origin"), "fetch says another origin now"
    os._exit(0)  # a browser of a single process does not always end when it is told to
PYTHON
