"""What an audit looks for in memories, and what it makes of what it finds."""
