"""``scrapy crawl docs_site`` with the null index in place of the real one.

    python -m benchmarks.null_crawl REPORT

Runs in a folder with ``sites/docs_site.toml``; writes the number of indexed pages and the CPU seconds of the crawler
and of its workers to REPORT as JSON. With WRAC_BENCH_PROFILE the crawler's profile goes to that file.
"""

from __future__ import annotations

import contextlib
import cProfile
import json
import os
import resource
import sqlite3
import sys
import time
from pathlib import Path

from scrapy.cmdline import execute

import ingest.indexer
import ingest.run
from benchmarks.null_index import NullIndexer


def main() -> int:
    """The crawl's exit code."""
    report = Path(sys.argv[1])
    for module in (ingest.indexer, ingest.run):
        if hasattr(module, "CollectionIndexer"):
            module.CollectionIndexer = NullIndexer  # type: ignore[misc,assignment]
    loaded, code = time.process_time(), 0
    profile = cProfile.Profile() if (target := os.environ.get("WRAC_BENCH_PROFILE")) else contextlib.nullcontext()
    try:
        with profile:
            execute(["scrapy", "crawl", "docs_site"])
    except SystemExit as end:
        code = int(end.code or 0)
    if isinstance(profile, cProfile.Profile):
        profile.dump_stats(str(target))
    with contextlib.closing(sqlite3.connect(".wrac/ledger.sqlite")) as ledger:
        (indexed,) = ledger.execute("select count(*) from pages where outcome = 'indexed'").fetchone()
    workers = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = {
        "indexed": indexed,
        "code": code,
        "loading": loaded,
        "crawler": time.process_time(),
        "workers": workers.ru_utime + workers.ru_stime,
    }
    report.write_text(json.dumps(told), encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
