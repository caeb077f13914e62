"""Who is let in: every refusal leaves the memory as it was."""

import socket
from urllib.parse import urlsplit

import httpx2
import pytest

from integration.web.conftest import Browser

NAMES = {"accept": "application/json"}


def error(answer):
    return answer.json()["error"]["code"]


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "2130706433"]
)
def test_a_name_that_was_made_to_point_here_is_refused(program, host):
    answer = program.post("/api/v1/list", json={}, headers={"host": host})
    assert answer.status_code == 403
    assert "memories" not in answer.text


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "[::1]"])
def test_names_of_this_machine_are_known(served, program, host):
    port = urlsplit(served.base).port
    assert program.post("/api/v1/list", json={}, headers={"host": f"{host}:{port}"}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null", "sec-fetch-site": "cross-site"},  # a frame without an origin
        {"origin": "null", "sec-fetch-site": "none"},
        {"origin": "http://127.0.0.1:1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_another_sites_page_changes_and_reads_nothing(served, browser, headers):
    form = {"csrf": browser.csrf, "text": "Written by another site", "kind": "insight"}
    refused = browser.client.post("/p/here/memories", data=form, headers=headers)
    read = browser.client.post("/api/v1/list", json={}, headers={**headers, "x-csrf-token": browser.csrf})
    assert (refused.status_code, read.status_code) == (403, 403)
    assert served.run("list")["total"] == 0


@pytest.mark.parametrize("csrf", ["", "wrong", "é"])
def test_a_form_without_the_pages_own_token_is_refused(served, browser, csrf):
    answer = browser.client.post(
        "/p/here/memories", data={"csrf": csrf, "text": "x"}, headers={"origin": browser.base}
    )
    assert answer.status_code == 403
    assert served.run("list")["total"] == 0


@pytest.mark.usefixtures("browser")
def test_the_link_opens_once(served):
    again = httpx2.get(served.link, headers={"accept": "text/html"})
    assert again.status_code == 403
    assert "used before" in again.text
    assert "set-cookie" not in again.headers


def test_the_cookie_is_for_this_site_alone_and_no_script_reads_it(serving):
    with serving() as other:
        answer = httpx2.get(other.link)
        cookie = answer.headers["set-cookie"].lower()
        assert answer.status_code == 303
        assert answer.headers["location"] == "/"
        assert "httponly" in cookie
        assert "samesite=strict" in cookie


def test_nothing_but_styles_is_given_without_link_or_token(served):
    for path in ("/", "/p/here/", "/p/here/memories", "/p/here/events", "/api/v1/openapi.json", "/mcp"):
        assert httpx2.get(served.base + path).status_code == 401, path
    assert httpx2.post(served.base + "/api/v1/list", json={}).headers["www-authenticate"] == "Bearer"
    assert httpx2.get(served.base + "/static/style.css").status_code == 200
    assert httpx2.get(served.base + "/static/../guard.py").status_code in {401, 404}


def test_a_token_opens_no_page(program):
    assert program.get("/p/here/").status_code == 401
    assert program.post("/p/here/memories", data={"text": "x"}).status_code == 401


def test_a_token_does_what_its_right_allows_until_it_is_revoked(served):
    reader, writer = served.program("read"), served.program("write")
    assert reader.post("/api/v1/recall", json={"query": "x"}).status_code == 200
    assert error(reader.post("/api/v1/remember", json={"text": "x"})) == "not_allowed"
    kept = writer.post("/api/v1/remember", json={"text": "Tokens write this", "kind": "insight"}).json()
    assert error(writer.post("/api/v1/purge", json={"id": kept["data"]["id"]})) == "not_allowed"
    mine = served.run("tokens")["tokens"][-1]
    served.run("tokens", "revoke", "--name", mine["id"])
    assert writer.post("/api/v1/recall", json={"query": "x"}).status_code == 401
    served.run("purge", kept["data"]["id"], "--yes")


def test_agents_come_with_a_token_not_with_the_persons_cookie(browser):
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    answer = browser.client.post("/mcp", json=ping, headers={"x-csrf-token": browser.csrf})
    assert answer.status_code == 401


@pytest.mark.parametrize("text", ["{", '[{"id": "é", "hash": "é"}]', "\0", '{"a": 1}'])
def test_a_broken_file_of_tokens_is_told_and_pages_go_on(serving, text):
    with serving() as other:
        program, person = other.program(), Browser(other)
        (other.home / "tokens.json").write_text(text, encoding="utf-8")
        answer = program.post("/api/v1/list", json={})
        assert (answer.status_code, error(answer)) == (503, "tokens_unreadable")
        assert person.get("/p/here/").status_code == 200


def test_the_file_of_tokens_has_no_secret(served):
    secret = served.token()
    shown = served.run("tokens")
    assert secret not in str(shown)
    assert shown["secret"] == ""


@pytest.mark.parametrize("token", ["rcx_", "x" * 9_000, "Basic", "rcx_AAAA"])
def test_what_is_no_token_is_refused(served, token):
    answer = httpx2.post(served.base + "/api/v1/list", json={}, headers={"authorization": f"Bearer {token}"})
    assert answer.status_code == 401


def test_many_wrong_tokens_are_answered_no_more(serving):
    with serving() as other:
        answers = {
            httpx2.post(f"{other.base}/api/v1/list", headers={"authorization": f"Bearer rcx_{n}"}).status_code
            for n in range(25)
        }
        assert answers == {401, 429}


def test_bodies_are_bounded(program):
    assert error(program.post("/api/v1/remember", content=b"x" * (1024 * 1024 + 1))) == "too_large"

    def unending():
        for _ in range(1_100):
            yield b" " * 1024

    assert error(program.post("/api/v1/remember", content=unending())) == "too_large"


def test_headers_are_bounded(served):
    port = urlsplit(served.base).port
    with socket.create_connection(("127.0.0.1", port)) as one:
        one.sendall(b"GET / HTTP/1.1\r\nx: " + b"a" * 100_000 + b"\r\n\r\n")
        assert one.recv(100).startswith((b"HTTP/1.1 4", b""))


@pytest.mark.full
def test_a_request_that_does_not_come_is_not_waited_for(served):
    port = urlsplit(served.base).port
    with socket.create_connection(("127.0.0.1", port)) as one:
        one.sendall(b"GET / HTTP/1.1\r\nhost: 127")
        one.settimeout(300)  # it ends by itself, long before
        assert one.recv(1_000) == b""


def test_every_answer_has_its_headers(served, browser, program):
    answers = [
        browser.get("/p/here/"),
        program.post("/api/v1/list", json={}),
        httpx2.get(served.base + "/static/page.js"),
        httpx2.get(served.base + "/nothing"),
    ]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert not [name for name in answer.headers if name.startswith("access-control")]


def test_a_server_that_only_shows_changes_nothing(serving):
    with serving("--read-only") as other:
        kept = other.run("remember", "Nobody changes this")
        person, program = Browser(other), other.program()
        refused = person.post(f"/p/here/memories/{kept['id']}", action="forget")
        assert refused.status_code == 403
        assert error(program.post("/api/v1/forget", json={"id": kept["id"]})) == "read_only"
        assert program.post("/api/v1/get", json={"id": kept["id"]}).status_code == 200
        assert "Forget</button>" not in person.get(f"/p/here/memories/{kept['id']}").text
        assert other.run("get", kept["id"])["status"] == "active"


def test_programs_elsewhere_need_a_name_and_a_token(serving):
    with pytest.raises(AssertionError, match="there is none"), serving("--name", "memory.example"):
        pass
    with serving("--name", "memory.example", tokens=1) as other:
        named = {"host": "memory.example"}
        program = other.program("read")
        assert program.post("/api/v1/list", json={}, headers=named).status_code == 200
        assert program.post("/api/v1/list", json={}, headers={"host": "other.example"}).status_code == 403
        person = Browser(other)
        assert person.get("/p/here/").status_code == 200
        assert person.client.get("/p/here/", headers=named).status_code == 401
