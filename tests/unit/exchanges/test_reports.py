"""Reports of sub-agents: exchanges of their own, without what a client writes around them."""

from recortex.domain.exchange import SessionInfo, ToolCall, Turn
from recortex.engines.exchanges import SessionBuilder, reports

REPORT = "The uploads fail because the proxy closes idle connections after 30 seconds. " * 3


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


def test_a_long_report_is_cut_after_it_was_redacted_whole() -> None:
    seen: list[str] = []

    def redact(text: str) -> str:
        seen.append(text)
        return text

    (kept,) = reports(Turn(0, "assistant", "", tools=(call(REPORT * 20),)), redact)
    assert seen == [REPORT * 20]
    assert 1400 < len(kept) < 1510
