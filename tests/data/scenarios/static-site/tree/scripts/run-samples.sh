#!/bin/sh
# Runs the commands of a page: run-samples.sh content/guide/install.md
sed -n 's/^    \$ //p' "$1" | sh -ex
