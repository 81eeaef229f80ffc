from __future__ import annotations

import pytest
from made_up_crawls import Crawls, InlinePool

from ingest.workers import WorkerPool


@pytest.fixture
def crawls(tmp_path, monkeypatch) -> Crawls:
    """Crawls whose stages run in this process, which saves a second each."""
    monkeypatch.setattr("ingest.run.WorkerPool", InlinePool)
    return Crawls(tmp_path / "data")


@pytest.fixture
def real_workers(crawls, monkeypatch) -> None:
    """Worker processes after all."""
    monkeypatch.setattr("ingest.run.WorkerPool", WorkerPool)
