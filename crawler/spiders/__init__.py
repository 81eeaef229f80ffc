"""Spiders (``SPIDER_MODULES``)."""
