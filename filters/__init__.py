"""Raw HTML to a clean tree: the main content, the page's own facts, and a record of everything that was cut.

page = clean_page(fetched)          # CleanedPage: root, metadata, directives, links, removals
"""

from filters.cleaning import CleaningRules, clean_page
from filters.parse import parse_html

__all__ = ["CleaningRules", "clean_page", "parse_html"]
