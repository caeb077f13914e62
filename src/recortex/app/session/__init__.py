"""The session loop: what happens at each moment of an agent's session that a hook reports."""
