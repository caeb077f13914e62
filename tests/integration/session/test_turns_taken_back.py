"""What the person took back was not said, however a client shows where the conversation went on."""

import pytest

import transcripts
from recortex.domain.vocabulary import Status
from recortex.formats.transcripts import open_transcript
from transcripts import talk

FIRST = "From now on run the tests with `make check`, never with pytest directly."
GONE = "From now on we never use tabs in this repository."
AFTER = "From now on we always log in UTC in this repository."
ASKED = "Why is the import slow on Mondays?"
NOTHING = "00000000-0000-0000-0000-000000000000"
AT = "2026-08-10T09:{:02}:00.000Z"


class Claude:
    """Lines of a session, each after the last one unless told."""

    def __init__(self, cwd):
        self.lines, self.cwd, self.last = [], str(cwd), None

    def line(self, kind, content=None, parent="last", **more):
        number = len(self.lines)
        line = {
            "type": kind, "uuid": f"u{number}", "parentUuid": self.last if parent == "last" else parent,
            "sessionId": "s1", "cwd": self.cwd, "version": "2.1.330", "timestamp": AT.format(number),
            "isSidechain": False, **more,
        }  # fmt: skip
        if content is not None:
            line["message"] = {"role": kind, "id": f"m{number}", "content": content}
        self.lines.append(line)
        self.last = line["uuid"]
        return self.last

    def says(self, said, answer="Done.", **more):
        """A prompt and its answer; returns what the answer's line is called."""
        self.line("user", said, **more)
        return self.line("assistant", [{"type": "text", "text": answer}])

    def stands(self, leaf, **more):
        self.lines.append({"type": "last-prompt", "sessionId": "s1", "leafUuid": leaf, **more})


def claude_goes_back(cwd):
    session = Claude(cwd)
    first = session.says(FIRST)
    session.says(GONE)
    session.says(AFTER, parent=first)
    return session.lines


def claude_begins_anew(cwd):
    """To the very beginning, as clients wrote it that give the new prompt no parent."""
    session = Claude(cwd)
    session.says(GONE)
    leaf = session.says(FIRST, parent=None)
    session.stands(leaf)
    session.says(AFTER)
    return session.lines


def claude_begins_anew_after_what_it_left(cwd):
    """The same in 2.1.330, which names the line before as parent, and the place in the conversation."""
    session = Claude(cwd)
    session.says(GONE, turnPosition={"promptIndex": 1, "turnIndex": 1})
    session.line("user", FIRST, turnPosition={"promptIndex": 1, "turnIndex": 1})
    session.line("attachment", attachment={"type": "environment"})
    session.stands(NOTHING, explicit=True)
    session.line("assistant", [{"type": "text", "text": "Done."}])
    session.says(AFTER, turnPosition={"promptIndex": 2, "turnIndex": 2})
    return session.lines


def claude_goes_back_twice(cwd):
    session = Claude(cwd)
    first = session.says(FIRST)
    session.says(GONE)
    session.says(f"{GONE} Nor spaces.", parent=first)
    session.says(AFTER, parent=first)
    return session.lines


def codex(cwd, *turns):
    yield {"type": "session_meta", "timestamp": AT.format(0), "payload": {"id": "c1", "cwd": str(cwd)}}
    for number, turn in enumerate(turns):
        at = {"timestamp": AT.format(number + 1)}
        if isinstance(turn, int):
            yield {**at, "type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": turn}}
            continue
        yield {**at, "type": "event_msg", "payload": {"type": "task_started", "turn_id": f"t{number}"}}
        yield {**at, "type": "turn_context", "payload": {"turn_id": f"t{number}", "cwd": str(cwd)}}
        for text in turn:
            content = [{"type": "input_text", "text": text}]
            yield {
                **at,
                "type": "response_item",
                "payload": {"type": "message", "role": "user", "content": content},
            }
        answer = [{"type": "output_text", "text": "Done."}]
        yield {
            **at,
            "type": "response_item",
            "payload": {"type": "message", "role": "assistant", "content": answer},
        }


