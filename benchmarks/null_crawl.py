"""``scrapy crawl docs_site`` with the null index in place of the real one.

    python -m benchmarks.null_crawl REPORT

Runs in a folder with ``sites/docs_site.toml``; writes the number of indexed pages to REPORT as JSON.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import sys
from pathlib import Path

import ingest.run
from scrapy.cmdline import execute

import ingest.indexer
from benchmarks.null_index import NullIndexer


def main() -> int:
    """The crawl's exit code."""
    report = Path(sys.argv[1])
    for module in (ingest.indexer, ingest.run):
        if hasattr(module, "CollectionIndexer"):
            module.CollectionIndexer = NullIndexer  # type: ignore[misc,assignment]
    code = 0
    try:
        execute(["scrapy", "crawl", "docs_site"])
    except SystemExit as end:
        code = int(end.code or 0)
    with contextlib.closing(sqlite3.connect(".wrac/ledger.sqlite")) as ledger:
        (indexed,) = ledger.execute("select count(*) from pages where outcome = 'indexed'").fetchone()
    report.write_text(json.dumps({"indexed": indexed, "code": code}), encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
