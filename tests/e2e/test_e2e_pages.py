"""A person with a real browser on the pages of `recortex serve`: twelve stories, and what every page must be.

Screenshots of all pages, in both themes and at three widths, go to the folder that TEST_SHOTS names. The
stories are told on a copy of another user's data and project if TEST_PAGES names both: `HOME:PROJECT`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from agents.install import CHOICE, browser, package, wanted

import patient_recortex
import ready_recortex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, ConsoleMessage, Page

pytestmark = [pytest.mark.full, pytest.mark.timeout(600)]

AXE = ("axe-core", "4.14.1")
BESIDE = os.environ.get("TEST_PAGES", "")
SHOTS = os.environ.get("TEST_SHOTS", "")
LINK = re.compile(r"(http://127\.0\.0\.1:\d+)/enter\?token=\S+")
PAGES = (
    "", "search?q=hash", "review", "duplicates", "memories", "sessions", "decisions", "map", "documents",
    "code", "health", "health/checks", "week", "doubts", "projects", "tokens",
)  # fmt: skip
INNER = ("memories/", "memories//delete", "sessions/")
"""Pages of one thing: the first that a list names."""
DAY = "2026-03-01T10:00:00Z"


class Memory(NamedTuple):
    """What a story begins with: a server's address, a page that has come in, and the person's terminal."""

    base: str
    page: Page
    run: object

    def open(self, path: str) -> None:
        self.page.goto(f"{self.base}/p/here/{path}")

    def said(self) -> str:
        return self.page.locator("main > .said:not(#changed)").first.inner_text()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    found = browser()
    if not found:
        reason = f"no Chromium is on PATH: the pages were not looked at ({CHOICE}=required installs it)"
        (pytest.fail if wanted() == "required" else pytest.skip)(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        one = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield one
        one.close()


@pytest.fixture(scope="module")
def memory(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A server over a small project: what every story says of itself is not in another one's way."""
    folder = tmp_path_factory.mktemp("pages")
    home, _, given = BESIDE.partition(":")
    if BESIDE:
        shutil.copytree(home, folder / "home")
    (project := Path(given) if given else folder / "project").mkdir(exist_ok=True)
    environment = {**os.environ, "RECORTEX_HOME": str(folder / "home"), "RECORTEX_EMBEDDER": "hashed"}

    def run(*words: str) -> dict[str, object]:
        done = ready_recortex.run(*words, "--json", cwd=project, env=environment)
        found = json.loads(done.stdout)
        assert found["status"] == "ok", found
        return dict(found["data"])

    (folder / "auth.md").write_text("# Hashing\n\nPasswords are hashed by bcrypt.\n", encoding="utf-8")
    run("ingest", str(folder / "auth.md"))
    session = folder / "session.jsonl"
    session.write_text("\n".join(map(json.dumps, _session(project))) + "\n", encoding="utf-8")
    run("import", "claude-code", str(session), "--trust")
    words = [*patient_recortex.command(), "serve", "--no-open", "--project", str(project)]
    with ExitStack() as stack:
        log = stack.enter_context((folder / "log").open("w"))
        server = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=log, text=True)
        stack.callback(server.stdout.close)
        stack.callback(server.wait, 30)
        stack.callback(server.terminate)
        link = LINK.search(server.stdout.readline())
        page = chromium.new_context(viewport={"width": 1280, "height": 900}).new_page()
        page.goto(link[0])
        yield Memory(link[1], page, run)


@pytest.fixture(autouse=True)
def _no_complaint(memory: Memory) -> Iterator[None]:
    """No story makes the browser complain: of a script, or of what the page's policy forbids."""
    complaints: list[str] = []

    def note(one: ConsoleMessage) -> None:
        if one.type == "error":
            complaints.append(f"{one.text} {one.location}")

    memory.page.on("console", note)
    memory.page.on("pageerror", lambda error: complaints.append(str(error)))
    yield
    memory.page.remove_listener("console", note)
    assert complaints == []


def _session(project: Path) -> Iterator[dict[str, object]]:
    """A session in which the person decides something."""
    told = (
        ("user", "Why do we use PostgreSQL for the ledger? Remember: the ledger stays on PostgreSQL."),
        ("assistant", "Since its transactions are serializable. Noted: the ledger stays on PostgreSQL."),
    )
    for number, (role, text) in enumerate(told):
        content = text if role == "user" else [{"type": "text", "text": text}]
        yield {
            "type": role, "sessionId": "11111111-2222-4333-8444-555555555555",
            "uuid": f"00000000-0000-4000-8000-{number:012}",
            "parentUuid": None if not number else f"00000000-0000-4000-8000-{number - 1:012}",
            "timestamp": f"2026-03-01T10:0{number}:00.000Z", "cwd": str(project), "version": "2.1.332",
            "message": {"role": role, "content": content},
        }  # fmt: skip