CONTEXT = "<environment_context>\n<cwd>/x</cwd>\n</environment_context>"


def codex_rolls_back(cwd):
    return codex(cwd, [CONTEXT, FIRST], [CONTEXT, GONE], 1, [AFTER])


def codex_counts_what_the_person_said(cwd):
    """A turn that nobody began, and a second message within one, are none of the turns that are counted."""
    return codex(cwd, [FIRST], [GONE, "And no trailing spaces."], [CONTEXT], [ASKED], 2, [AFTER])


def later(client, cwd, place=3):
    """A session with a prompt after the one that is taken back, and where that one is among its messages."""
    said = talk(FIRST, GONE, AFTER, folder=cwd)
    if client in {"pi", "qwen"}:
        said[4] = said[4]._replace(parent=said[1].id)
    lines = list(transcripts.WRITERS[client]("s1", said))
    return lines[:place], said, lines[place:]


def gemini_rewinds(cwd):
    before, said, after = later("gemini", cwd, 5)
    return [*before, {"$rewindTo": said[2].id}, *after]


def fetched(at, *texts, name="again"):
    """What Gemini CLI writes when it fetches a conversation: each message under another id, then all."""
    setup = "<session_context>\nSetup\n</session_context>"
    parts = [[{"text": text}] for text in texts]
    parts[0].insert(0, {"text": setup})
    copies = [
        {"id": f"{name} {n}", "type": "gemini" if n % 2 else "user", "timestamp": at, "content": content}
        for n, content in enumerate(parts)
    ]
    begun = {"id": "setup", "type": "user", "timestamp": at, "content": [{"text": setup}]}
    return {"$set": {"messages": [begun]}}, [*copies, {"$set": {"messages": copies}}]


def gemini_restores(cwd):
    before, said, after = later("gemini", cwd, 5)
    begun, again = fetched(said[3].at, said[0].text, said[1].text)
    return [before[0], begun, *before[1:], *again, *after]


def gemini_restores_twice(cwd):
    """The second time, and when it goes on with the session, the copies are all that it knows."""
    before, said, after = later("gemini", cwd, 5)
    begun, again = fetched(said[3].at, said[0].text, said[1].text)
    gone = [{**line, "id": f"gone {line['id']}"} for line in before[3:]]
    resumed = {"$set": {"messages": [*again[:2], gone[0], {**gone[1], "content": [{"text": "Done."}]}]}}
    _, third = fetched(said[3].at, said[0].text, said[1].text, name="third")
    return [before[0], begun, *before[1:], *again, *gone, resumed, *third, *after]


def qwen_rewinds(cwd):
    before, said, after = later("qwen", cwd, 4)
    gone = {**before[-1], "uuid": "q", "type": "system", "subtype": "rewind", "parentUuid": said[1].id}
    del gone["message"]
    return [*before, gone, {**after[0], "parentUuid": "q"}, *after[1:]]


def pi_goes_back(cwd):
    before, _, after = later("pi", cwd)
    return [*before, *after]


def copilot_goes_back(cwd):
    before, said, after = later("copilot", cwd, 5)
    data = {"upToEventId": said[2].id, "eventsRemoved": 2}
    back = {"type": "session.snapshot_rewind", "id": "back", "timestamp": said[4].at, "data": data}
    return [*before, back, *after]


def opencode_reverts(cwd):
    *said, _ = talk(FIRST, AFTER, GONE, folder=cwd)
    return transcripts.opencode("x1", said, revert={"messageID": said[4].id})


FORMS = {
    form.__name__: form
    for form in (
        claude_goes_back, claude_begins_anew, claude_begins_anew_after_what_it_left, claude_goes_back_twice,
        codex_rolls_back, codex_counts_what_the_person_said, gemini_rewinds, gemini_restores,
        gemini_restores_twice, qwen_rewinds, pi_goes_back, copilot_goes_back, opencode_reverts,
    )
}  # fmt: skip


