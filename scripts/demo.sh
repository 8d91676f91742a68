#!/usr/bin/env bash
# Installs what is missing, builds the program, and trains on two embedded data sets: Zachary's karate
# club and a generated citation network of Cora's size. A second run only trains.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/packages.sh

# shellcheck disable=SC2086
need_packages $build_packages
cmake --preset release -DGAT_BUILD_TESTS=OFF -B build/demo >/dev/null
cmake --build build/demo --target gat_program

gat=build/demo/bin/gat
# The citation network trains 200 epochs here, enough to see its accuracy; without --epochs up to 1,000.
for run in "karate" "synthetic-cora --epochs 200"; do
  echo
  echo "== gat train $run"
  # shellcheck disable=SC2086
  "$gat" train $run --out "build/demo/runs/${run%% *}" --force
done
echo
echo "The program is $gat; try \"$gat help\"."
