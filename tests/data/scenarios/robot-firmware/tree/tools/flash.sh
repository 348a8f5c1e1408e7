#!/bin/sh
# flash ROBOT: writes build/stilt.bin to the robot on the bench
openocd -f "tools/$1.cfg" -c "program build/stilt.bin verify reset exit 0x08000000"
