"""Reports of passes, in Markdown, plain text and SARIF."""
