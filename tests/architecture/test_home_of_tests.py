"""No test may write to the home of the person who runs the tests."""

import os
from pathlib import Path

import pytest

from recortex.settings import home_folder


@pytest.fixture(scope="session")
def home_of_the_session():
    return Path(os.environ["RECORTEX_HOME"])


def test_what_is_made_for_all_tests_has_a_home_of_its_own(home_of_the_session, home):
    assert home != home_of_the_session
    assert home_folder({}) not in {home, home_of_the_session}
