"""The episodic tier: what was said in sessions, as exchanges that can be found again."""
