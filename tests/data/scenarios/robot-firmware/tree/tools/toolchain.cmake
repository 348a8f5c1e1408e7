set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_C_COMPILER /opt/arm-gnu-13.3/bin/arm-none-eabi-gcc)
