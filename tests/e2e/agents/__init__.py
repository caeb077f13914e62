"""Real agent clients, offline: their own hooks, plug-ins, tools and transcripts, with a scripted model."""
