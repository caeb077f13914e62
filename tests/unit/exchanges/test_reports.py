"""Reports of sub-agents: exchanges of their own, without what a client writes around them."""

import pytest

from recortex.domain.exchange import SessionInfo, ToolCall, Turn
from recortex.engines.exchanges.building import SessionBuilder, reports

REPORT = "The uploads fail because the proxy closes idle connections after 30 seconds. " * 3


def said(*tools: ToolCall, injected: str = "") -> list[str]:
    """The reports of a turn."""
    return list(reports(Turn(0, "assistant", "", tools=tools, injected=injected), str))


def call(output: str, name: str = "Task", *, ok: bool | None = True) -> ToolCall:
    """A sub-agent was asked, and this came back."""
    return ToolCall(id="1", name=name, output=output, ok=ok)


def test_a_report_is_an_exchange_beside_what_was_asked() -> None:
    builder = SessionBuilder(SessionInfo(session_id="s", client="claude-code", path="/t.jsonl"), str)
    builder.take(Turn(0, "user", "Why do uploads fail?"))
    builder.take(Turn(1, "assistant", "I ask a sub-agent.", tools=(call(REPORT),)))
    builder.take(Turn(2, "assistant", "It is the proxy."))
    asked, report = builder.changed.values()
    assert (asked.message, asked.conclusion) == ("Why do uploads fail?", "It is the proxy.")
    assert report.conclusion == REPORT.strip()
    assert (report.part, report.root_turn, report.opener) == (1, 0, "agent")


def test_what_clients_write_around_a_report_is_left_out() -> None:
    after = "agentId: a1b2 (for resuming)\n<usage>total_tokens: 9\ntool_uses: 14\nduration_ms: 31317</usage>"
    output = f"{REPORT}\n{after}"
    waited = f"<status>completed</status>\n\n<output>\n[Tool: Bash] {{}}\n{REPORT}\n</output>"
    assert said(call(output), call(waited, "TaskOutput")) == [REPORT.strip()] * 2


@pytest.mark.parametrize(
    "no_report",
    [
        call(f"Async agent launched successfully.\n{REPORT}"),
        call(f"Agent started in background with agent_id: a1.\n{REPORT}"),
        call(REPORT, ok=False),
        call(REPORT, "WebFetch"),
        call("Done."),
        ToolCall(id="1", name="Task", output=REPORT, injected=True),
    ],
)
def test_other_results_are_not_kept(no_report: ToolCall) -> None:
    assert said(no_report) == []


def test_a_long_report_is_cut_after_it_was_redacted_whole() -> None:
    seen: list[str] = []

    def redact(text: str) -> str:
        seen.append(text)
        return text

    (kept,) = reports(Turn(0, "assistant", "", tools=(call(REPORT * 20),)), redact)
    assert seen == [REPORT * 20]
    assert 1400 < len(kept) < 1510


def test_a_report_that_was_not_waited_for_comes_with_a_notification() -> None:
    notified = f"<task-notification>\n<task-id>a1</task-id>\n<result>{REPORT}</result>\n</task-notification>"
    assert said(injected=f"<system-reminder>x</system-reminder>{notified}") == [REPORT.strip()]
    assert said(injected=f"<result>{REPORT}</result>") == []
    assert said(injected="<task-notification>" * 3000) == []