def test_a_wrong_memory_is_found_by_keyboard_and_corrected(memory):
    id_ = memory.run("remember", "Backups are kept for seven days", "--kind", "procedural")["id"]
    memory.open("")
    memory.page.keyboard.press("/")
    memory.page.keyboard.type("how long are backups kept?")
    memory.page.keyboard.press("Enter")
    memory.page.get_by_role("link", name="Backups are kept for seven days").first.press("Enter")
    memory.page.locator("summary", has_text="Edit").press("Enter")
    memory.page.get_by_label("Text").fill("Backups are kept for thirty days")
    memory.page.get_by_role("button", name="Save").press("Enter")
    assert "Saved" in memory.said()
    assert memory.page.locator("ins").inner_text() == "thirty"
    assert memory.run("get", id_)["text"] == "Backups are kept for thirty days"


def test_twenty_proposals_are_approved_at_once(memory):
    for number in range(20):
        memory.run(
            "remember", f"Proposal {number} of the story is about item {number}", "--status", "proposed"
        )
    waiting = memory.run("review")["waiting"]
    memory.open("review?all=yes")
    group = memory.page.locator("fieldset", has_text="Proposal 1 of the story")
    group.get_by_label("All about").check()
    chosen = memory.page.locator("[data-count]")
    assert chosen.inner_text() == "20 chosen"
    memory.page.get_by_role("button", name="Approve selected").click()
    assert memory.said() == "20 memories approved."
    assert memory.run("review")["waiting"] == waiting - 20


def test_two_that_look_alike_are_kept_apart(memory):
    for place in ("front", "back"):
        memory.run("remember", f"The {place} door of the depot is opened by the red key of the caretaker")
    memory.open("duplicates")
    card = memory.page.locator("form.card", has_text="front door of the depot")
    while not card.count():
        with memory.page.expect_navigation():
            memory.page.get_by_role("link", name="Next →").click()
    card.get_by_role("button", name="Not duplicates").click()
    assert "Both are kept" in memory.said()
    assert card.count() == 0


def test_a_doubt_is_settled_on_the_first_page(memory):
    unsure = ("--confidence", "0.3", "--importance", "critical")
    id_ = memory.run("remember", "The depot closes at six", *unsure)["id"]
    memory.open("")
    doubt = memory.page.locator("#doubts li", has_text="The depot closes at six")
    doubt.get_by_role("button", name="No, archive it: The depot").click()
    assert "Archived" in memory.said()
    assert memory.run("get", id_)["status"] == "archived"


def test_why_an_answer_came_is_said(memory):
    memory.run("remember", "The cache is cleared by the nightly job", "--kind", "procedural")
    memory.open("search")
    memory.page.get_by_label("Question").fill("when is the cache cleared?")
    memory.page.locator("summary", has_text="Why this result?").first.click()
    told = memory.page.locator("details[open]").first.inner_text()
    assert "cache" in told
    assert "score" in told


def test_a_merge_is_undone(memory):
    one = memory.run("remember", "Use tabs for indentation in Makefiles of this project")["id"]
    two = memory.run("remember", "In Makefiles of this project use tabs for the indentation")["id"]
    memory.open("duplicates")
    card = memory.page.locator("form.card", has_text="tabs")
    card.locator("summary").click()
    card.get_by_role("button", name="Merge the two").click()
    assert "Merged" in memory.said()
    merged = memory.page.url.split("/memories/")[1].split("?")[0]
    assert {memory.run("get", id_)["status"] for id_ in (one, two)} != {"active"}
    memory.page.get_by_role("button", name="Undo the last change").click()
    assert {memory.run("get", id_)["status"] for id_ in (one, two)} == {"active"}
    assert merged


def test_a_decision_is_looked_at_as_of_last_month(memory):
    old = memory.run(
        "remember", "Decided: the queue runs on RabbitMQ", "--kind", "decision", "--valid-from", DAY
    )["id"]
    memory.run("remember", "Decided: the queue runs on Redis", "--kind", "decision", "--supersedes", old)
    memory.open("decisions")
    assert "Redis" in memory.page.inner_text("main")
    assert "RabbitMQ" not in memory.page.inner_text("main")
    memory.page.get_by_label("As of", exact=True).fill("2026-03-15")
    memory.page.get_by_role("button", name="Show").click()
    assert "RabbitMQ" in memory.page.inner_text("main")
    assert "Redis" not in memory.page.inner_text("main")


