"""Who proposes changes: one package per miner."""