@pytest.fixture
def write(tmp_path):
    def write(form, name="s1"):
        return transcripts.write(tmp_path / f"{name}.jsonl", form(tmp_path))

    return write


def rules(cortex):
    return " ".join(one.text for one in cortex.list(statuses=tuple(Status)).memories)


def said(cortex):
    found = cortex.sessions()
    return [
        one.message
        for session in found.sessions
        for one in reversed(cortex.sessions(session=session.session).exchanges)
    ]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_what_was_taken_back_is_not_learned_and_not_told(cortex, write, form):
    cortex.import_("any", str(write(form)))
    assert "tabs" not in rules(cortex)
    assert "make check" in rules(cortex)
    assert "UTC" in rules(cortex)
    told = said(cortex)
    assert sorted(told) == sorted([FIRST, AFTER])


def parallel_calls(cwd):
    """Each result follows its own call, so that the chain forks."""
    session = Claude(cwd)
    session.line("user", FIRST)
    calls = [
        session.line("assistant", [{"type": "tool_use", "id": f"c{one}", "name": "Bash", "input": {}}])
        for one in range(3)
    ]
    results = [
        session.line(
            "user", [{"type": "tool_result", "tool_use_id": f"c{one}", "content": "ok"}], parent=calls[one]
        )
        for one in range(3)
    ]
    session.line("assistant", [{"type": "text", "text": "Done."}], parent=results[0])
    session.says(AFTER, parent=results[1])
    return session.lines


def compaction(cwd):
    """It begins anew; what was before is no more in the conversation, but nobody took it back."""
    session = Claude(cwd)
    last = session.says(FIRST)
    session.line("system", subtype="compact_boundary", parent=None, logicalParentUuid=last)
    session.line("user", "This session is being continued.", isCompactSummary=True)
    leaf = session.says(AFTER)
    session.stands(leaf)
    return session.lines


def compaction_of_a_lost_part(cwd):
    lines = compaction(cwd)
    lines[2]["logicalParentUuid"] = "elsewhere"
    return lines


def resumed(cwd):
    """A line of a hook at the start of a resumed session follows nothing."""
    session = Claude(cwd)
    session.says(FIRST)
    session.line("progress", parent=None)
    session.says(AFTER)
    return session.lines


def without_chains(cwd):
    session = Claude(cwd)
    session.says(FIRST, parent=None)
    session.says(AFTER, parent=None)
    return session.lines


STANDING = {
    one.__name__: one
    for one in (parallel_calls, compaction, compaction_of_a_lost_part, resumed, without_chains)
}


@pytest.mark.parametrize("form", STANDING.values(), ids=STANDING)
def test_what_only_looks_like_it_stands(cortex, write, form):
    cortex.import_("any", str(write(form)))
    assert "make check" in rules(cortex)
    assert "UTC" in rules(cortex)
    assert FIRST in said(cortex)
    assert AFTER in said(cortex)


@pytest.mark.parametrize(
    "form", [f for f in FORMS.values() if f is not opencode_reverts], ids=lambda f: f.__name__
)
def test_what_was_learned_before_it_was_taken_back_is_put_away(cortex, tmp_path, form):
    """The file is read as it grows, a line at a time, as after each answer of a live session."""
    lines = list(form(tmp_path))
    path = tmp_path / "s1.jsonl"
    for end in range(3, len(lines) + 1):
        transcripts.write(path, lines[:end])
        cortex.extract(str(path), final=end == len(lines))
    active = " ".join(one.text for one in cortex.list().memories)
    assert "tabs" not in active
    assert "make check" in active
    assert "UTC" in active
    assert sorted(said(cortex)) == sorted([FIRST, AFTER])


