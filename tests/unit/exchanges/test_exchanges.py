"""What was said in sessions: where it ends, what is shown of it, when it leaves."""

import os
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.domain.exchange import SHOWN, Exchange, ExchangeHit, SessionInfo, ToolCall, Turn
from recortex.engines.exchanges import (
    _BETWEEN,
    INTERRUPTED,
    REFUSED,
    UNANSWERED,
    SessionBuilder,
    _parts,
    left_open,
    prose,
    reports,
)
from recortex.engines.exchanges.service import AROUND, ExchangeRetrieval, FoundExchange

# -- How an exchange begins and ended: with an accepted plan; refused, interrupted, with a commit.
INFO = SessionInfo(session_id="s", client="claude-code", path="/t.jsonl")


def built(*turns: Turn) -> list[Exchange]:
    """The exchanges of these turns."""
    builder = SessionBuilder(INFO, str)
    for turn in turns:
        builder.take(turn)
    return list(builder.changed.values())


def committed(output: str, command: str = "git commit -am x", *, ok: bool | None = True) -> str:
    """The commit of an exchange in which a command printed that."""
    call = ToolCall(id="1", name="Bash", command=command, output=output, ok=ok)
    return built(Turn(0, "user", "Commit it."), Turn(1, "assistant", "Done.", tools=(call,)))[0].commit


def test_an_interruption_counts_where_nothing_was_typed_then() -> None:
    (only,) = built(
        Turn(0, "user", "Add a cache."), Turn(1, "assistant", "I add."), Turn(2, "user", "", interrupts=True)
    )
    assert only.ending == "interrupted"


@pytest.mark.parametrize(
    ("output", "commit"),
    [
        ("[main 1a2b3c4] Retry\n 1 file changed", "1a2b3c4"),
        ("warning: LF will be replaced\n[fix/clock (root-commit) 1a2b3c4d] Retry", "1a2b3c4d"),
        ("[detached HEAD 1a2b3c4] Retry", "1a2b3c4"),
        ("[main 1a2b3c4] One\n[main 5d6e7f8] Two", "5d6e7f8"),
        (f"[main {'a' * 40}] Retry", "a" * 12),
        ("[entire] Pushing entire/checkpoints/v1", ""),
        ("nothing to commit", ""),
    ],
)
def test_the_last_commit_is_read_from_what_git_printed(output: str, commit: str) -> None:
    assert committed(output) == commit


def test_a_commit_stays_where_a_later_command_of_the_line_failed() -> None:
    assert committed("[main 1a2b3c4] Retry\nrejected", "git commit -am x && git push", ok=False) == "1a2b3c4"


@pytest.mark.parametrize("order", ["Implement the following plan:\n\n", "PLEASE IMPLEMENT THIS PLAN:\n", ""])
def test_an_accepted_plan_is_told_by_its_title_and_not_as_pasted(order: str) -> None:
    begun, text = built(Turn(0, "plan", f"{order}# Heat the oven\n\nFirst the door is closed."))
    assert begun.message.startswith("[accepted plan, ")
    assert begun.message.endswith(": Heat the oven]")
    assert (text.opener, "the door is closed" in text.conclusion) == ("document", True)


# -- Which ends of sessions left work, by their form.
IN_CHINESE = "你想让我现在提交这个补丁吗\N{FULLWIDTH QUESTION MARK}"


def ended(conclusion: str = "", message: str = "Fix the login.", **more: Any) -> str:
    """What an exchange that ended so left open."""
    given = {"opener": "person", "first_turn": 0, "last_turn": 1 if conclusion else 0} | more
    return left_open(
        Exchange(
            id="1", session="s", client="c", root_turn=0, message=message, conclusion=conclusion, **given
        )
    )


