"""The mock site and the product, for tests that run whole commands."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from mock_embeddings import MockEmbeddings
from mock_site import MockSite
from product import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator


HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def site() -> Iterator[MockSite]:
    """A server without routes; each module fills it."""
    with MockSite() as server:
        yield server


@pytest.fixture(scope="module")
def embeddings() -> Iterator[MockEmbeddings]:
    """An embeddings endpoint that counts."""
    with MockEmbeddings() as endpoint:
        yield endpoint


@pytest.fixture
def workspace(tmp_path: Path, embeddings: MockEmbeddings) -> Iterator[Workspace]:
    """An empty workspace that embeds by the mock endpoint."""
    made = Workspace(tmp_path, embeddings)
    yield made
    made.stop_all()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whole crawls get more time than a unit test: seconds on a free machine, minutes on a crowded one."""
    for item in items:
        if item.path.parent == HERE:
            item.add_marker(pytest.mark.timeout(500))
