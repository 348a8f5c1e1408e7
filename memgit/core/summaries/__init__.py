"""A database of summaries as a value: its normal form of files, what decisions make of it, what it knows of use."""
