"""Arguments as clients send them that know only texts: lists, numbers, truths and nothing as strings."""

FACT = "The tide table is printed at noon, since the harbour office closes early."
CALLS = [
    ("recall", {"query": "when is the tide table printed?", "limit": "3", "files": "null"}),
    ("recall", {"query": "when is the tide table printed?", "budget": 400.0, "kinds": "semantic"}),
    ("recall", {"query": "when is the tide table printed?", "kinds": '["semantic", "tribal"]'}),
    ("context", {"task": "print the tide table earlier", "files": '["src/tide.py"]', "budget": "800"}),
]


def test_what_is_sent_as_text_is_taken_as_what_it_means(with_client):
    async def work(client):
        kept = await client.call_tool(
            "remember", {"text": FACT, "kind": "semantic", "tags": '["harbour", "tide"]'}
        )
        return kept, [await client.call_tool(tool, arguments) for tool, arguments in CALLS]

    kept, answers = with_client(work)
    assert not kept.is_error
    for found in answers:
        assert not found.is_error, found.content
        assert "printed at noon" in found.content[0].text
