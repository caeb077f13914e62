"""Each test of the contract runs on each engine and layout, in an empty store of its own."""

from functools import partial

import pytest
from servers import LAYOUTS, Server, empty_store


def pytest_collection_modifyitems(items):
    """Mark the tests of partitioned tables as `full`: their statements are those of plain ones."""
    for item in items:
        if "postgres-partitioned" in item.name:
            item.add_marker("full")


@pytest.fixture(scope="session")
def server():
    """A real PostgreSQL of this test process; it starts when it is first asked for something."""
    made = Server()
    yield made
    made.stop()


@pytest.fixture(params=LAYOUTS)
def layout(request):
    """An engine, and how its tables are laid out."""
    return request.param


@pytest.fixture(scope="session")
def empty(server):
    """Opens an empty store of a layout, for one example of a property."""
    return partial(empty_store, server)


@pytest.fixture
def store(layout, empty):
    """An empty store."""
    with empty(layout) as opened:
        yield opened
