"""Interfaces that engines and operations use, implemented by storage, embeddings and language models."""
