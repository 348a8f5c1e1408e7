"""Plain text and Markdown taken apart: words, paragraphs, amounts, what is literal and what is prose."""