@pytest.mark.parametrize(
    ("conclusion", "left"),
    [
        (
            "The login is fixed.\nShould I also migrate the old sessions?",
            "Should I also migrate the old sessions?",
        ),
        (
            "Two ways are left.\n1. Keep the cookie.\n2. Drop it here.\nWhich one do you want?",
            "Which one do you want?",
        ),
        ("I see two ways.\nWhat do you prefer:\n1. Keep the cookie?", "What do you prefer:"),
        ("I found the cause. Let me fix the parser now.", "Let me fix the parser now."),
        ("The header is right. I'll run the tests next.", "I'll run the tests next."),
        (
            "The login works.\n## Remaining work\n- the reset of passwords",
            "## Remaining work - the reset of passwords",
        ),
        (
            "The login works. The reset is not implemented yet. It takes a mailer.",
            "The reset is not implemented yet.",
        ),
        (f"登录页面的问题已经修复完成了。\n{IN_CHINESE}", IN_CHINESE),
    ],
)
def test_a_conclusion_names_what_is_open(conclusion: str, left: str) -> None:
    assert ended(conclusion) == left


@pytest.mark.parametrize(
    "conclusion",
    [
        "Done. All 42 tests pass.",
        "Committed and pushed.\nRemaining work: none.",
        "Fixed. Is there anything else you'd like?",
        "Fixed. Next steps: if you publish it, consider a changelog.",
        "Now I'll create the commit message, following your format:",
        "Fixed. Let me know how it goes.",
        "No branches are blocked any more.",
    ],
)
def test_what_is_done_left_nothing(conclusion: str) -> None:
    assert ended(conclusion) == ""


def test_how_the_person_ended_it_counts() -> None:
    assert ended("I add Redis.", ending="interrupted") == INTERRUPTED
    assert ended("I add Redis.", ending="refused") == REFUSED
    assert ended() == UNANSWERED
    assert ended(message="thanks!") == ended(message="/exit") == ""


def test_work_without_a_person_left_nothing() -> None:
    assert ended("Let me look.", opener="agent") == ""


# -- Reports of sub-agents: exchanges of their own, without what a client writes around them.
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


# -- Where a sentence ends is found by its mark, and blocks of code and blanks are left out line by line.
@given(st.text("a.!? \n\t\"'”*_`。é)", max_size=40))
def test_parts_are_those_between_the_ends(text):
    assert list(_parts(text)) == _BETWEEN.split(text)


def test_prose_is_what_is_left_without_code_rules_and_blanks():
    said = "\n\n  One\t two   three \n\n~~~~py\ncode\n~~~\n  ~~~~\n---\n \x0b\n- four\n***  \n```\nno end"
    assert prose(said) == "One two three \n- four"
    assert prose("a\n    b\n```\nx\n```\nc") == "a\n b\nc"


# -- How much is shown of each exchange that may answer.
SENTENCE = "The harvest of lot {0} was weighed twice and entered by hand in book {0}. "
ASKED = {"harvest": 2.0, "lot": 1.0, "book": 1.0}


def count(text):
    return len(text.split())


def found(number, sentences):
    text = "".join(SENTENCE.format(each) for each in range(sentences))
    hit = ExchangeHit(id=f"{number}", said_at=None, by="person", session="s", turn=number, client="c")
    return FoundExchange(hit, ("", text[: len(text) // 2], text[len(text) // 2 :]), ASKED)


def shown(lengths, budget):
    places = [found(number, sentences) for number, sentences in enumerate(lengths)]
    return ExchangeRetrieval(None, count).show(places, budget)


def test_the_first_is_shown_nearly_whole_and_gets_what_others_leave():
    long, short = 40, 2
    first, second, *others = shown([long] * 5, SHOWN)
    assert first.tokens > second.tokens > max(one.tokens for one in others)
    assert first.tokens - AROUND >= (SHOWN - 5 * AROUND) // 3
    assert shown([short, long], SHOWN)[1].tokens > shown([long, long], SHOWN)[1].tokens


def test_the_same_passage_is_chosen_whatever_order_a_process_has_its_words_in():
    code = (
        "from recortex.engines.exchanges import passage\n"
        "words = ['herd', 'barn', 'feed', 'milk', 'vet', 'hay']\n"
        "text = ' '.join(f'The {a} and {b} and {c} are counted by hand each day.'"
        " for a in words for b in words for c in words if a < b < c)\n"
        "rarity = {word: 0.1 * (number + 1) for number, word in enumerate(words)}\n"
        "print(passage(('', text, ''), rarity, 90, lambda one: len(one.split())).text)"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True,
            text=True, check=True,
        ).stdout
        for seed in "123456"
    }  # fmt: skip
    assert len(told) == 1
