"""Commands that replace Scrapy's own (``COMMANDS_MODULE``)."""
