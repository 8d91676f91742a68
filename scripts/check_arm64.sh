#!/usr/bin/env bash
# Compiles the library for arm64 and runs the kernels' tests there, in an emulator.
# Needs Debian's cross compiler and qemu-user; takes sources as arguments: check_arm64.sh tests/kernels/linear_test.cpp
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/packages.sh

# shellcheck disable=SC2086
need_packages $build_packages catch2 g++-aarch64-linux-gnu qemu-user

compiler=aarch64-linux-gnu-g++
build=build/arm64
# Headers of other libraries are those of this machine, looked up last; zlib is not linked.
headers="-idirafter /usr/include"
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSTEM_NAME=Linux \
  -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER="$compiler" "-DCMAKE_CXX_FLAGS=$headers" \
  -DGAT_BUILD_PROGRAM=OFF -DGAT_BUILD_TESTS=OFF -DGAT_WARNINGS_AS_ERRORS=ON \
  -DZLIB_INCLUDE_DIR=/usr/include -DZLIB_LIBRARY=unlinked >/dev/null
cmake --build "$build" --target gat

tests=("$@")
# Gradients are checked in double, with the other library.
[ $# -gt 0 ] || mapfile -t tests < <(ls tests/kernels/*.cpp | grep -v gradient)
mkdir -p "$build/tests"
printf '#define CATCH_CONFIG_MAIN\n#include "catch.hpp"\n' >"$build/tests/main.cpp"
printf '%s\n' "$build/tests/main.cpp" "${tests[@]}" | xargs -P "$(nproc)" -I FILE sh -c "$compiler -std=c++20 -O1 \
  -fopenmp -idirafter /usr/include -isystem /usr/include/eigen3 -DGAT_TESTS_DIR='\"$PWD/tests\"' \
  -DGAT_DEFAULT_TEST_DATA='\"\"' -Iinclude -Ilib -Itests -c FILE -o $build/tests/\$(basename FILE .cpp).o"
objects=("$build/tests/main.o")
for test in "${tests[@]}"; do objects+=("$build/tests/$(basename "$test" .cpp).o"); done
"$compiler" -fopenmp "${objects[@]}" "$build/libgat.a" -o "$build/tests/kernels_tests"
exec qemu-aarch64 -L /usr/aarch64-linux-gnu "$build/tests/kernels_tests"
