package example.hollow.reject;

class RejectWriter {
    static final String SQL = "INSERT INTO claim_reject (job, business_date, line, reason) VALUES (?, ?, ?, ?)";
}
