#pragma once
#include <stdint.h>
#define SETTINGS_VERSION 7

struct settings {
    uint16_t version;
    int16_t home_offset_um[3];
    uint8_t head;
    uint8_t pad;
    uint32_t crc;
};
int settings_load(struct settings *out);
