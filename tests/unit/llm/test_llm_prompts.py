"""What leaves the machine: prose alone, whatever a session holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from turns import INFO, memory, turn

from recortex.domain.session import wrap
from recortex.engines import prompting
from recortex.engines.prompting import CODE, MAX_BYTES, part_of, prose

SECRETS = (
    "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8",
    "AKIA" + "Q3EGRZ7XK2LMNP4T",
    "sk-ant-api03-" + "Zx8" * 31 + "AA",
)


def sent(*turns):
    return prompting.request(part_of(turns), INFO).prompt


@pytest.mark.parametrize(
    "code",
    [
        "```py\nSECRET = 1\n```",
        "````\n```\nSECRET = 1\n```\nSECRET\n````",
        "~~~\nSECRET\n~~~",
        "```\nSECRET and no end",
        "```\nSECRET\n    ```\nSECRET",  # four blanks: the fence does not end there
        "- a list\n  ```sh\n  SECRET\n  ```",
        "1. ```\n   SECRET\n   ```",
        "> ```\n> SECRET\n> ```",
        "> - ```\n>   SECRET\n>   ```",
        "\t```\n\tSECRET\n\t```",
        "```SECRET and more```",
        "``SECRET\nSECRET``",
        "<pre>SECRET\nSECRET</pre>",
        "<CODE class='x'>SECRET",
        "before\n\n    SECRET(indented)\n\tSECRET",
        "def SECRET(a, b):\n    return a",
        "const SECRET = require('x');",
        "SECRET = compute()\nSECRET += 1",
        "+++ b/SECRET.py\n+    return SECRET",
        "if (SECRET) {",
        "SELECT * FROM SECRET",
        "$ export SECRET=1",
        'Traceback:\n  File "SECRET.py", line 3, in x',
        "class SECRET(Base):",
        "import SECRET",
        "from SECRET.a import b",
        "`SECRET = compute(1) + other(2);`",
        "```\r\nSECRET\r\n```",
    ],
)
@pytest.mark.parametrize("frame", ["{}", "We decided to keep it.\n\n{}"])
def test_no_code_is_sent(code, frame):
    assert "SECRET" not in sent(turn(frame.format(code)), turn(frame.format(code), "assistant"))


def test_nothing_that_was_put_in_is_sent():
    text = sent(turn(f"Hello there.\n{wrap('HIDDEN memory')}\n<system-reminder>HIDDEN</system-reminder>"))
    assert "HIDDEN" not in text
    assert "Hello there." in text


def test_an_instruction_to_a_sub_agent_is_not_sent():
    assert part_of([turn("Look for all the tests in the folder.", sidechain=True)]).sent == ()


def test_one_turn_beyond_the_bound_is_cut():
    part = part_of([turn("Ein Satz über Größe.\n" * 9_000), turn("And then another sentence.")])
    assert part.turns == 1
    assert len(part.transcript().encode()) <= MAX_BYTES


def test_of_a_memory_that_is_code_nothing_is_sent():
    pairs = [
        (memory("a", "x = SECRET()", "code"), memory("b", "We use tabs for the indentation.")),
        (memory("c", "We use tabs.\n```\nSECRET\n```"), memory("d", f"The token is {SECRETS[0]} for now.")),
    ]
    kept = prompting.sendable(pairs)
    assert [pair[0].id for pair in kept] == ["c"]
    prompt = prompting.edges_request(kept).prompt
    assert "SECRET" not in prompt
    assert SECRETS[0] not in prompt
    assert "We use tabs." in prompt


words = st.text(alphabet="abcdefghij .,!?'-\n\t>*#1234567890", max_size=60)


@given(
    before=words,
    secret=st.sampled_from(SECRETS),
    after=words,
    role=st.sampled_from(["user", "assistant", "summary"]),
)
def test_a_secret_is_in_no_prompt(before, secret, after, role):
    text = f"{before} {secret} {after}"
    assert secret not in sent(turn(text, role))
    pair = (memory("a", f"We keep {text}"), memory("b", "Another statement of the project."))
    assert secret not in prompting.edges_request(prompting.sendable([pair])).prompt


def test_hostile_texts_end():
    for text in (
        "`" * 100_000,
        "` " * 50_000,
        "> " * 60_000,
        "- " * 60_000 + "```",
        "<pre>" * 30_000,
        "a = " * 40_000,
        "1. " * 50_000,
    ):
        assert len(prose(text, person=True)) <= len(text) + len(CODE)
