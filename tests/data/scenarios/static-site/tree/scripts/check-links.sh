#!/bin/sh
grep -rnoE '\]\(/[^)]*\)' content
