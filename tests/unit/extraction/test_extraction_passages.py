from recortex.engines.extraction.sentences import impersonal, passages, plain, sentences, statement


def test_a_list_item_knows_its_heading_its_lead_and_its_parents():
    text = "## Cache\n\nThe cache is used by:\n- `Loader`\n  - only at start\n- `Saver`"
    read = list(passages(text))
    assert [one.text for one in read] == ["The cache is used by:", "`Loader`", "only at start", "`Saver`"]
    assert read[2].parents == ("`Loader`",)
    assert read[3].parents == ()
    assert read[3].lead == "The cache is used by:"
    assert all(one.headings == ("Cache",) for one in read)


def test_code_tables_quotations_and_rules_are_not_prose():
    text = "Before.\n```py\nx = 1\n```\n| a | b |\n> quoted\n---\nAfter."
    assert [one.text for one in passages(text)] == ["Before.", "After."]


def test_an_unclosed_fence_hides_the_rest():
    assert [one.text for one in passages("Before.\n```\nnever closed\nAfter.")] == ["Before."]


def test_numbered_sections_of_a_summary_are_headings():
    read = list(passages("4. Errors and fixes:\n   - **A**: b\n5. Problem Solving:\n   Done."))
    assert [one.headings for one in read] == [("Errors and fixes",), ("Problem Solving",)]


def test_a_bold_line_is_a_heading_below_the_others():
    read = list(passages("# Top\n**Part:**\nText.\n# Next\nMore."))
    assert [one.headings for one in read] == [("Top", "Part:"), ("Next",)]


def test_wrapped_lines_are_one_passage():
    assert [one.text for one in passages("- first\n  half\n\nNew paragraph\ngoes on.")] == [
        "first half",
        "New paragraph goes on.",
    ]


def test_sentences_are_not_split_inside_code_or_after_abbreviations():
    text = "Use `a. B` e.g. Here first. Then go on! Is `x.y` set? Yes."
    assert sentences(text) == ["Use `a. B` e.g. Here first.", "Then go on!", "Is `x.y` set?", "Yes."]


def test_a_closing_quote_stays_with_its_sentence():
    assert sentences('It said "No such task." Then it stopped.') == [
        'It said "No such task."',
        "Then it stopped.",
    ]


def test_plain_takes_marks_away_and_keeps_words_and_addresses():
    assert (
        plain("✅ **Bold** and [the page](http://a.b) in `main.go:12-14`")
        == "Bold and the page (http://a.b) in `main.go:12-14`"
    )
    assert plain("keep snake_case, a*b and __init__") == "keep snake_case, a*b and __init__"


def test_statement_drops_connectives_but_never_a_negation():
    assert statement("So, actually, the cache is global") == "The cache is global."
    assert statement("It turns out that the cache is global.") == "The cache is global."
    assert statement("No `cache` field exists") == "No `cache` field exists."
    assert statement("`cache` is global") == "`cache` is global."


def test_impersonal_takes_the_agent_out_of_its_decision():
    assert impersonal("I chose A over B.") == "Chose A over B."
    assert impersonal("I think so.") == "I think so."