def test_why_a_file_is_as_it_is_is_shown_with_a_picture(memory):
    cause = memory.run("remember", "Sessions leaked memory under load", "--kind", "incident")["id"]
    effect = memory.run("remember", "Decided: sessions live in Redis", "--kind", "decision")["id"]
    memory.run("link", cause, effect, "--relation", "caused")
    memory.open(f"decisions?about={effect}")
    memory.page.locator("summary", has_text="As a picture").click()
    picture = memory.page.locator("img.picture")
    picture.scroll_into_view_if_needed()
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    with memory.page.expect_response(lambda answer: "mermaid" in answer.url) as answer:
        memory.page.get_by_role("link", name="Mermaid").click()
    assert answer.value.text().startswith("flowchart")
    memory.page.go_back()


def test_a_token_is_made_and_revoked(memory):
    memory.open("tokens")
    memory.page.get_by_label("Name").fill("a dashboard")
    memory.page.get_by_role("button", name="Create").click()
    secret = memory.page.locator(".secret").inner_text()
    asked = {"authorization": f"Bearer {secret}"}
    fetch = memory.page.context.request.post
    assert fetch(f"{memory.base}/api/v1/list", data={}, headers=asked).status == 200
    memory.page.get_by_role("button", name="Revoke a dashboard").click()
    assert "Revoked" in memory.said()
    assert fetch(f"{memory.base}/api/v1/list", data={}, headers=asked).status == 401


def test_a_contradiction_is_settled(memory):
    old = memory.run("remember", "The API listens on port 8080", "--kind", "environment")["id"]
    memory.run("remember", "The API listens on port 9090", "--kind", "environment")
    memory.run("validate", "--heal")
    memory.open("review")
    card = memory.page.locator("form.card", has_text="9090")
    card.get_by_role("button", name="The first replaces the second").click()
    assert memory.run("get", old)["status"] == "superseded"


def test_a_memory_is_deleted_for_good(memory):
    id_ = memory.run("remember", "The customer Example Ltd pays late")["id"]
    memory.open(f"memories/{id_}")
    memory.page.get_by_role("link", name="Delete for good…").click()
    memory.page.get_by_label("I want it gone for good.").check()
    memory.page.get_by_role("button", name="Delete for good").click()
    assert "nothing of the text is left" in memory.page.inner_text("main")


def test_a_memory_leads_to_the_session_that_it_was_learned_in(memory):
    memory.open("sessions")
    memory.page.get_by_label("What was said").fill("PostgreSQL for the ledger")
    memory.page.keyboard.press("Enter")
    memory.page.get_by_role("link", name="Why do we use PostgreSQL").first.click()
    learned = memory.page.get_by_role("link", name=re.compile("ledger")).last
    learned.click()
    memory.page.locator("a[href*='/sessions/1111']").click()
    assert "serializable" in memory.page.inner_text("main")


def test_what_changes_elsewhere_appears(memory):
    memory.open("memories")
    memory.page.wait_for_timeout(1_000)
    memory.run("remember", "Written in a terminal while the page is open")
    memory.page.get_by_text("Written in a terminal while the page is open").wait_for(timeout=30_000)


def test_the_theme_is_kept_and_the_map_leads_to_a_memory(memory):
    memory.open("")
    before = memory.page.evaluate("getComputedStyle(document.body).backgroundColor")
    memory.page.get_by_role("button", name="Switch between light and dark").click()
    memory.open("map")
    assert memory.page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    memory.page.wait_for_selector("#map canvas")
    memory.page.evaluate("localStorage.clear()")


def test_another_project_is_opened(memory, tmp_path):
    (tmp_path / "second").mkdir()
    memory.run(
        "remember", "The second project has a memory of its own", "--project", str(tmp_path / "second")
    )
    memory.open("projects")
    memory.page.get_by_role("link", name="second").click()
    assert "The second project has a memory of its own" in memory.page.inner_text("main")


@pytest.mark.parametrize("path", [*PAGES, *INNER])
def test_pages_are_accessible_and_fit_every_width(memory, path):
    if path in INNER:
        memory.open(path.partition("/")[0])
        link = memory.page.locator(f"main a[href*='/p/here/{path.partition('/')[0]}/']").first
        path = f"{link.get_attribute('href').removeprefix('/p/here/')}{path.partition('/')[2]}"
    axe = (package(*AXE) / "axe.min.js").read_text(encoding="utf-8")
    for theme in ("light", "dark"):
        memory.page.emulate_media(color_scheme=theme)
        for width in (360, 820, 1920):
            memory.page.set_viewport_size({"width": width, "height": 900})
            memory.open(path)
            memory.page.evaluate(axe)
            found = memory.page.evaluate("axe.run()")["violations"]
            assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []
            wide = memory.page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, f"{path} is {wide} pixels wider than {width}"
            if SHOTS:
                name = re.sub(r"\W+", "-", path) or "home"
                memory.page.screenshot(path=Path(SHOTS) / f"{name}-{theme}-{width}.png")
    memory.page.emulate_media(color_scheme="light")
    memory.page.set_viewport_size({"width": 1280, "height": 900})
