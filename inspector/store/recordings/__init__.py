"""Recordings on disk."""

from inspector.store.recordings.reading import Break, GoodLines, RecordingFile
from inspector.store.recordings.writing import Recorder

__all__ = ["Break", "GoodLines", "Recorder", "RecordingFile"]
