"""What a language model wrote stands only if each of its sentences says what the selected ones say."""

import pytest

from recortex.consolidation.phases import grounded
from recortex.engines.prompting.service import Polished

SAID = [
    "Backups of the shop's database are written each night by the backup job on db-1.",
    "They go to store-eu.",
    "Backups stay for 30 days.",
]
WHOLE = [Polished(SAID[0], (1,)), Polished(SAID[1], (2,)), Polished(SAID[2], (3,))]


def test_the_same_words_in_another_order_stand():
    joined = Polished("Backups go to store-eu and stay for 30 days.", (1, 2, 3))
    assert grounded(WHOLE, SAID) == "\n".join(SAID)
    assert grounded([WHOLE[0], joined], SAID) == f"{SAID[0]}\n{joined.text}"


@pytest.mark.parametrize(
    "written",
    [
        [],
        WHOLE[:2],
        [*WHOLE, WHOLE[0]],
        [WHOLE[0], WHOLE[1], Polished("Backups stay for 30 days.", (4,))],
        [WHOLE[0], WHOLE[1], Polished("Backups stay for 30 days.", ())],
        [WHOLE[0], WHOLE[1], Polished("Backups stay for 31 days.", (3,))],
        [WHOLE[0], WHOLE[1], Polished("Backups do not stay for 30 days.", (3,))],
        [WHOLE[0], WHOLE[1], Polished("Backups stay for 30 days, encrypted.", (3,))],
        [WHOLE[0], Polished("They go to store-us.", (2,)), WHOLE[2]],
        [Polished("Backups of the shop's database are written each night.", (1,)), *WHOLE[1:]],
        [WHOLE[0], WHOLE[1], Polished("Backups.", (3,))],
        [WHOLE[0], WHOLE[1], Polished(".", (3,))],
    ],
)
def test_what_says_more_less_or_else_does_not(written):
    assert grounded(written, SAID) == ""
