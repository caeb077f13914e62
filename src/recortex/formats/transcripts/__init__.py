"""Transcripts of coding agents: `open_transcript` reads any of them.

A client is a row in `detection.FORMATS`.
"""

from recortex.formats.transcripts.detection import FORMATS, Format, detect, format_names
from recortex.formats.transcripts.reader import TranscriptReader, open_transcript

__all__ = ["FORMATS", "Format", "TranscriptReader", "detect", "format_names", "open_transcript"]
