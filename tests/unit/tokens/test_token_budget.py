from recortex.engines.tokens.budget import Allocation, allocate, fits, remaining


def test_what_remains_is_never_negative():
    assert [remaining(100, used) for used in (0, 40, 100, 140)] == [100, 60, 0, 0]


def test_a_text_fits_up_to_the_budget_itself():
    assert [fits(tokens, 10) for tokens in (0, 10, 11)] == [True, True, False]


def test_what_does_not_fit_is_passed_over_and_smaller_items_follow():
    assert allocate([50, 80, 30, 20, 1], 100) == [
        Allocation(0, 50),
        Allocation(1, 0),
        Allocation(2, 30),
        Allocation(3, 20),
        Allocation(4, 0),
    ]


def test_nothing_is_given_of_an_empty_budget():
    assert allocate([1, 2], 0) == [Allocation(0, 0), Allocation(1, 0)]
    assert allocate([], 10) == []
