"""Other people's programs that run agents: where each keeps its settings, and what has to stand there."""
