"""Transcripts of coding agents: `open_transcript` reads any of them; a client is a file in `clients/`."""

from recortex.formats.transcripts.detection import Format, detect, format_names, formats
from recortex.formats.transcripts.reader import TranscriptReader, open_transcript

__all__ = ["Format", "TranscriptReader", "detect", "format_names", "formats", "open_transcript"]
