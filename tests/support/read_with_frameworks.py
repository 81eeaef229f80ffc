"""Run by an environment that has the chatbot frameworks: reads a collection with their default constructors.

    python read_with_frameworks.py URL COLLECTION STOPWORDS_FOLDER < question.json > answers.json

``question.json`` holds the vector of a question, a word of it, and a version to filter by.
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

warnings.filterwarnings("ignore", message="Failed to obtain server version")

URL, COLLECTION, STOPWORDS_FOLDER = sys.argv[1:4]
QUESTION = json.load(sys.stdin)


def langchain() -> dict[str, Any]:
    from fastembed import SparseTextEmbedding
    from langchain_core.embeddings import Embeddings
    from langchain_qdrant import QdrantVectorStore, RetrievalMode, SparseEmbeddings, SparseVector
    from qdrant_client import models

    class Dense(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [QUESTION["vector"] for _ in texts]

        def embed_query(self, text: str) -> list[float]:
            return QUESTION["vector"]

    class Sparse(SparseEmbeddings):
        """As langchain's FastEmbedSparse, with our word lists instead of a download."""

        def __init__(self) -> None:
            self.model = SparseTextEmbedding("Qdrant/bm25", specific_model_path=STOPWORDS_FOLDER)

        def embed_documents(self, texts: list[str]) -> list[SparseVector]:
            return [self.embed_query(text) for text in texts]

        def embed_query(self, text: str) -> SparseVector:
            found = next(iter(self.model.query_embed(text)))
            return SparseVector(indices=found.indices.tolist(), values=found.values.tolist())

    store = QdrantVectorStore.from_existing_collection(embedding=Dense(), collection_name=COLLECTION, url=URL)
    hybrid = QdrantVectorStore.from_existing_collection(
        embedding=Dense(),
        sparse_embedding=Sparse(),
        retrieval_mode=RetrievalMode.HYBRID,
        collection_name=COLLECTION,
        url=URL,
    )
    match = models.MatchValue(value=QUESTION["version"])
    only = models.Filter(must=[models.FieldCondition(key="metadata.version", match=match)])
    first = store.similarity_search("", k=1)[0]
    return {
        "text": first.page_content,
        "metadata": first.metadata,
        "filtered": [found.page_content for found in store.similarity_search("", k=9, filter=only)],
        "hybrid": hybrid.similarity_search(QUESTION["word"], k=3)[0].page_content,
    }


def llama_index() -> dict[str, Any]:
    from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters, VectorStoreQuery
    from llama_index.vector_stores.qdrant import QdrantVectorStore
    from qdrant_client import QdrantClient

    store = QdrantVectorStore(collection_name=COLLECTION, client=QdrantClient(url=URL))
    only = MetadataFilters(filters=[MetadataFilter(key="version", value=QUESTION["version"])])
    first = store.query(VectorStoreQuery(query_embedding=QUESTION["vector"], similarity_top_k=1)).nodes[0]
    filtered = store.query(VectorStoreQuery(query_embedding=QUESTION["vector"], similarity_top_k=9, filters=only))
    return {
        "text": first.get_content(),
        "metadata": first.metadata,
        "page": first.ref_doc_id,
        "filtered": [found.get_content() for found in filtered.nodes],
    }


def haystack() -> dict[str, Any]:
    from haystack_integrations.components.retrievers.qdrant import QdrantEmbeddingRetriever
    from haystack_integrations.document_stores.qdrant import QdrantDocumentStore

    store = QdrantDocumentStore(url=URL, index=COLLECTION, embedding_dim=len(QUESTION["vector"]))
    retriever = QdrantEmbeddingRetriever(document_store=store)
    only = {"field": "meta.version", "operator": "==", "value": QUESTION["version"]}
    first = retriever.run(query_embedding=QUESTION["vector"], top_k=1)["documents"][0]
    filtered = retriever.run(query_embedding=QUESTION["vector"], top_k=9, filters=only)["documents"]
    return {"text": first.content, "metadata": first.meta, "filtered": [found.content for found in filtered]}


if __name__ == "__main__":
    json.dump({"langchain": langchain(), "llama_index": llama_index(), "haystack": haystack()}, sys.stdout)
