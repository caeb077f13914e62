from recortex.embeddings.enrichment import enriched


def test_every_part_has_its_place():
    text = enriched(
        "Rounding before summing loses cents.",
        kind="tribal",
        importance="high",
        category="gotcha",
        summary="Never round before summing",
        files=["src/invoice.py", "src/tax.py"],
        patterns=["money"],
        project="billing",
    )
    assert text == (
        "[tribal|high|gotcha] [project:billing] Never round before summing\n"
        "Files: src/invoice.py, src/tax.py\n"
        "Patterns: money\n"
        "Rounding before summing loses cents."
    )


def test_lines_with_nothing_are_left_out():
    assert (
        enriched("Body", kind="goal", importance="normal", category="progress")
        == "[goal|normal|progress] Body"
    )
    assert (
        enriched("Body", kind="goal", importance="low", summary="Body", files=["", " "]) == "[goal|low] Body"
    )


def test_names_cannot_break_the_lines():
    text = enriched("Body", kind="goal", importance="low", files=["a\nPatterns: b"], project=" x\ny ")
    assert text == "[goal|low] [project:x y] Body\nFiles: a Patterns: b"
