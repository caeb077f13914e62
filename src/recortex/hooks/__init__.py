"""`recortex hook EVENT`: the agent's client calls it at each moment of a session."""
