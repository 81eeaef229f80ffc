"""Crawls one after the other, in the foreground."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING

from service.schedule.crawls import ChildCrawl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

GRACE_SECONDS = 60.0
"""How long a crawl gets to stop in order."""
_STANDARD_ERROR = 2


class CrawlsInTurn:
    """Hands SIGTERM and SIGINT to the crawl that runs: the first asks it to stop, the second kills it.

    The signals are taken over for good, so this is for a process that does nothing else.
    """

    def __init__(self, environment: Mapping[str, str], grace: float = GRACE_SECONDS) -> None:
        self._environment, self._grace = environment, grace
        self._crawl: ChildCrawl | None = None
        self._signals = 0
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)

    @property
    def is_stopped(self) -> bool:
        """A signal came: no further crawl is started."""
        return self._signals > 0

    def crawl(self, names: Iterable[str]) -> Iterator[tuple[str, int]]:
        """Each name with the return code of its crawl, which writes to the standard error of this process."""
        for name in names:
            if self._signals:
                return
            self._crawl = crawl = ChildCrawl.start(name, self._environment, _STANDARD_ERROR)
            if self.is_stopped:  # meanwhile
                crawl.interrupt()
            code = crawl.wait()
            self._crawl = None
            yield name, code

    def _stop(self, *_: object) -> None:
        self._signals += 1
        if (crawl := self._crawl) is None:
            return
        if self._signals > 1:
            crawl.kill()
            return
        crawl.interrupt()
        timer = threading.Timer(self._grace, crawl.kill)
        timer.daemon = True
        timer.start()
