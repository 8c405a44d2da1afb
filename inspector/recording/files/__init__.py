"""Recordings on disk."""

from inspector.recording.files.reading import Break, GoodLines, RecordingFile
from inspector.recording.files.writing import Recorder

__all__ = ["Break", "GoodLines", "Recorder", "RecordingFile"]
