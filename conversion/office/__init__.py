"""Word, PowerPoint and Excel files to Markdown, by their own structure."""
