"""What the agent's client runs at its own events. These modules start fast: they import little of the standard
library, a hash, and the rules of ``core`` that they need; whatever needs more runs in a child with a time limit."""
