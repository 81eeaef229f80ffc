"""A multimodal model and an embedder on loopback that know the right answers, for measuring what surrounds models.

Bills as a vendor would, by formulas of its own: words by the tokenizer, pictures by tiles of 512 pixels.
"""

from __future__ import annotations

import base64
import json
import math
import re
import struct
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from wrac.records import Usage
from wrac.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

DIMENSION = 8
_LABEL = re.compile(r"\[\[page (\d+)\]\]")


@dataclass(slots=True)
class StubModels:
    """The server; a context manager. ``truth`` is the right transcript of each page."""

    truth: Mapping[int, str]
    billed: Usage = Usage()
    asked: list[int] = field(default_factory=list)
    """Pages that were asked for, in order of arrival."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _server: ThreadingHTTPServer = field(init=False)

    @property
    def base_url(self) -> str:
        """What an OpenAI client takes as its base URL."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        stub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                made = stub._embedded(asked) if self.path.endswith("/embeddings") else stub._transcribed(asked)
                body = json.dumps(made).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                """Nothing is logged."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _transcribed(self, asked: dict[str, Any]) -> dict[str, Any]:
        system, user = asked["messages"]
        texts = [part["text"] for part in user["content"] if part["type"] == "text"]
        numbers = [int(label[1]) for text in texts if (label := _LABEL.fullmatch(text))]
        reply = "".join(f"[[page {number}]]\n{self.truth.get(number, '')}\n" for number in numbers) + "[[end]]"
        pictures = [part["image_url"]["url"] for part in user["content"] if part["type"] == "image_url"]
        usage = Usage(
            count_tokens(system["content"]) + sum(map(count_tokens, texts)) + sum(map(_tiles, pictures)),
            0,
            count_tokens(reply),
            1,
        )
        with self._lock:
            self.billed += usage
            self.asked += numbers
        message = {"role": "assistant", "content": reply}
        return {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": asked["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {
                "prompt_tokens": usage.input_tokens,
                "completion_tokens": usage.output_tokens,
                "total_tokens": usage.input_tokens + usage.output_tokens,
            },
        }

    def _embedded(self, asked: dict[str, Any]) -> dict[str, Any]:
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        packed = base64.b64encode(struct.pack(f"<{DIMENSION}f", *([1.0] * DIMENSION))).decode()
        vector: Any = packed if asked.get("encoding_format") == "base64" else [1.0] * DIMENSION
        data = [{"object": "embedding", "index": index, "embedding": vector} for index in range(len(texts))]
        usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
        return {"object": "list", "model": asked["model"], "data": data, "usage": usage}


def _tiles(url: str) -> int:
    """Tokens of a picture in high detail: into 2,048 x 2,048, its short side to 768, 170 a tile and 85 more."""
    wide, high = struct.unpack(">II", base64.b64decode(url.partition(",")[2][:64])[16:24])
    shrink = min(1.0, 2_048 / max(wide, high))
    shrink *= min(1.0, 768 / (min(wide, high) * shrink))
    return 85 + 170 * math.ceil(round(wide * shrink) / 512) * math.ceil(round(high * shrink) / 512)
