"""What an agent is about to do, and which kinds of memories help with that."""
