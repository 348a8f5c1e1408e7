"""One nearness for every pass: what may be alike. It nominates and ranks, and decides nothing."""
