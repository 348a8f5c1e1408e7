"""The straight lines: each flow reads like the sentence that describes it."""
