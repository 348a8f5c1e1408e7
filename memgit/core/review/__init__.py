"""Looking at a pass decision by decision: what is shown of one, what a person answers, where that leads."""
