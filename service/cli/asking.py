"""What the commands that ask a collection have in common."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from wrac.protocols import Embedder, SparseEncoder, Store


@dataclass(frozen=True, slots=True)
class Asked:
    """An open collection and what its queries are encoded with."""

    store: Store
    embedder: Embedder
    sparse: SparseEncoder


@contextmanager
def asked(collection: str) -> Iterator[Asked]:
    """The collection of the settings at hand, for as long as it is asked.

    Raises ``ConfigError`` where nothing was crawled yet, ``StoreLocked``, ``StoreError``.
    """
    from indexing import make_embedder, make_sparse_encoder, open_store
    from service.state import require_collection
    from wrac.config import load_settings

    settings = load_settings()
    require_collection(settings)
    embedder = make_embedder(settings)
    sparse = make_sparse_encoder(settings)
    with open_store(settings, collection) as store:
        yield Asked(store, embedder, sparse)


def language_filter(lang: str) -> Mapping[str, object] | None:
    """What narrows to pages in a language; nothing for none."""
    return {"language": lang.lower()} if lang else None
