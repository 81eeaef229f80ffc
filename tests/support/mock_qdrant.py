"""A Qdrant server on loopback: the REST routes that the store uses, answered by qdrant-client's local mode.

Requests and answers pass through real HTTP and the client's own REST models, so that everything which is sent must be
what a server takes. Faults can be queued: the next requests are then answered with them.
"""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import TypeAdapter
from qdrant_client import QdrantClient, models

if TYPE_CHECKING:
    from collections.abc import Callable

_ROUTES: list[tuple[str, str, Callable[[QdrantClient, str, Any], Any]]] = []


def _route(method: str, path: str) -> Callable[[Any], Any]:
    def add(answer: Callable[[QdrantClient, str, Any], Any]) -> Callable[[QdrantClient, str, Any], Any]:
        _ROUTES.append((method, path, answer))
        return answer

    return add


def _parsed(kind: Any, body: Any) -> Any:
    return TypeAdapter(kind).validate_python(body)


_DONE = {"operation_id": 0, "status": "completed"}


@_route("GET", "/exists")
def _exists(client: QdrantClient, name: str, _: Any) -> Any:
    return {"exists": client.collection_exists(name)}


@_route("GET", "")
def _info(client: QdrantClient, name: str, _: Any) -> Any:
    return client.get_collection(name).model_copy(update={"payload_schema": _indexed(client, name)})


@_route("DELETE", "")
def _drop(client: QdrantClient, name: str, _: Any) -> Any:
    return client.delete_collection(name)


@_route("PUT", "")
def _create(client: QdrantClient, name: str, body: Any) -> Any:
    asked = _parsed(models.CreateCollection, body)
    return client.create_collection(
        name,
        vectors_config=asked.vectors,
        sparse_vectors_config=asked.sparse_vectors,
        metadata=asked.metadata,
    )


@_route("PUT", "/index")
def _index(client: QdrantClient, name: str, body: Any) -> Any:
    told = _parsed(models.CreateFieldIndex, body)
    _indexed(client, name)[told.field_name] = models.PayloadIndexInfo(data_type="keyword", points=0)
    return _DONE


def _indexed(client: QdrantClient, name: str) -> dict[str, models.PayloadIndexInfo]:
    """The keys that have an index, by the name that was asked; local mode has none and would forget them."""
    kept: dict[str, dict[str, models.PayloadIndexInfo]] = client.__dict__.setdefault("indexed", {})
    return kept.setdefault(name, {})


@_route("PUT", "/points")
def _upsert(client: QdrantClient, name: str, body: Any) -> Any:
    client.upsert(name, points=_parsed(models.PointsList, body).points)
    return _DONE


@_route("POST", "/points/delete")
def _delete(client: QdrantClient, name: str, body: Any) -> Any:
    client.delete(name, points_selector=_parsed(models.PointsSelector, body))
    return _DONE


@_route("POST", "/points/batch")
def _batch(client: QdrantClient, name: str, body: Any) -> Any:
    operations = _parsed(models.UpdateOperations, body).operations
    client.batch_update_points(name, update_operations=operations)
    return [_DONE for _ in operations]


@_route("POST", "/points")
def _retrieve(client: QdrantClient, name: str, body: Any) -> Any:
    asked = _parsed(models.PointRequest, body)
    return client.retrieve(
        name, ids=asked.ids, with_payload=_given(asked.with_payload), with_vectors=_given(asked.with_vector) or False
    )


@_route("POST", "/points/scroll")
def _scroll(client: QdrantClient, name: str, body: Any) -> Any:
    asked = _parsed(models.ScrollRequest, body)
    points, offset = client.scroll(
        name,
        scroll_filter=asked.filter,
        limit=asked.limit or 10,
        offset=asked.offset,
        with_payload=_given(asked.with_payload),
        with_vectors=_given(asked.with_vector) or False,
    )
    return {"points": [point.model_dump() for point in points], "next_page_offset": offset}


@_route("POST", "/points/count")
def _count(client: QdrantClient, name: str, body: Any) -> Any:
    return client.count(name, count_filter=_parsed(models.CountRequest, body).filter, exact=True)


@_route("POST", "/facet")
def _facet(client: QdrantClient, name: str, body: Any) -> Any:
    asked = _parsed(models.FacetRequest, body)
    return client.facet(name, key=asked.key, facet_filter=asked.filter, limit=asked.limit or 10)


@_route("POST", "/points/query")
def _query(client: QdrantClient, name: str, body: Any) -> Any:
    return client.query_batch_points(name, requests=[_parsed(models.QueryRequest, body)])[0]


@_route("POST", "/points/query/batch")
def _query_batch(client: QdrantClient, name: str, body: Any) -> Any:
    return client.query_batch_points(name, requests=_parsed(models.QueryRequestBatch, body).searches)


def _given(value: Any) -> Any:
    return True if value is None else value


class MockQdrant:
    """The server; a context manager. ``key`` is asked of every request where it is set."""

    def __init__(self, key: str = "") -> None:
        self.key = key
        self.requests: list[tuple[str, str]] = []
        """Method and path of every request, in order."""
        self.faults: list[tuple[int, dict[str, str]]] = []
        """Status and headers of the next answers, taken from the front."""
        self.client = QdrantClient(":memory:", force_disable_check_same_thread=True)
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    @property
    def url(self) -> str:
        """Where the server listens."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def answer(self, method: str, target: str, key: str, body: bytes) -> tuple[int, dict[str, str], Any]:
        """Status, headers and JSON body of the answer."""
        path = urlsplit(target).path
        with self._lock:
            self.requests.append((method, path))
            if self.faults:
                status, headers = self.faults.pop(0)
                return status, headers, {"status": {"error": "as asked"}}
            if self.key and key != self.key:
                return 401, {}, {"status": {"error": "Must provide an API key"}}
            try:
                return 200, {}, {"status": "ok", "time": 0.0, "result": self._result(method, path, body)}
            except ValueError as error:
                status = 404 if "not found" in str(error) else 400
                return status, {}, {"status": {"error": str(error)}}

    def _result(self, method: str, path: str, body: bytes) -> Any:
        asked = json.loads(body) if body else None
        if path == "/collections/aliases":
            return self.client.update_collection_aliases(_parsed(models.ChangeAliasesOperation, asked).actions)
        if (method, path) == ("GET", "/aliases"):
            return _jsonable(self.client.get_aliases())
        if (method, path) == ("GET", "/collections"):
            return _jsonable(self.client.get_collections())
        found = re.fullmatch(r"/collections/([^/]+)(/.*|)", path)
        for wanted, rest, answer in _ROUTES:
            if found and wanted == method and rest == found[2]:
                return _jsonable(answer(self.client, found[1], asked))
        raise ValueError(f"{method} {path} not found")

    def __enter__(self) -> MockQdrant:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self.client.close()


def _jsonable(value: Any) -> Any:
    if isinstance(value, list):
        return [_jsonable(item) for item in value]
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else value


def _handler(server: MockQdrant) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            status, headers, answer = server.answer(self.command, self.path, self.headers.get("api-key", ""), body)
            raw = json.dumps(answer).encode()
            self.send_response(status)
            for name, value in {**headers, "content-type": "application/json", "content-length": str(len(raw))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw)

        do_GET = do_PUT = do_POST = do_DELETE = _serve  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Nothing on the terminal."""

    return Handler
