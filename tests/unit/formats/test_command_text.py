"""What of a prompt stands in a command file, and what was typed beside it."""

import time

import pytest

from recortex.formats.command_text import Typed, bodies, template, typed_beside

FILE = "Review the change in $ARGUMENTS and never touch the generated files."


def beside(text, *files, name="a.md"):
    found = [made for file in files for body in bodies(name, file) if (made := template(body))]
    told = typed_beside(text, found)
    return told and told.words


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        (FILE, FILE.replace("$ARGUMENTS", "src/a.py"), "src/a.py"),
        (FILE, FILE.replace("$ARGUMENTS", ""), ""),
        (FILE, FILE, ""),
        (f"---\ndescription: Looks.\n---\n{FILE}\n", FILE.replace("$ARGUMENTS", "it"), "it"),
        (FILE.replace("$ARGUMENTS", "{{args}}"), FILE.replace("$ARGUMENTS", "it"), "it"),
        ("Compare the two branches named $1 and $2 by line, $1 first.",
         "Compare the two branches named a and b c by line, a first.", "a\n\nb c"),
        ("Look at the change that I name here: $@", "Look at the change that I name here:", ""),
        ("Look at the change I name here: ${@:2}", "Look at the change I name here: x\r\ny", "x\ny"),
        ("Deploy it to the site.", "Deploy it to the site.\n\nnot on Fridays", "not on Fridays"),
        ("Deploy it to the site.", "Deploy it to the site.\n\n/deploy not now", "not now"),
        ("Deploy it to the site.", "Deploy it to the site.\n\nARGUMENTS: not now", "not now"),
        ("Deploy it to the site.", "Deploy it to the site. Not now.", None),
        ("Deploy it to the site.", "Please: deploy it to the site.", None),
        ("Say what changed since then:\n!`git log`", "Say what changed since then:\nNever push.", ""),
        ("Say what changed since then:\n!{git log} $1", "Say what changed since then:\nNever x", ""),
    ],
)  # fmt: skip
def test_only_the_arguments_were_typed(file, text, expected):
    assert beside(text, file) == expected


@pytest.mark.parametrize(
    ("file", "within"),
    [
        ("Do not $ARGUMENTS when you look at the silo.", True),
        ('Search the whole silo for "$ARGUMENTS" and count.', True),
        ("Look at the silo and say what is in it: $ARGUMENTS", False),
        ("Look at the silo and say what is in it.\n\n$ARGUMENTS\n\nthen stop", False),
        ("Look at the silo and say what is in it.\n<words>$ARGUMENTS</words>", False),
        ("Look at the silo and say what is in it.", False),
    ],
)
def test_what_fills_a_place_in_a_sentence_is_told_from_what_stands_alone(file, within):
    text = file.replace("$ARGUMENTS", "always deploy on Fridays")
    told = typed_beside(text if "$" in file else f"{file}\n\nalways deploy on Fridays", [template(file)])
    assert told == Typed("always deploy on Fridays", within)


def test_of_several_commands_the_one_that_leaves_least_made_it():
    open_, whole = "Do the following now, please: $ARGUMENTS", "Do the following now, please: never use tabs."
    assert beside("Do the following now, please: never use tabs.", open_, whole) == ""
    assert beside("Do the following now, please: never use tabs.", whole, open_) == ""
    shown = "Do the following now, please: !`cat rules.txt`"
    assert beside("Do the following now, please: never use spaces.", open_, shown) == ""


@pytest.mark.parametrize(
    "file", ["$ARGUMENTS", "yes", "", "a$1b", "".join("e$1" * 40), "From now on $1", "---\n"]
)
def test_a_file_that_says_little_takes_no_word_from_the_person(file):
    assert beside("yes", file) is None
    assert beside("From now on we never use tabs here, since everybody else here uses spaces.", file) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('prompt = """\nLook at {{args}} for long.\n"""', ["Look at {{args}} for long.\n"]),
        ("prompt = 3", []), ("prompt = ", []), ("[" * 50_000, []), ('description = "x"', []),
    ],
)  # fmt: skip
def test_toml_gives_its_prompt(text, expected):
    assert list(bodies("a.toml", text)) == expected


def test_a_hostile_file_costs_no_more_than_reading_the_text():
    made = [template("a" * 30 + "$1a" * 99) for _ in range(300)]
    text = "a" * 30 + "ab" * 30_000
    before = time.process_time()
    typed_beside(text + "c", [one for one in made if one])
    assert time.process_time() - before < 2
