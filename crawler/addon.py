"""The add-on that turns a Scrapy project into a W-RAC crawler: safe settings and our components."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

SAFE: dict[str, Any] = {
    "COOKIES_ENABLED": False,
    "DOWNLOAD_HANDLERS": {"data": None, "file": None, "ftp": None, "s3": None},
    "DOWNLOAD_MAXSIZE": 32 * 1024 * 1024,
    "DOWNLOAD_VERIFY_CERTIFICATES": True,
    "DOWNLOAD_WARNSIZE": 0,
    # A proxy would resolve names by itself, behind the back of the dial guard.
    "HTTPPROXY_ENABLED": False,
    "METAREFRESH_ENABLED": False,
    "REDIRECT_MAX_TIMES": 5,
    "REFERRER_POLICY": "no-referrer",
    "REMOTE_CONTROL_ENABLED": False,
    "ROBOTSTXT_OBEY": True,
    "TELNETCONSOLE_ENABLED": False,
}
"""What Scrapy leaves open by default, closed."""

PACE: dict[str, Any] = {
    "AUTOTHROTTLE_ENABLED": True,
    "AUTOTHROTTLE_START_DELAY": 0.25,
    # Scrapy starts so many tasks for every response to handle its items; ours has none.
    "CONCURRENT_ITEMS": 1,
    "CONCURRENT_REQUESTS": 64,
    "DOWNLOAD_DELAY": 0.25,
    "DOWNLOAD_DELAY_JITTER": 0.0,
    "RETRY_TIMES": 2,
}

QUIET: dict[str, Any] = {
    "LOG_FORMAT": "%(levelname)s: %(message)s",
    "LOG_LEVEL": "WARNING",
    "RETRY_GIVE_UP_LOG_LEVEL": "INFO",
    "STATS_DUMP": False,
}

OURS: dict[str, Any] = {
    "WRAC_RUN": "ingest.run.IngestRun",
}

_COMPONENTS: dict[str, dict[str, int | None]] = {
    "DOWNLOADER_MIDDLEWARES": {
        "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        "crawler.middlewares.robots.RobotsMiddleware": 100,
        "crawler.middlewares.credentials.CredentialsMiddleware": 110,
        "crawler.middlewares.conditional.ConditionalRequestMiddleware": 120,
        "crawler.middlewares.dial_guard.DialGuardMiddleware": 800,
    },
    "SPIDER_MIDDLEWARES": {
        "scrapy.spidermiddlewares.depth.DepthMiddleware": None,
        "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware": None,
    },
    "EXTENSIONS": {
        "scrapy.extensions.logstats.LogStats": None,
        # Closed by settings, too; not loading them saves the import of an SSH server and of a web framework.
        "scrapy.extensions.remote_control.RemoteControl": None,
        "scrapy.extensions.telnet.TelnetConsole": None,
        "scrapy.extensions.throttle.AutoThrottle": None,
        "crawler.extensions.politeness.Politeness": 0,
        "crawler.extensions.body_guard.BodyGuard": 0,
        "crawler.extensions.ingest.Ingest": 100,
        "crawler.extensions.progress.ProgressReport": 200,
    },
}


class WracAddon:
    """Sets everything at add-on priority: a project's own settings and ``-s NAME=VALUE`` win."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Safe settings, pace and components are in ``settings``."""
        for name, value in {**SAFE, **PACE, **QUIET, **OURS}.items():
            settings.set(name, value, priority="addon")
        for name, components in _COMPONENTS.items():
            merged = {**settings.getdict(name), **components}
            settings.set(name, merged, priority="addon")
