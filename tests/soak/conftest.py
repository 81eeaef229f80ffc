"""Everything here runs in ``make soak`` only."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from mock_embeddings import MockEmbeddings
from mock_site import MockSite

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whole commands, one after another: more time than an ordinary test has."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.soak)
            item.add_marker(pytest.mark.timeout(1_200))


@pytest.fixture(scope="module")
def site() -> Iterator[MockSite]:
    with MockSite() as server:
        yield server


@pytest.fixture(scope="module")
def embeddings() -> Iterator[MockEmbeddings]:
    with MockEmbeddings() as endpoint:
        yield endpoint
