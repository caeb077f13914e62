#!/usr/bin/env bash
# A server that is given a listening socket of its own answers each request on a kept connection some 40 ms
# late, unless the socket was made with its protocol named.
#
# Guessed before: asyncio switches Nagle's algorithm off for every TCP connection, as its documentation says
# since Python 3.6, whoever made the listening socket; so `uvicorn.Server.serve(sockets=[...])` is as fast
# as with `host` and `port`.
#
# Seen with uvicorn 0.54.0 and h11 0.16.0 on Python 3.11 and Linux: `socket.socket(AF_INET, SOCK_STREAM)` has
# the protocol number 0, connections that it accepts have it too, and asyncio sets TCP_NODELAY only where it
# is IPPROTO_TCP. The head and the body of an answer are written apart, so that the body waits for the
# acknowledgement of the head, which the client delays. The median of 20 requests is above 20 ms; with
# `socket.socket(AF_INET, SOCK_STREAM, IPPROTO_TCP)` it is below 10 ms.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check uvicorn==0.54.0 h11==0.16.0
"$work/venv/bin/python" - <<'PYTHON'
import asyncio
import http.client
import socket
import statistics
import threading
import time

import uvicorn


async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


def median(protocol):
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol)
    listening.bind(("127.0.0.1", 0))
    config = uvicorn.Config(app, http="h11", ws="none", lifespan="off", log_level="error")
    server = uvicorn.Server(config)
    running = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])), daemon=True)
    running.start()
    while not server.started:
        time.sleep(0.05)
    client, taken = http.client.HTTPConnection(*listening.getsockname()), []
    for _ in range(30):
        began = time.perf_counter()
        client.request("GET", "/")
        assert client.getresponse().read() == b"ok"
        taken.append((time.perf_counter() - began) * 1000)
    server.should_exit = True
    running.join()
    return statistics.median(taken[10:])


for name, protocol in (("0", 0), ("IPPROTO_TCP", socket.IPPROTO_TCP)):
    found = median(protocol)
    print(f"protocol {name}: median {found:.1f} ms")
    assert found > 20 if protocol == 0 else found < 10, "sockets without a protocol are as fast now"
PYTHON