@pytest.mark.parametrize("goes_on", [True, False])
def test_what_copilot_cuts_off_its_file_is_put_away(cortex, tmp_path, goes_on):
    """As its version 1.0.102 does when the person goes back."""
    before, turns, after = later("copilot", tmp_path, 5)
    path = transcripts.write(tmp_path / "s1.jsonl", before)
    cortex.extract(str(path), final=False)
    assert "tabs" in rules(cortex)
    data = {"message": "Rewound the conversation.", "infoType": "rewind"}
    back = {"type": "session.info", "id": "back", "timestamp": turns[4].at, "data": data}
    told = {"type": "system.message", "id": "told", "timestamp": turns[4].at, "data": {"content": "x" * 999}}
    transcripts.write(path, [*before[:3], back, *([told, *after] if goes_on else [])])
    for _ in range(2):
        cortex.extract(str(path), final=True)
        active = " ".join(one.text for one in cortex.list().memories)
        assert "tabs" not in active
        assert "make check" in active
        assert ("UTC" in active) is goes_on
        assert sorted(said(cortex)) == sorted([FIRST, *([AFTER] if goes_on else [])])


def test_what_gemini_fetches_from_another_session_counts_once(cortex, tmp_path):
    """Nor does what the person had said before in the session into which they fetch it."""
    _, turns, _ = later("gemini", tmp_path)
    first = list(transcripts.gemini("s1", turns[:2]))
    head, asked, answer = transcripts.gemini("s2", talk(ASKED, folder=tmp_path, ids="q{}"))
    begun, again = fetched(turns[3].at, turns[0].text, turns[1].text)
    second = [head, begun, asked, answer, *again, *list(transcripts.gemini("s2", turns[4:]))[1:]]
    for name, lines in (("s1", first), ("s2", second)):
        cortex.extract(str(transcripts.write(tmp_path / f"{name}.jsonl", lines)))
    assert sorted(said(cortex)) == sorted([FIRST, ASKED, AFTER])
    assert {one.evidence for one in cortex.list().memories} == {1}


@pytest.mark.parametrize("ends", [(2, 4, 6), (4, 6)], ids=["in a pass of its own", "in the same pass"])
def test_a_rule_that_one_replaced_stands_again_when_that_is_taken_back(reading, settle, tmp_path, ends):
    session = Claude(tmp_path)
    first = session.says("We use Redis for the job queue.")
    session.says("We use Postgres for the job queue instead of Redis from now on.")
    session.says("Thanks, that is all.", parent=first)
    path, held = tmp_path / "s1.jsonl", []
    for end in ends:
        transcripts.write(path, session.lines[:end])
        reading.extract(str(path), final=end == len(session.lines))
        settle(reading)
        known = reading.list().memories
        held.append([one.text.split()[2] for one in known if "queue" in one.text])
    assert held[-2:] == [["Postgres"], ["Redis"]]


def test_going_back_in_a_fork_takes_nothing_back_in_its_parent(cortex, tmp_path):
    parent = Claude(tmp_path)
    first = parent.says(FIRST)
    parent.says(GONE)
    fork = Claude(tmp_path)
    fork.lines = [
        {**line, "sessionId": "s2", "forkedFrom": {"sessionId": "s1", "messageUuid": line["uuid"]}}
        for line in parent.lines
    ]
    for name, lines in (("s1", parent.lines), ("s2", fork.lines)):
        cortex.extract(str(transcripts.write(tmp_path / f"{name}.jsonl", lines)), final=False)
    fork.last = "u3"
    fork.says(AFTER, parent=first)
    lines = [{**line, "sessionId": "s2"} for line in fork.lines]
    cortex.extract(str(transcripts.write(tmp_path / "s2.jsonl", lines)))
    active = " ".join(one.text for one in cortex.list().memories)
    assert "tabs" in active
    assert "UTC" in active
    assert [one.evidence for one in cortex.list().memories if "make check" in one.text] == [1]


SESSION, SECOND, THIRD, FORK = (f"019fb000-0000-7000-8000-00000000000{digit}" for digit in "1234")


