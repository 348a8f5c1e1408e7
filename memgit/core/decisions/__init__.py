"""From what a miner, a host or a rule proposes to what a pass settles, and what a person says to it."""
