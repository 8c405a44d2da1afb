"""Recordings on disk: write, read, play, seal and serve them."""

from inspector.recording.files.reading import Break, GoodLines, RecordingFile
from inspector.recording.files.writing import Recorder

__all__ = ["Break", "GoodLines", "Recorder", "RecordingFile"]
