"""Logic of the session loop: how memories are worded for an agent, and whether they were used."""
