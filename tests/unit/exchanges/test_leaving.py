"""Which ends of sessions left work, by their form."""

from typing import Any

import pytest

from recortex.domain.exchange import Exchange
from recortex.engines.exchanges import INTERRUPTED, REFUSED, UNANSWERED, left_open

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
