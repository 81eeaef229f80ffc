"""The line that says where a crawl is: it moves in every phase and fits a terminal."""

from __future__ import annotations

from ingest.progress import Progress
from ingest.summary_lines import progress_line


def test_while_pages_are_fetched_the_rate_and_the_queue_are_told():
    line = progress_line(Progress(pages=30, chunks=412, queue=9, published=0, seconds={}), 65.0, 120)
    assert line == "  1:05  30 pages (0.5/s)  120 queued  412 chunks"


def test_while_texts_are_embedded_the_line_still_moves():
    at_first = Progress(pages=183, chunks=5388, queue=9, published=6, seconds={}, embedded=3522)
    later = Progress(pages=183, chunks=5388, queue=8, published=6, seconds={}, embedded=3570)
    assert progress_line(at_first, 540.0, None) == "  9:00  183 pages  5388 chunks (3522 embedded)  6 published"
    assert progress_line(later, 545.0, None) != progress_line(at_first, 545.0, None)


def test_a_large_crawl_fits_eighty_columns():
    large = Progress(pages=19_999, chunks=400_000, queue=1, published=19_000, seconds={}, embedded=390_000)
    assert len(progress_line(large, 59_999.0, None)) <= 80
    assert len(progress_line(large, 5_999.0, 9_999)) <= 96
