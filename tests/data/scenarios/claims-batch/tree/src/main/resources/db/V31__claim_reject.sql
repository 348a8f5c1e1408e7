CREATE TABLE claim_reject (
    job text NOT NULL, business_date date NOT NULL, line text NOT NULL, reason text NOT NULL
);
