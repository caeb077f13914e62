from recortex.engines.extraction.sentences import passages, plain, sentences, statement


def test_headings_are_none_and_list_items_stand_alone():
    text = "## Cache\n\nThe cache is used by:\n- `Loader`\n  - at start\n- `Saver`\n**Part:**\n<notes>\nEnd."
    assert list(passages(text)) == ["The cache is used by:", "`Loader`", "at start", "`Saver`", "End."]


def test_code_tables_quotations_and_rules_are_not_prose():
    text = "Before.\n```py\nx = 1\n```\n| a | b |\n> quoted\n---\nAfter."
    assert list(passages(text)) == ["Before.", "After."]


def test_an_unclosed_fence_hides_the_rest():
    assert list(passages("Before.\n```\nnever closed\nAfter.")) == ["Before."]


def test_wrapped_lines_are_one_passage():
    assert list(passages("- first\n  half\n\nNew paragraph\ngoes on.")) == [
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
