package example.hollow.payout;

import java.math.BigDecimal;
import java.math.RoundingMode;

final class Amounts {
    static BigDecimal toCents(BigDecimal amount) {
        return amount.setScale(2, RoundingMode.HALF_EVEN);
    }
}
