#pragma once
#define Z_LIMIT_MA 900
#define XY_LIMIT_MA 1400
#define HOMING_MM_S_REV_B 40
#define HOMING_MM_S_REV_C 25
