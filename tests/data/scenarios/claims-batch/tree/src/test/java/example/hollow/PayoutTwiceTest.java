package example.hollow;

class PayoutTwiceTest {
    void paysOnceWhenRunTwice() {}
}
