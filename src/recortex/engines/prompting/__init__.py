"""Asks a language model: selects what may be sent, asks, and checks the answers."""
