#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests; ends with the runner's summary.
# Real data sets are read from $GAT_TEST_DATA (default: ../shared/data) where they are there; tests that
# need them say so when they skip. Arguments go to ctest.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/packages.sh

# shellcheck disable=SC2086
need_packages $build_packages catch2 python3 qemu-user
cmake --preset release >/dev/null
cmake --build build/release
ctest --test-dir build/release --output-on-failure --no-tests=error --parallel "$(nproc)" "$@"
