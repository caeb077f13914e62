"""The clients, programs that run agents: where each keeps its settings, and our entries in them."""
