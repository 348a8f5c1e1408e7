select count(*) from claim_reject;
