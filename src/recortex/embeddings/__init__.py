"""Texts to vectors, on this machine."""
