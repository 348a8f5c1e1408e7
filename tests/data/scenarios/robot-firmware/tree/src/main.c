#include <stdint.h>
extern volatile uint32_t g_events;
void delay_us(uint32_t us);

int main(void)
{
    for (;;) {
        if (g_events & 1u) { g_events &= ~1u; /* step */ }
        if (g_events & 2u) { g_events &= ~2u; /* end stop */ }
    }
}
