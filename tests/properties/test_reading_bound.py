"""A pair of statements is not read where nothing comes of it, however sure the model is."""

from hypothesis import example, given
from hypothesis import strategies as st

from recortex.domain.memory import Chances
from recortex.engines.supersession import other_value
from recortex.engines.supersession.reading import SUREST, Outcome, read_together

STATEMENTS = (
    "Routes are declared with chi",
    "Throw chi out and use ServeMux for routes",
    "Pull requests are squash merged.",
    "No more squash merges of pull requests.",
    "The cart is kept for 30 days.",
    "The cart is kept for 90 days now.",
    "From now on, tests run in parallel",
    "Tests never run in parallel",
    "Images are pushed to the registry of the team",
)
parts = st.tuples(*[st.floats(0.001, 1)] * 3)
statements = st.sampled_from(STATEMENTS)


def chances(told):
    return Chances(*(one / sum(told) for one in told))


@given(statements, statements, parts, parts, st.none() | st.floats(-1, 1))
@example(STATEMENTS[0], STATEMENTS[1], (0.001, 0.001, 1), (1, 1, 1), 0.9)
def test_where_the_surest_reading_does_nothing_no_other_does(known, new, whole, clauses, likeness):
    differ = other_value(known, new) is not None
    surest = read_together(known, new, SUREST, likeness, SUREST if differ else None)
    read = read_together(known, new, chances(whole), likeness, chances(clauses) if differ else None)
    assert surest.outcome is not Outcome.NOTHING or read.outcome is Outcome.NOTHING
