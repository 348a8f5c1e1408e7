"""Who may judge: facts refuse, doubts mark and ask, and judgement is a person's or a model's."""
