"""The doors of the system other than Scrapy's: so far the command line ``wrac``."""
