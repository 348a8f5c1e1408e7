package example.hollow.payout;

class PaymentWriter {
    static final String SQL = """
            INSERT INTO payment (payment_key, amount) VALUES (?, ?)
            ON CONFLICT (payment_key) DO NOTHING""";
}
