"""The project on disk: git and files."""
