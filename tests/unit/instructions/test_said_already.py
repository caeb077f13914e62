"""What says nothing that is not written already; a denial never stands for what it denies."""

import pytest

from recortex.engines.instructions import Written

WRITTEN = Written(
    [
        ("a", "Use pnpm for all packages of the workspace, never npm or yarn.", ()),
        ("b", "Do not use npm workspaces in this repository", ()),
        ("c", "Run the tests with `mise run test` before committing; CI runs them too", ("mise run test",)),
        ("d", "Lint: `golangci-lint run ./...`", ("golangci-lint run ./...",)),
    ]
)


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        ("Use pnpm for all packages.", "a"),
        ("Always run the tests before committing", "c"),
        ("We do not use npm workspaces in this repository.", "b"),
        ("Use npm workspaces in this repository", ""),  # the contrary
        ("Use pnpm for all packages, since npm hoists", ""),  # a reason that is new
        ("Use pnpm", ""),  # too little to tell
        ("Committing runs the tests before", ""),  # another order
    ],
)
def test_saying(text, id_):
    assert WRITTEN.saying(text) == id_


def test_running():
    assert WRITTEN.running(["mise  run test"]) == "c"
    assert WRITTEN.running(["golangci-lint run"]) == "d"
    assert WRITTEN.running(["golangci-lint run", "make e2e"]) == ""
    assert WRITTEN.running([]) == ""
