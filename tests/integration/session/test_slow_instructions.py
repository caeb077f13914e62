"""An instruction file that takes too long is left out by name; what is known of it stays."""

import pytest

from recortex import Cortex
from recortex.app.jobs import instructions
from recortex.domain.vocabulary import Status

RULES = (
    "# Rules\n\n- Never push to main, always open a pull request.\n- Run `just check` before each commit.\n"
)


@pytest.mark.usefixtures("without_vectors")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_file_that_takes_too_long_is_named_and_forgets_nothing(project, clock, monkeypatch):
    (project / "CLAUDE.md").write_text(RULES)
    with Cortex.open(project, clock=clock) as cortex:
        assert cortex.import_("rules").added
        before = {one.id: one.status for one in cortex.list().memories}
        (project / "CLAUDE.md").write_text(
            RULES + "- A line about nothing in particular, said again.\n" * 2_500
        )
        with monkeypatch.context() as hurried:
            hurried.setattr(instructions, "SECONDS", 0.001)
            done = cortex.import_("rules")
        assert [one for one in done.problems if one.startswith("CLAUDE.md: left out: reading it took")]
        assert {one.id: one.status for one in cortex.list().memories} == before
        assert set(before.values()) == {Status.ACTIVE}
        again = cortex.import_("rules")
        assert again.problems == ()
