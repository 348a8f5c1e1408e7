#include <stdint.h>
volatile uint32_t g_events;

void tim2_handler(void) { g_events |= 1u << 0; }
void exti4_handler(void) { g_events |= 1u << 1; }
