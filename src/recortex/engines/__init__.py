"""The thinking: a folder per capability, pure modules and at most one service."""
