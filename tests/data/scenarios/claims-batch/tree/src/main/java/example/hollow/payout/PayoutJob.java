package example.hollow.payout;

import org.springframework.batch.item.database.JdbcCursorItemReader;

class PayoutJob {
    JdbcCursorItemReader<Object> openClaims(String businessDate) {
        return new JdbcCursorItemReader<>();
    }
}
