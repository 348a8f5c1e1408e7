"""What sessions say: classes of records, what a pass reads of them, quotes looked up in them."""
