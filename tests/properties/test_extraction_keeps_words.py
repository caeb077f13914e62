"""A kept sentence loses nothing inside: addresses, paths, versions, times, ranges, globs, arithmetic."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from recortex.domain.exchange import SessionInfo, Turn
from recortex.engines.extraction.extractor import extract
from recortex.engines.extraction.sentences import files_in, objection, plain, sentences, statement

INFO = SessionInfo(session_id="s", client="claude-code", path="s.jsonl")
NAME = st.from_regex(r"[a-z][a-z0-9]{1,7}", fullmatch=True)
NUMBER = st.integers(1, 65535).map(str)
HOST = st.builds(
    "{}.{}".format, NAME, st.sampled_from(["lan", "io", "py", "rs", "sh", "local", "example.com", "go", "ts"])
)
IPV6 = st.builds("{:x}:{:x}::{:x}".format, *[st.integers(1, 0xFFFF)] * 3)
FILE = st.builds("{}/{}.{}".format, NAME, NAME, st.sampled_from(["go", "py", "ts", "rs", "tsx", "md"]))
TOKEN = st.one_of(
    st.builds("{}:{}".format, HOST, NUMBER),
    st.builds("http://{}:{}/{}".format, HOST, NUMBER, NAME),
    st.builds("https://{}:{}/{}?a={}&b=*#L{}".format, HOST, NUMBER, NAME, NUMBER, NUMBER),
    st.builds("[{}]:{}".format, IPV6, NUMBER),
    IPV6,
    st.builds("{}:{}".format, FILE, NUMBER),
    st.builds("{}:{}-{}".format, FILE, NUMBER, NUMBER),
    st.builds("{}/**/*.{}".format, NAME, NAME),
    st.builds("*.{}".format, NAME),
    st.builds("**/{}.py".format, NAME),
    st.builds("{}**{}".format, NUMBER, NUMBER),
    st.builds("{}*{}*{}".format, NUMBER, NUMBER, NUMBER),
    st.builds("{}[{}](event)".format, NAME, NAME),
    st.builds("**{}".format, NAME),
    st.builds("--{}={}".format, NAME, NUMBER),
    st.builds("v{}.{}.{}-rc.{}".format, *[st.integers(0, 40)] * 4),
    st.builds("{:02}:{:02}".format, st.integers(0, 23), st.integers(0, 59)),
    st.builds("{}-{}".format, NUMBER, NUMBER),
    st.builds("{}..{}".format, NUMBER, NUMBER),
    st.builds("~/{}/{}".format, NAME, NAME),
    st.builds("./{}/...".format, NAME),
    st.builds("{}:{}:{}".format, NAME, NUMBER, NUMBER),
    st.builds("#{}".format, NUMBER),
)  # fmt: skip


@given(TOKEN, TOKEN)
@example("kafka.lan:9092", "http://host.lan:3000/x")
@example("app/main.go:12", "handlers[name](event)")
def test_a_cleaned_sentence_has_each_of_its_words(one, other):
    said = f"The broker {one} cannot be used beside {other} in the pool"
    assert statement(said) == f"{said}."
    assert sentences(f"{said}. Second.")[0] == f"{said}."
    if "*" not in said:
        assert plain(f"- **{said}**") == said


@given(TOKEN, st.sampled_from(["{}", "`{}`", "({})", "**{}**"]))
@example("kafka.lan:9092", "{}")
@example("http://host.lan:3000/x", "{}")
@example("src/**/*.ts", "{}")
def test_what_is_kept_of_a_session_names_what_was_said(token, mark):
    mark = "{}" if "*" in token else mark
    said = (
        f"We always use the broker at {mark.format(token)} for `jobs.queue` "
        "because Postgres cannot hold the load."
    )
    found = list(extract([Turn(index=0, role="user", text=said)], INFO))
    assert found or objection(statement(said)) == "passing"  # a line of a file, say
    for one in found:
        assert token in one.text


def test_a_link_keeps_its_address_and_a_file_loses_its_line():
    assert plain("See [the board](http://g.lan:3000/d) first") == "See the board (http://g.lan:3000/d) first"
    assert plain("See [src/a.py](src/a.py#L3) and **this**") == "See src/a.py and this"
    assert files_in("`src/a.py:12-14` is read by kafka.lan:9092") == ("src/a.py",)
    assert not re.search(r"\*", plain("**Fix:** use *one* and **`two`**."))
