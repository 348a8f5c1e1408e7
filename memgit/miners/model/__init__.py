"""Curation by a language model: what it is asked, how its answer is checked and kept, and the ways to reach one."""
