package example.hollow.payout;

import java.time.LocalDate;

record PaymentKey(long claim, LocalDate businessDate, String cover) {
    String value() {
        return claim + "/" + businessDate + "/" + cover;
    }
}