@pytest.fixture
def codex_file(tmp_path):
    """Writes a file of a session of Codex 0.171, which begins a new one where the person went back."""
    folder = tmp_path / "sessions" / "2026" / "08"

    def codex_file(segment, *prompts, base=None, first=0, day="10", session=SESSION):
        name = session if segment == session else f"{session}_{segment}"
        path = folder / day / f"rollout-2026-08-{day}T09-00-00-{name}.jsonl"
        said = codex(tmp_path, *([one] for one in prompts))
        lines = [line | {"ordinal": first + number} for number, line in enumerate(said)]
        for line in lines:
            if "turn_id" in line["payload"]:
                line["payload"]["turn_id"] += segment
        lines[0]["payload"] |= {"id": session, "cli_version": "0.171.0", "history_mode": "paginated"}
        if base:
            lines[0]["payload"]["history_base"] = {"thread_id": base, "end_ordinal_exclusive": first}
        return transcripts.write(path, lines)

    return codex_file


@pytest.mark.parametrize("seen_before", [True, False])
def test_going_back_in_codex_begins_a_new_file(cortex, codex_file, seen_before):
    first = codex_file(SESSION, FIRST, GONE)
    if seen_before:
        cortex.extract(str(first))
        assert "tabs" in rules(cortex)
    second = codex_file(SECOND, f"{GONE} Nor spaces.", base=SESSION, first=5)
    if seen_before:
        cortex.extract(str(second))
    third = codex_file(THIRD, AFTER, base=SESSION, first=5, day="11")
    for path in (first, second, third):
        cortex.extract(str(path))
    active = " ".join(one.text for one in cortex.list().memories)
    assert "tabs" not in active
    assert "make check" in active
    assert "UTC" in active
    assert sorted(said(cortex)) == sorted([FIRST, AFTER])


def test_what_a_chain_of_files_of_codex_keeps_stands(cortex, codex_file):
    paths = [
        codex_file(SESSION, FIRST, GONE),
        codex_file(SECOND, AFTER, GONE, base=SESSION, first=5),
        codex_file(THIRD, ASKED, base=SECOND, first=10),
    ]
    for path in paths:
        cortex.extract(str(path))
    assert "tabs" not in " ".join(one.text for one in cortex.list().memories)
    assert sorted(said(cortex)) == sorted([FIRST, AFTER, ASKED])


def test_a_fork_in_codex_takes_nothing_back_in_its_parent(cortex, codex_file):
    for path in (
        codex_file(SESSION, FIRST, GONE),
        codex_file(FORK, AFTER, base=SESSION, first=5, session=FORK),
    ):
        cortex.extract(str(path))
    assert "tabs" in " ".join(one.text for one in cortex.list().memories)


def opencode_document(cwd, *texts):
    """As the client exports a session: what the person took back is gone once they go on."""
    said = talk(FIRST, GONE, AFTER, folder=cwd)
    kept = [one for prompt in (0, 2, 4) if said[prompt].text in texts for one in said[prompt : prompt + 2]]
    return transcripts.opencode("x1", kept)


def test_what_a_client_leaves_out_of_its_document_is_put_away_and_what_came_instead_is_learned(
    cortex, tmp_path
):
    path = tmp_path / "s1.json"
    for texts in ((FIRST, GONE), (FIRST, AFTER), (FIRST, AFTER)):
        transcripts.write(path, opencode_document(tmp_path, *texts))
        cortex.extract(str(path))
    active = " ".join(one.text for one in cortex.list().memories)
    assert "tabs" not in active
    assert "make check" in active
    assert "UTC" in active
    assert [one.evidence for one in cortex.list().memories] == [1, 1]
    assert sorted(said(cortex)) == sorted([FIRST, AFTER])


def test_only_a_file_that_was_cut_off_is_read_anew(tmp_path):
    lines = list(transcripts.copilot("s1", talk(FIRST, GONE, AFTER, folder=tmp_path)))
    path = transcripts.write(tmp_path / "s1.jsonl", lines[:5])
    before = open_transcript(path)
    assert len(list(before)) == 4
    assert not before.rewritten
    transcripts.write(path, lines)
    assert not open_transcript(path, cursor=before.cursor).rewritten  # it has only grown
    transcripts.write(path, lines[:4])
    assert open_transcript(path, cursor=before.cursor).rewritten
