"""The Scrapy door: fetches the pages of a documentation site and hands them to the ingestion run.

``crawler.main.run_crawl`` runs a whole crawl from Python.
"""
