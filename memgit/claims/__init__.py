"""What a memory claims that a working tree can be asked about, a file for each kind: found in the text, judged by what
the tree and its history answer, reworded in the exact place. A class follows from what was found, never before it."""
