"""Sync: the memories of a team, replicated version by version, over a git branch or a server."""

from recortex.plugins import Capability

CAPABILITY = Capability(
    operations=("recortex.sync.operations:SyncOperations",),
    heading="Projects and stores",
    jobs=("recortex.sync.jobs:JOBS",),
    purging="recortex.sync.jobs:before_purge",
    waiting="recortex.sync.jobs:undecided",
    renderers={"Synced": "recortex.sync.operations:synced"},
)
