"""How much is shown of each exchange that may answer."""

import os
import subprocess
import sys

from recortex.domain.exchange import SHOWN, ExchangeHit
from recortex.engines.exchanges.service import AROUND, ExchangeRetrieval, FoundExchange

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
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "123456"
    }
    assert len(told) == 1
