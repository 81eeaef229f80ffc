"""Questions whose answer is known: how people write them down, and whether a hit answers one.

The same files are the canaries of a rebuild (``ingest.maintenance.canaries``) and what ``wrac evaluate queries`` asks.
"""

from __future__ import annotations

from ingest.questions.question import DEFAULT_K, Question
from ingest.questions.reading import read_questions
from ingest.questions.targets import Target, Targets

__all__ = ["DEFAULT_K", "Question", "Target", "Targets", "read_questions"]
