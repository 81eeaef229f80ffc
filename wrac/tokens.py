"""Token counts: o200k, exact and offline (``bpe-openai`` carries its tables; tiktoken would download them).

Its native module is loaded past the package around it, which builds tables of every model as Python objects at import:
0.7 s of CPU and 75 MiB in each worker process, for nothing that is used here.
"""

from __future__ import annotations

from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable


class _Tokenizer(Protocol):
    def count(self, text: str) -> int: ...


def count_tokens(text: str) -> int:
    """Number of o200k tokens of ``text``."""
    return count_each((text,))[0]


def count_each(texts: Iterable[str]) -> list[int]:
    """Number of o200k tokens of every text, in order; cheaper than as many calls of ``count_tokens``."""
    count = _tokenizer().count
    counts = []
    for text in texts:
        try:
            counts.append(count(text))
        except UnicodeEncodeError:  # lone surrogates
            counts.append(count(text.encode("utf-8", "replace").decode("utf-8")))
    return counts


@cache
def _tokenizer() -> _Tokenizer:
    tokenizer: _Tokenizer = _native_module().tokenizer_for_encoding("o200k_base")
    return tokenizer


def _native_module() -> Any:
    package = find_spec("bpe_openai")
    folders = package.submodule_search_locations if package is not None else None
    for folder in folders or ():
        for suffix in EXTENSION_SUFFIXES:
            file = Path(folder) / f"_bindings{suffix}"
            spec = spec_from_file_location("bpe_openai._bindings", file) if file.exists() else None
            if spec is not None and spec.loader is not None:
                module = module_from_spec(spec)
                spec.loader.exec_module(module)
                return module
    raise ImportError("bpe-openai is not installed, or has no native module: pip install bpe-openai")
