"""Transcripts, imports and exports: a file per format."""
