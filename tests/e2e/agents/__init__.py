"""Real agent clients, driven offline: their own hooks, plug-ins, tools and transcripts; only the model's words are scripted."""
