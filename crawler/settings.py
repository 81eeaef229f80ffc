"""Scrapy settings of the project: how pages are fetched. What is safe and what is ours comes with the add-on.

They hold from a checkout (``scrapy.cfg``) and from an installed wheel (``SCRAPY_SETTINGS_MODULE=crawler.settings``).
"""

# Scrapy looks through all loaded modules and the whole stack when this one is first imported: both are small now.
import scrapy.core.downloader.contextfactory  # noqa: F401

from crawler.addon import QUIET

BOT_NAME = "wrac"
SPIDER_MODULES = ["crawler.spiders"]
COMMANDS_MODULE = "crawler.commands"
ADDONS = {"crawler.addon.WracAddon": 300}
DUPEFILTER_CLASS = "scrapy.dupefilters.BaseDupeFilter"
SCHEDULER_PRIORITY_QUEUE = "scrapy.pqueues.ScrapyPriorityQueue"
WARN_ON_GENERATOR_RETURN_VALUE = False

# Read before add-ons are loaded: the command line logs from its first line on.
LOG_LEVEL = QUIET["LOG_LEVEL"]
LOG_FORMAT = QUIET["LOG_FORMAT"]
